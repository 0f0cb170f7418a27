import { customersPath, misspeltSynchronizationsPath, synchronizationsPath } from '../../service/operation.ts'
import { resources } from '../../service/operations.ts'
import { isCollection } from '../../service/resource.ts'
import { type ClauseEntry, reading, writing } from './check.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import {
  CannotCheck,
  compareEach,
  differs,
  holds,
  must,
  need,
  type Outcome,
  observe,
  sameAs,
  untestable,
} from './outcome.ts'
import { type ResourceKind, relationsTo } from './resource-kinds.ts'
import { type ObservedResource, type TargetReader, unknownId } from './target-reader.ts'
import { describeValue, hrefOf, isObject, linksOf, memberAt, textAt, withoutPrefix } from './unknown-json.ts'

type ServiceLink = ReturnType<typeof splitLink>

/** Relations that lead to the service. The others open pages for a person, or documentation. */
const serviceRelations = new Set([
  ...relationsTo('link'),
  'next',
  ...resources.filter(isCollection).flatMap(({ links = {} }) => Object.keys(links)),
])

/** All links to the service, in resources and their items. */
export const serviceLinks = (reader: TargetReader): ServiceLink[] =>
  reader.observed.documents.flatMap(from =>
    linksIn(from.json).flatMap(([relation, href]) =>
      serviceRelations.has(withoutPrefix(relation)) ? [splitLink(reader, relation, href, from)] : [],
    ),
  )

/** All links of a document and of its embedded resources, as relation and address. */
export function linksIn(json: unknown): [string, string][] {
  if (Array.isArray(json)) return json.flatMap(linksIn)
  if (!isObject(json)) return []
  const own = Object.entries(linksOf(json)).flatMap(([relation, link]): [string, string][] =>
    isObject(link) && typeof link.href === 'string' ? [[relation, link.href]] : [],
  )
  const { _embedded } = json
  return [...own, ...(isObject(_embedded) ? Object.values(_embedded).flatMap(linksIn) : [])]
}

