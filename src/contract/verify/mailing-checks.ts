import { type Check, type ClauseEntry, follows, outside, reading } from './check.ts'
import { byIdCheck, mustBeCollection } from './collection-checks.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { serviceLinks } from './link-checks.ts'
import {
  compareEach,
  differs,
  holds,
  holdsAsFarAs,
  must,
  need,
  nothingAsked,
  observe,
  sameAs,
  untestable,
} from './outcome.ts'
import { relationsTo } from './resource-kinds.ts'
import { entriesOf, type ObservedResource, type TargetReader } from './target-reader.ts'
import { describeValue, hrefOf, isId, isObject, isTrue, memberAt, textAt } from './unknown-json.ts'

/** Sections 4.12 and 4.13: the operations on mailings. */
export const mailingOperationChecks: readonly ClauseEntry[] = [
  reading('4.12', 'GET /mailings', async reader => {
    const { exchange } = await reader.mailings()
    must.haveStatus(exchange, 200)
    return mustBeCollection(exchange, 'mailings')
  }),
  reading('4.12 sort order', 'modificationDate of the mailings, in their order', async reader => {
    const listings = [await reader.mailings()]
    for (const query of ['?isApproved=true', '?hasDraft=true', `?id=${await someIds(reader)}`])
      listings.push(await reader.list('listMailings', {}, query))
    if (listings[0]!.items.length < 2) return untestable('there are fewer than two mailings')
    return compareEach(listings, 'there are no two mailings of different dates', ({ exchange, items }) => {
      const dates = items.map(it => textAt(it, 'modificationDate') ?? '')
      if (new Set(dates.map(Date.parse).filter(Number.isFinite)).size < 2) return undefined
      const at = dates.findIndex((date, n) => n > 0 && Date.parse(date) > Date.parse(dates[n - 1]!))
      const seen = `${dates[at - 1]} before ${dates[at]}`
      return must.be(at < 0, 'the one that changed last first', seen, exchange)
    })
  }),
  flagFilterCheck('4.12 isApproved', 'isApproved'),
  flagFilterCheck('4.12 hasDraft', 'hasDraft'),
  reading('4.12 id', 'mailings asked for by their IDs', async reader => {
    const some = await someIds(reader)
    if ((await mailingIds(reader)).length < 2) return untestable('there are fewer than two mailings')
    const { exchange, items: found } = await reader.list('listMailings', {}, `?id=${some}`)
    const all = found.map(it => memberAt(it, 'id'))
    const isSame = all.length === some.length && some.every(id => all.includes(id))
    const seen = `${all.length}: ${describeValue(all)}`
    return must.be(isSame, `the mailings ${some.join(', ')}`, seen, exchange)
  }),
  reading('4.12 pageSize', 'mailings with pageSize=2', async reader => {
    const { exchange, items } = await reader.list('listMailings', {}, '?pageSize=2')
    const { items: all } = await reader.mailings()
    if (all.length < 3) return untestable('there are fewer than three mailings')
    const isRight = isSuccess(exchange) && items.length === 2
    return must.be(isRight, 'a page of 2 mailings', `${exchange.status}, ${items.length} mailings`, exchange)
  }),
  reading('4.12 both false', 'mailings with hasDraft=false&isApproved=false', async reader =>
    must.beRefused(await reader.get('/mailings?hasDraft=false&isApproved=false')),
  ),
  reading('4.13', 'single mailings', async reader => {
    const [id] = need.some(await mailingIds(reader), 'there is no mailing here')
    const exchange = await reader.get(`/mailings/${id}`)
    must.haveStatus(exchange, 200)
    return must.be(isObject(exchange.json), 'a mailing', describeValue(exchange.text), exchange)
  }),
  byIdCheck('4.13 id', 'mailing', async reader => ({
    ids: await mailingIds(reader),
    path: id => `/mailings/${id}`,
  })),
  follows('7/4', '4.12 both false'),
]

/** IDs of the listed mailings. */
const mailingIds = async (reader: TargetReader): Promise<string[]> =>
  (await reader.mailings()).items.flatMap(it => textAt(it, 'id') ?? [])

