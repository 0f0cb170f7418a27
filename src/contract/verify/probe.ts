import { CannotVerify } from './cannot-verify.ts'
import { type Exchange, isSuccess, mediaTypeOf } from './exchange.ts'
import { pathTo } from './paths.ts'
import type { ServiceAccess, Target } from './target.ts'
import { isObject, linksOf, memberAt, withoutPrefix } from './unknown-json.ts'

/**
 * Reads the service's base address, also from an address inside it: of its mailings, of an integration or of
 * anything below. The base has no slash at the end; the platform segment is undefined if the address does not have it.
 * @throws CannotVerify for anything else
 */
export function parseServiceAddress(address: string) {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CannotVerify(
      `--url is "${address}"; expected the address of the service, such as https://space.example.com`,
    )
  if (url.username || url.password)
    throw new CannotVerify('--url holds credentials; give them as --user and --password')
  const path = url.pathname.replace(/\/+$/, '')
  const [, before, segment] = /^(.*?)\/integrations(?:\/([^/]+).*)?$/.exec(path) ?? []
  const prefix = before ?? path.replace(/\/mailings(?:\/.*)?$/, '')
  return { base: url.origin + prefix, platformSegment: segment }
}

/** The service's base and platform segment, which its address may contain. @throws CannotVerify for an unusable address */
export function readServiceAddress({
  url,
  platformSegment = 'mailing-platform',
}: Pick<ServiceAccess, 'url' | 'platformSegment'>) {
  const found = parseServiceAddress(url)
  return { base: found.base, platformSegment: found.platformSegment ?? platformSegment }
}

/** The first answers of the service, by which it is recognised. */
export type Probe = Awaited<ReturnType<typeof probe>>

/** Reads the three collections where everything starts. @throws CannotVerify if the service is not there */
export async function probe(target: Pick<Target, 'get' | 'base'>, segment: string) {
  const mailings = await target.get(pathTo('listMailings', segment))
  refuseNonService(mailings, target.base)
  const synchronizations = await target.get(pathTo('listMailingSynchronizations', segment))
  const customers = await target.get(pathTo('listAccessibleCustomers', segment))
  const all = [mailings, synchronizations, customers]
  const isThere = all.map(isHal)
  if (!isThere.includes(true)) {
    const statuses = all.map(it => `${new URL(it.url).pathname} ${it.status}`).join(', ')
    throw new CannotVerify(
      `this is no Mailing Synchronization Service: ${statuses}; give the address behind which /mailings stands`,
    )
  }
  if (!isThere[1] && !isThere[2])
    throw new CannotVerify(
      `there are mailings, but nothing under /integrations/${segment}; give the address with your integration: --url ${target.base}/integrations/<name>`,
    )
  return { mailings, synchronizations, customers }
}

/** @throws CannotVerify if the answer is plainly not of such a service, or not for this user; it says what answers */
export function refuseNonService(first: Exchange, base: string): void {
  const wrong = describeNonService(first, base)
  if (wrong !== undefined) throw new CannotVerify(wrong)
}

function describeNonService(first: Exchange, base: string): string | undefined {
  const { status, headers, text } = first
  if (status === 401) return 'user or password is wrong: the service answers 401; check --user and --password'
  if (status === 403)
    return 'the service answers 403: this user may not even read mailings; take one with the right to read'
  if (status >= 300 && status < 400) {
    const to = headers.location
    return to === undefined
      ? `the service redirects (${status}) without saying where to; give the address of the service itself`
      : `it redirects (${status}) to ${baseOfRedirect(to, base)}; if you trust that, give this address as --url`
  }
  if (mediaTypeOf(first) === 'text/html' || /^\s*<(?:!doctype|html)/i.test(text)) {
    const title = /<title>\s*([^<]{1,80}?)\s*<\/title>/i.exec(text)?.[1]
    return `a web page answers${title ? ` ("${title.replaceAll(/\s+/g, ' ')}")` : ''}, with status ${status}, and no service; give the address behind which /mailings stands`
  }
  if (status >= 500) return `the service answers ${status} to the first request; try again when it works`
  if (isSuccess(first) && !isObject(first.json))
    return `the response to /mailings is no JSON object (Content-Type ${headers['content-type'] ?? 'missing'}); give the address behind which /mailings stands`
  return undefined
}

/** The base address that a redirect leads to. */
const baseOfRedirect = (to: string, base: string): string =>
  (URL.canParse(to, base) ? new URL(to, base).href : to).replace(/\/mailings\/?$/, '')

const isHal = (it: Exchange): boolean =>
  isSuccess(it) && (isObject(memberAt(it.json, '_embedded')) || isObject(memberAt(it.json, '_links')))

/** The prefix of the service's relations that its answers use most. */
export function relationPrefixOf(answers: readonly Exchange[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { json } of answers)
    for (const relation of relationsIn(json)) {
      const prefix = relation.slice(0, relation.length - withoutPrefix(relation).length - 1)
      if (relation.includes(':')) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
    }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}

/** All relations of a document, of links and of embedded resources. */
export function* relationsIn(json: unknown): Iterable<string> {
  if (Array.isArray(json)) for (const one of json) yield* relationsIn(one)
  if (!isObject(json)) return
  yield* Object.keys(linksOf(json))
  const all = json._embedded
  if (!isObject(all)) return
  for (const [relation, entries] of Object.entries(all)) {
    yield relation
    yield* relationsIn(entries)
  }
}