/** The clause that reports a path; undefined for a path of the document. */
export function clauseOfPath(path: string, segment: string): OddPath | undefined {
  const [first, its, collection, ...others] = (path.split(/[?{]/)[0] ?? '').split('/').slice(1)
  if ([first, its, collection, ...others].some(part => /^v\d+$/.test(part ?? ''))) return '9'
  if (first === 'mailings') return collection === undefined ? undefined : 'S addressing'
  if (first !== 'integrations') return 'S addressing'
  if (its !== segment) return '2 path segment'
  return collections.has(collection ?? '') ? undefined : 'S addressing'
}

type OddPath = '9' | 'S addressing' | '2 path segment'

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const collections = new Set([synchronizationsPath, misspeltSynchronizationsPath, customersPath].map(lastPart))

/** A link with its path behind the base, query included, and its base; undefined if the link is only a path. */
function splitLink(reader: TargetReader, relation: string, href: string, from: Exchange) {
  const { base } = reader.target
  if (href.startsWith('/')) {
    const { pathname } = new URL(base)
    const path = pathname !== '/' && href.startsWith(`${pathname}/`) ? href.slice(pathname.length) : href
    return { relation, href, path, base: undefined, from }
  }
  if (href.startsWith(`${base}/`)) return { relation, href, path: href.slice(base.length), base, from }
  const at = href.search(/\/(?:integrations|mailings)(?:[/?{]|$)/)
  return at < 0
    ? { relation, href, path: href, base: href, from }
    : { relation, href, path: href.slice(at), base: href.slice(0, at), from }
}

/** An answer whose self link does not lead back to it. */
interface MisledSelfLink {
  readonly href: string
  /** Where it should lead, as a path behind the base. */
  readonly back: string
  readonly from: Exchange
  /** The answer at the link, if it was followed. */
  readonly there?: Exchange
}

/** Maximum number of links that are followed, for a target with paths of its own. */
const maxFollowed = 20

/**
 * Answers whose self link leads elsewhere. The path decides without another request. Only links to paths that are not in
 * the document are followed, since they may lead back all the same; other clauses report these paths.
 */
export async function misledSelfLinks(reader: TargetReader): Promise<readonly MisledSelfLink[]> {
  const found: MisledSelfLink[] = []
  let followed = 0
  for (const from of reader.observed.documents) {
    const href = hrefOf(from.json, 'self')
    const back = pathBehindBase(reader, from.url)
    if (href === undefined || isWayBack(pathBehindBase(reader, href), back, from)) continue
    if (clauseOfPath(pathBehindBase(reader, href), reader.segment) === undefined)
      found.push({ href, back, from })
    else if (followed++ < maxFollowed) {
      const there = await reader.get(href.replace(/\{.*\}/, ''))
      if (!isAlike(there, from)) found.push({ href, back, from, there })
    }
  }
  return found
}

/** @throws CannotCheck for a link to a path that the clause reports, or without any; `2 self` reports self links that do not lead back */
export async function mustNotLinkTo(
  reader: TargetReader,
  clause: OddPath,
  expected: string,
  seen: (link: ServiceLink) => string = ({ href }) => href,
): Promise<Outcome> {
  const links = need.some(serviceLinks(reader), noLink)
  const odd = links.filter(it => clauseOfPath(it.path, reader.segment) === clause)
  const lost = new Set((await misledSelfLinks(reader)).map(({ href }) => href))
  const first = odd.find(it => it.relation !== 'self' || !lost.has(it.href))
  if (first) throw new CannotCheck(differs(expected, seen(first), first.from))
  if (odd.length > 0) throw new CannotCheck(sameAs('2 self'))
  return holds
}

/** The path of a link behind the base, without query and variables. The misspelt path of 4.8 is corrected. */
export function pathBehindBase(reader: TargetReader, address: string): string {
  const url = reader.target.resolve(address.split(/[?{#]/)[0]!)
  const path = URL.canParse(url) ? new URL(url).pathname : url
  const before = new URL(reader.target.base).pathname.replace(/\/$/, '')
  const behind = path.startsWith(`${before}/`) ? path.slice(before.length) : path
  return decodePath(behind).replace(
    `/${lastPart(misspeltSynchronizationsPath)}/`,
    `/${lastPart(synchronizationsPath)}/`,
  )
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A created resource is below the address of its POST, and `latest` is another name for an upload. */
function isWayBack(path: string, back: string, { method }: Exchange): boolean {
  const [, uploads] = /^(.*\/mailing-uploads)\/latest$/.exec(back) ?? []
  const parent = method === 'POST' ? back : uploads
  if (parent === undefined) return path === back
  return path.startsWith(`${parent}/`) && !path.slice(parent.length + 1).includes('/')
}

/** Whether two answers show the same resource, judged by ID, name and members. */
function isAlike(one: Exchange, other: Exchange): boolean {
  if (!isSuccess(one) || !isObject(one.json) || !isObject(other.json)) return false
  const tells = ({ json }: Exchange) =>
    JSON.stringify([
      memberAt(json, 'id'),
      memberAt(json, 'name'),
      Object.keys(json as object).toSorted(),
      Object.keys((memberAt(json, '_embedded') ?? {}) as object),
    ])
  return tells(one) === tells(other)
}

/** Section 2, self links. */
export const selfLinkCheck = reading('2 self', 'self links of all responses and of entries', checkSelfLinks)

const followedKinds = ['mailing item', 'mailing', 'synchronization', 'sending', 'mailing-upload', 'customer']

/**
 * Compares the self link of each answer with the requested address, and follows the self links of some entries of
 * collections. The clauses of each kind report a missing self link; only a single mailing has no such clause.
 */
async function checkSelfLinks(reader: TargetReader): Promise<Outcome> {
  const [lost] = await misledSelfLinks(reader)
  if (lost) {
    const seen = `${lost.href}${lost.there ? `: ${lost.there.status}` : ''}`
    return differs(`a self link that leads back to ${lost.back}`, seen, lost.from, lost.there)
  }
  const isWithout = ({ value }: ObservedResource) => isObject(value) && hrefOf(value, 'self') === undefined
  const without = reader.observed.of('mailing').find(isWithout)
  // If the listed mailings have none either, 2.1 _links reports it.
  if (without && !reader.observed.of('mailing item').some(isWithout))
    return differs('a self link', 'none', without.from)
  let followed = 0
  const chosen: readonly string[] = await reader.chosenSynchronizations().catch(() => [])
  const isChosen = (kind: ResourceKind, value: unknown) =>
    kind !== 'synchronization' || chosen.includes(textAt(value, 'id') ?? '')
  for (const kind of followedKinds) {
    const name = kind === 'customer' ? 'name' : 'id'
    const isWhole = (it: unknown) => hrefOf(it, 'self') !== undefined && textAt(it, name) !== undefined
    const some = reader.observed.of(kind).filter(it => isChosen(kind, it.value) && isWhole(it.value))
    for (const { value, from } of some.slice(0, 3)) {
      const href = hrefOf(value, 'self')!
      const answer = await reader.get(href)
      followed++
      must.be(isSuccess(answer), 'a self link that resolves', `${href}: ${answer.status}`, from, answer)
      const there = memberAt(answer.json, name)
      const here = memberAt(value, name)
      // An ID in another form is reported by its own clause.
      const isOther = (typeof there === 'string' || there === undefined) && there !== here
      const seen = `${href} leads to ${describeValue(there)}`
      must.be(!isOther, `a self link that leads to ${here}`, seen, from, answer)
    }
  }
  const isSeen = reader.observed.documents.some(it => hrefOf(it.json, 'self') !== undefined)
  return isSeen || followed > 0 ? holds : untestable('there is no self link here')
}

const noLink = 'there is no link here'

/** Beyond the document: addresses, links and curies. */
export const linkChecks: readonly ClauseEntry[] = [
  reading('S addressing', 'paths of links', reader =>
    mustNotLinkTo(reader, 'S addressing', 'a path of the document behind the base address'),
  ),
  reading('S host', 'what links start with', reader => {
    const { base } = reader.target
    const links = serviceLinks(reader)
    const [only, ...others] = new Set(links.map(it => it.base).filter(it => it !== undefined))
    if (only === undefined) return untestable('no link names a host')
    if (others.length > 0) return sameAs('2 addresses')
    if (only === base) return holds
    const expected = `links that start with ${base}, as the request did`
    return observe('publicUrl', only, expected, `links that start with ${only}`, links[0]!.from)
  }),
  reading('S links', 'the form of links to the service', reader => {
    const links = need.some(serviceLinks(reader), noLink)
    const paths = links.filter(it => it.base === undefined)
    const [first] = paths
    if (first && paths.length < links.length) return differs('absolute addresses', first.href, first.from)
    const value = first ? 'path' : 'absolute'
    const { href, from } = first ?? links[0]
    return observe('links-form', value, 'absolute addresses', href, from)
  }),
  writing('S Location', 'the Location of a sending', async (testData, reader) => {
    const { exchange } = await testData.firstSending()
    const { location } = exchange.headers
    if (location === undefined) return untestable('there is no Location, as 4.1/4 tells')
    const isPath = location.startsWith('/')
    // If all links have another host, S host reports it.
    const bases = ['/', reader.target.base, ...serviceLinks(reader).map(it => it.base)]
    const isOfService = bases.some(base => base !== undefined && location.startsWith(base))
    must.be(isOfService, 'an address of the service', location, exchange)
    return observe('location-form', isPath ? 'path' : 'absolute', 'an absolute address', location, exchange)
  }),
  reading('S trailing slash', 'addresses with a slash at their end', async reader => {
    const [id] = await reader.chosenSynchronizations().catch(() => [unknownId])
    const below = id === unknownId ? [] : ['/test-profiles/', '/preview/']
    const taken = [`${reader.synchronizationsPath()}/`, `${reader.customersPath()}/`]
    for (const address of [...taken, ...below.map(it => reader.synchronizationPath(id!, it))])
      must.succeed(await reader.get(address), `200 for ${address}`)
    const other = await reader.get('/mailings/')
    return must.be(!isSuccess(other), 'an error for /mailings/', `${other.status}`, other)
  }),
  reading('S curies', 'curies of documents with prefixed relations', reader => {
    return compareEach(reader.observed.documents, 'there is no prefixed relation here', document => {
      const links = linksOf(document.json)
      const isCollection = isObject(memberAt(document.json, '_embedded'))
      const isPrefixed = Object.keys(links).some(name => name.includes(':'))
      if ((!isCollection && !isPrefixed) || !isObject(memberAt(document.json, '_links'))) return undefined
      if (links.curies === undefined) return differs('curies', 'none', document)
      const [first] = Array.isArray(links.curies) ? links.curies : []
      const href = textAt(first, 'href')
      // The form of a curie is checked by 2 curies.
      if (href?.includes('{rel}') && !href.endsWith('/relations/{rel}'))
        return differs('…/relations/{rel}', href, document)
      return holds
    })
  }),
  reading(
    'S no curies',
    'curies of previews, customers, lists, configurations and mailing-uploads',
    reader => {
      const kinds = ['preview', 'customer', 'list', 'configuration']
      const alone = kinds.flatMap(kind => reader.observed.of(kind)).filter(it => !it.isItem)
      const all = need.some(alone, 'there is no such resource here')
      const some = all.find(it => linksOf(it.value).curies !== undefined)
      const isEverywhere = all.every(it => linksOf(it.value).curies !== undefined)
      if (some && !isEverywhere) return differs('no curies', 'curies in some', some.from)
      const uploads = reader.observed.of('mailing-upload')
      const bare = uploads.find(it => linksOf(it.value).curies === undefined)
      return observe(
        'curies',
        some ? 'everywhere' : bare ? 'where-used' : 'as-in-examples',
        'none, except in mailing-uploads',
        some ? 'curies in all of them' : bare ? 'none, nor in mailing-uploads' : 'none',
        (some ?? bare ?? all[0]).from,
      )
    },
  ),
]