/** IDs of the mailings that are listed last, the very last first. At least one mailing is left out if there are two. */
async function someIds(reader: TargetReader): Promise<string[]> {
  const ids = await mailingIds(reader)
  return ids.slice(Math.max(1, ids.length - 3)).reverse()
}

function flagFilterCheck(clause: string, flag: 'isApproved' | 'hasDraft'): Check {
  const partner = flag === 'isApproved' ? 'hasDraft' : 'isApproved'
  const queries = ['true', 'false'].flatMap(value => [
    { value, query: `${flag}=${value}`, isPartner: () => true },
    {
      value,
      query: `${flag}=${value}&${partner}=true`,
      isPartner: (it: unknown) => String(memberAt(it, partner)) === 'true',
    },
  ])
  return reading(clause, `mailings with ${flag}=true and ${flag}=false`, async reader => {
    const { items: all, next } = await reader.mailings()
    const isFlagged = (it: unknown) => /^(?:true|false)$/.test(String(memberAt(it, flag)))
    need.some(all.filter(isFlagged), `there is no mailing with ${flag} here`)
    return compareEach(queries, nothingAsked, async ({ value, query, isPartner }) => {
      const { exchange, items } = await reader.list('listMailings', {}, `?${query}`)
      must.succeed(exchange)
      const opposite = String(value === 'false')
      const other = items.find(it => String(memberAt(it, flag)) === opposite)
      const shown = `mailing ${describeValue(memberAt(other, 'id'))}`
      must.be(!other, `only mailings with ${flag} ${value}`, shown, exchange)
      const isWanted = (it: unknown) => String(memberAt(it, flag)) === value && isPartner(it)
      const seen = items.map(it => memberAt(it, 'id'))
      const missing = all
        .filter(isWanted)
        .flatMap(it => textAt(it, 'id') ?? [])
        .find(id => !seen.includes(id))
      if (missing === undefined || next !== undefined) return holds
      const now = entriesOf((await reader.target.get('/mailings')).json, 'mailings')
      // Unless it changed during the run.
      const same = now.find(it => memberAt(it, 'id') === missing)
      const isChanged = same !== undefined && !isWanted(same)
      return must.be(isChanged, `all mailings with ${query}`, `not mailing ${missing}`, exchange)
    })
  })
}

/** Beyond the document: mailings, previews and lists. */
export const mailingAndListChecks: readonly ClauseEntry[] = [
  reading('S preview kind', 'previews with kind draft and lastApproved', async reader => {
    const both = await synchronizationWithVersions(reader, true, true)
    const draft = both ?? (await synchronizationWithVersions(reader, true, false))
    const approved = both ?? (await synchronizationWithVersions(reader, false, true))
    if (draft === undefined && approved === undefined)
      return untestable('there is no mailing synchronization')
    if (draft !== undefined) await mustPreview(reader, draft, 'draft', true)
    if (approved !== undefined) await mustPreview(reader, approved, 'lastApproved', true)
    if (both === undefined) return holdsAsFarAs('no mailing here has both versions')
    const shown: Exchange[] = []
    for (const kind of ['draft', 'latest', 'draft', 'lastApproved'])
      shown.push(await reader.target.get(reader.synchronizationPath(both, `/preview?kind=${kind}`)))
    const parts = ['subject', 'textContent', 'htmlContent']
    const [content, latest, again, approvedContent] = shown.map(({ json }) =>
      JSON.stringify(parts.map(it => memberAt(json, it))),
    )
    // It may have been edited or approved during the run, or be another with each answer.
    if (!shown.every(isSuccess) || content !== again) return untestable('previews change while they are read')
    if (content !== latest) must.agree(shown[0]!, shown[1]!, ...parts)
    return content === approvedContent ? untestable('draft and approved version look the same here') : holds
  }),
  reading('S preview kind missing', 'an unknown kind, and a version that is not there', async reader => {
    const [some] = await reader.chosenSynchronizations()
    const unknown = await reader.get(reader.synchronizationPath(some, '/preview?kind=not-a-kind'))
    for (const kind of ['draft', 'lastApproved'] as const) {
      const without = await synchronizationWithVersions(reader, kind !== 'draft', kind === 'draft')
      if (without !== undefined) await mustPreview(reader, without, kind, false)
    }
    if (unknown.status === 422) return sameAs('S no 422')
    return must.haveStatus(unknown, 400, '400 for an unknown kind')
  }),
  reading('S preview unknown profile', 'a preview with an unknown test profile', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const path = reader.synchronizationPath(id, '/preview?testProfileId=999999999')
    return must.haveStatus(await reader.get(path), 404)
  }),
  outside('S approval', 'the service has no operation that edits or approves'),
  reading('S versions', 'versions and names of mailings and synchronizations', async reader => {
    const is = (value: unknown, name: string) => memberAt(value, name) === true
    const items = reader.observed.of('mailing item')
    const versions = await compareEach(items, 'there is no mailing', ({ value, from }) => {
      const flags = ['isApproved', 'hasDraft'].map(name => memberAt(value, name))
      if (!flags.every(it => typeof it === 'boolean')) return undefined
      return must.be(flags.includes(true), 'a draft, an approved version or both', 'neither', from)
    })
    const all = reader.observed.of('synchronization')
    const names = await compareEach(all, 'there is no mailing synchronization', ({ value, from }) => {
      if (typeof memberAt(value, 'mailingIsApproved') !== 'boolean') return undefined
      const name = memberAt(value, 'approvedMailingName')
      if (is(value, 'mailingIsApproved') ? name === null : typeof name === 'string' && name !== '')
        return differs('approvedMailingName exactly with an approved version', describeValue(name), from)
      const isAlone = is(value, 'mailingIsApproved') && memberAt(value, 'mailingHasDraft') === false
      const latest = memberAt(value, 'mailingName')
      if (isAlone && typeof name === 'string' && typeof latest === 'string' && latest !== name)
        return differs(`one name, ${describeValue(latest)}`, describeValue(name), from)
      return name === undefined ? undefined : holds
    })
    return versions === holds && names.is === 'untestable' ? versions : names
  }),
  reading('S unapproved name', 'approvedMailingName of drafts', reader => {
    const first = reader.observed
      .of('synchronization')
      .find(({ value }) => memberAt(value, 'mailingIsApproved') === false)
    if (!first) return untestable('every mailing is approved')
    const name = memberAt(first.value, 'approvedMailingName')
    const value = { undefined: 'absent', null: 'null', '': 'empty' }[String(name)]
    if (value === undefined) return sameAs('2.2 approvedMailingName')
    return observe('approved-name-of-draft', value, 'null', describeValue(name), first.from)
  }),
  outside('S sendings use approved', 'what arrives on the platform shows in no response'),
  reading('S links that open pages', 'editor and report links, as a browser opens them', async reader => {
    const { origin } = new URL(reader.target.base)
    const hrefs = pageLinks(reader)
    const odd = hrefs.find(it => !isForBrowser(it.href))
    if (odd) return differs('an address for a browser', odd.href, odd.from)
    // Requests go to the target only.
    const first = hrefs.find(it => new URL(it.href).origin === origin)
    if (!first) return untestable('pages stand on another host, which is not asked')
    const answer = await reader.target.get(first.href, { as: 'nobody', headers: { accept: 'text/html' } })
    // A person can sign in there.
    const isPage = answer.status < 400 || answer.status === 401 || answer.status === 403
    return must.be(isPage, 'a page', `${answer.status}`, answer)
  }),
  reading('S host of pages', 'what editor, preview and report links start with', reader => {
    const links = pageLinks(reader).filter(it => isForBrowser(it.href))
    const bases = [reader.target.base, ...serviceLinks(reader).map(it => it.base)]
    const usual = new Set(
      bases.filter(it => it !== undefined && URL.canParse(it)).map(it => new URL(it!).origin),
    )
    const first = need
      .some(links, 'there is no link to a page here')
      .find(it => !usual.has(new URL(it.href).origin))
    if (!first) return holds
    const { origin } = new URL(first.href)
    const expected = `links that start with ${reader.target.base}, as the others do`
    return observe('pagesUrl', origin, expected, `links that start with ${origin}`, first.from)
  }),
  ...[
    'S removed',
    'S removed synchronization',
    'S removed part',
    'S accepted before removal',
    'S renamed',
  ].map(clause => outside(clause, 'only a person on the platform or in the editor can delete and rename')),
  reading('S single list', 'GET on a single list', async reader => {
    const one = reader.observed.of('list').find(it => it.isItem)
    const id = memberAt(one?.value, 'id')
    if (!one || !isId(id)) return untestable('there is no list')
    const answer = await reader.get(`${one.from.url.replace(/\?.*/, '')}/${id}`)
    must.succeed(answer)
    const there = memberAt(answer.json, 'id')
    must.be(there === id, `list ${id}`, describeValue(there), answer)
    const [hasSelf, hadSelf] = [answer.json, one.value].map(it => hrefOf(it, 'self') !== undefined)
    return !hasSelf && !hadSelf ? sameAs('2.9 list _links') : must.be(hasSelf!, 'a self link', 'none', answer)
  }),
  reading('S list self', 'self links of listed lists', async reader => {
    const isWhole = ({ value, isItem }: ObservedResource) =>
      isItem && memberAt(value, 'id') !== undefined && hrefOf(value, 'self') !== undefined
    const items = reader.observed.of('list').filter(isWhole)
    return compareEach(items.slice(0, 3), 'there is no list', async ({ value, from }) => {
      const href = hrefOf(value, 'self')!
      const answer = await reader.get(href)
      const id = memberAt(value, 'id')
      const isSame = isSuccess(answer) && memberAt(answer.json, 'id') === id
      return must.be(isSame, `list ${describeValue(id)}`, `${href}: ${answer.status}`, from, answer)
    })
  }),
  reading('S showAllLists', 'showAllLists with true, false and another value', async reader => {
    const [customer] = need.some(await reader.customerNames(), 'there is no customer')
    const path = reader.path('listCustomerLists', { customer })
    for (const value of ['true', 'false'])
      must.succeed(await reader.get(`${path}?showAllLists=${value}`), `200 for ${value}`)
    return must.beRefused(await reader.get(`${path}?showAllLists=perhaps`), 'a 4xx for perhaps')
  }),
]

/** @throws CannotCheck unless a version has a preview exactly if it was there, or it appeared or went during the run */
async function mustPreview(
  reader: TargetReader,
  id: string,
  kind: 'draft' | 'lastApproved',
  isThere: boolean,
): Promise<void> {
  const query = `?kind=${kind}`
  const path = reader.synchronizationPath(id, `/preview${query}`)
  const answer = await (isThere ? reader.preview(id, query) : reader.get(path))
  if (isThere ? isSuccess(answer) : answer.status === 404) return
  const now = await reader.target.get(reader.synchronizationPath(id))
  const isSame = isTrue(now.json, kind === 'draft' ? 'mailingHasDraft' : 'mailingIsApproved') === isThere
  const expected = isThere ? `200 for kind=${kind}` : '404 for a version that is not there'
  must.be(!isSame, expected, `${answer.status}`, answer)
}

/** The ID of a synchronization whose mailing has exactly these versions. */
async function synchronizationWithVersions(reader: TargetReader, draft: boolean, approved: boolean) {
  const { items } = await reader.synchronizations()
  const known = await reader.chosenSynchronizations()
  const hasVersions = (it: unknown) =>
    String(memberAt(it, 'mailingHasDraft')) === String(draft) &&
    String(memberAt(it, 'mailingIsApproved')) === String(approved)
  return items
    .filter(hasVersions)
    .map(it => String(memberAt(it, 'id')))
    .find(id => known.includes(id))
}

/** The links of mailings, synchronizations and sendings that a person opens. */
const pageLinks = (reader: TargetReader) =>
  (['mailing item', 'synchronization', 'sending'] as const)
    .flatMap(kind => reader.observed.of(kind))
    .flatMap(({ value, from }) =>
      relationsTo('page').flatMap(relation => {
        const href = hrefOf(value, relation)
        return href === undefined ? [] : [{ href, from }]
      }),
    )

const isForBrowser = (href: string) => /^https?:\/\//.test(href) && URL.canParse(href)
