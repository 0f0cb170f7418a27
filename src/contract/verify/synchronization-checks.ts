import { misspeltSynchronizationsPath } from '../../service/operation.ts'
import { fillPath } from '../../service/operations.ts'
import { type Check, type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import {
  byIdCheck,
  judgeStaleCursor,
  mustBeCollection,
  mustBePage,
  unknownCheck,
} from './collection-checks.ts'
import { type Exchange, isSuccess } from './exchange.ts'
import { misledSelfLinks } from './link-checks.ts'
import {
  CannotCheck,
  compareEach,
  differs,
  holds,
  must,
  need,
  nothingAsked,
  type Outcome,
  observe,
  sameAs,
  untestable,
} from './outcome.ts'
import type { OperationId } from './paths.ts'
import { entriesOf, idOf, type TargetReader, unknownId } from './target-reader.ts'
import { describeValue, hrefOf, isId, isObject, linkOf, memberAt, textAt } from './unknown-json.ts'

const noMailingId = 'the synchronization has no mailingId, as 2.2 tells'
const nothingUploaded = 'nothing has been uploaded yet'

/** Sections 4.5 to 4.11: synchronizations and what belongs to them. */
export const synchronizationChecks: readonly ClauseEntry[] = [
  reading('4.5', 'GET on synchronizations', async reader => {
    return compareEach(await reader.chosenSynchronizations(), nothingAsked, async id =>
      must.haveStatus(await reader.synchronization(id), 200),
    )
  }),
  byIdCheck('4.5 id', 'synchronization', async reader => ({
    ids: await reader.chosenSynchronizations(),
    path: id => reader.synchronizationPath(id),
  })),
  reading('4.6', 'GET on the mailing-synchronizations', async reader =>
    must.haveStatus((await reader.synchronizations()).exchange, 200),
  ),
  reading('4.7', 'GET on previews', async reader => {
    return compareEach((await reader.chosenSynchronizations()).slice(0, 5), nothingAsked, async id => {
      const answer = await reader.preview(id)
      must.succeed(answer)
      return must.be(isObject(answer.json), 'a preview', describeValue(answer.text), answer)
    })
  }),
  unknownCheck('4.7 id', 'preview of an unknown synchronization', 'getPreview'),
  reading('4.7 kind', 'a preview without kind, and one with kind=latest', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const latest = await reader.preview(id, '?kind=latest')
    // Read again: it may have been edited during the run.
    const usual = await reader.target.get(reader.path('getPreview', { syncId: id }))
    must.succeed(latest)
    return must.agree(latest, usual, 'subject')
  }),
  reading('4.7 testProfileId', 'previews with a test profile', async reader => {
    let seen = 0
    for (const id of (await reader.chosenSynchronizations()).slice(0, 8)) {
      const { items } = await reader.profiles(id)
      const profile = memberAt(items[0], 'id')
      if (!isId(profile)) continue
      seen++
      const personal = await reader.preview(id, `?testProfileId=${profile}`)
      must.succeed(personal)
      if (personal.digest !== (await reader.preview(id)).digest) return holds
    }
    const reason = seen === 0 ? 'there is no test profile' : 'no preview here changes with its test profile'
    return untestable(reason)
  }),
  ...testRecipientChecks('4.8', 'test-profiles', 'listTestProfiles'),
  ...testRecipientChecks('4.9', 'test-mail-groups', 'listTestMailGroups'),
  reading('4.11', 'GET on mailing-uploads', async reader => {
    const [one] = need.some(reader.observed.addressable('mailing-upload'), nothingUploaded)
    return must.haveStatus(await reader.upload(one.synchronization, idOf(one)), 200)
  }),
  unknownCheck(
    '4.11 syncId',
    'a mailing-upload below an unknown synchronization',
    'getMailingUpload',
    'mailing-upload',
  ),
  byIdCheck('4.11 id', 'mailing-upload', async reader => {
    const [one] = reader.observed.addressable('mailing-upload')
    const [some] = await reader.chosenSynchronizations()
    const syncId = one?.synchronization ?? some
    return { ids: one ? [idOf(one)] : [], path: id => reader.path('getMailingUpload', { syncId, id }) }
  }),
  reading('4.11 latest', 'the mailing-upload latest', async (reader, testData) => {
    const latest = reader.observed.of('mailing-upload').filter(it => it.from.url.endsWith('/latest'))
    const all = reader.observed.of('synchronization').filter(it => !it.isItem)
    const dated = await compareEach(latest, nothingUploaded, ({ value, from, synchronization }) => {
      const of = all.find(it => textAt(it.value, 'id') === synchronization && it.from.number < from.number)
      const date = textAt(of?.value, 'mailingUploadsModificationDate')
      const told = textAt(value, 'modificationDate')
      if (!of || date === undefined || told === undefined) return undefined
      // One date may be set some time after the other, when everything is set up.
      const isLast = Date.parse(told) + 60_000 >= Date.parse(date)
      const expected = `the one that changed last, at ${date}`
      return must.be(isLast, expected, `one that changed at ${told}`, of.from, from)
    })
    const wanting = all
      .filter(it => textAt(it.value, 'mailingUploadsModificationDate') !== undefined)
      .map(it => textAt(it.value, 'id'))
      .find(id => id !== undefined && !latest.some(({ synchronization }) => synchronization === id))
    if (wanting !== undefined)
      must.succeed(await reader.upload(wanting, 'latest'), 'the latest mailing-upload')
    if (!testData) return dated
    const { own, other } = await testData.twoUploads()
    need.success(other, 'uploading')
    const read = (id: string) => reader.target.get(reader.path('getMailingUpload', { syncId: own.id, id }))
    const both = [await read(textAt(other.json, 'id') ?? 'latest'), await read('latest')]
    const [date, told] = both.map(it => textAt(it.json, 'modificationDate') ?? '')
    const isLatest = isSuccess(both[1]!) && !(Date.parse(told!) < Date.parse(date!))
    const expected = `the one that changed last, at ${date}`
    return must.be(isLatest, expected, `${both[1]!.status}, one that changed at ${told}`, ...both)
  }),
  reading('S preview self', 'the self link of previews', async reader => {
    const nothing = 'no preview here has a templated self link'
    return compareEach(reader.observed.of('preview'), nothing, async ({ value, from }) => {
      const href = hrefOf(value, 'self') ?? ''
      // 2.6 reports a link that is no template, 2 self one that leads elsewhere.
      if (!href.includes('{')) return undefined
      if (href.endsWith('/preview{?testProfileId,kind}')) return holds
      if ((await misledSelfLinks(reader)).some(it => it.href === href)) return sameAs('2 self')
      return differs('…/preview{?testProfileId,kind}', href, from)
    })
  }),

  writing('4.10', 'POST on the mailing-uploads', async (testData, reader) => {
    const own = await testData.readySynchronization()
    const first = await testData.upload(own)
    must.haveStatus(first, 200)
    const id = textAt(first.json, 'id')
    // A response without an ID is reported by 2.4.
    if (id === undefined) return holds
    const read = await reader.target.get(reader.path('getMailingUpload', { syncId: own.id, id }))
    return must.be(isSuccess(read), `mailing-upload ${id}`, `${read.status} when read`, first, read)
  }),
  writing('4.10 id', 'POST on the mailing-uploads of an unknown synchronization', async (testData, reader) =>
    must.beRefused(await testData.post(reader.path('createMailingUpload', { syncId: unknownId }), {})),
  ),
  follows('4.10 body', '4.10'),
  ...['4.10 effect', 'S upload unsent'].map(clause =>
    outside(clause, 'what arrives on the platform shows in no response'),
  ),
  writing('S upload version', 'a mailing-upload of a mailing with only a draft', async testData =>
    must.succeed(await testData.upload(await testData.draftSynchronization()), '200, without approval'),
  ),
]

function testRecipientChecks(section: string, name: string, operation: OperationId): Check[] {
  return [
    reading(section, `GET on the ${name}`, async reader => {
      const [syncId] = await reader.chosenSynchronizations()
      const { exchange } = await reader.list(operation, { syncId })
      must.haveStatus(exchange, 200)
      return mustBeCollection(exchange, name)
    }),
    unknownCheck(`${section} id`, `${name} of an unknown synchronization`, operation),
    reading(`${section} spelling`, `${name} below mailing-sychronizations`, async reader => {
      const [id] = await reader.chosenSynchronizations()
      const path = fillPath(misspeltSynchronizationsPath, { platform: reader.segment })
      return must.succeed(await reader.get(`${path}/${id}/${name}`))
    }),
  ]
}

/** Beyond the document: creating and listing synchronizations. */
export const synchronizationOperationChecks: readonly ClauseEntry[] = [
  writing('S create synchronization', 'a synchronization without mailingId', async testData => {
    const { exchange, mailingId } = await testData.draftSynchronization()
    const { mailingHasDraft, mailingIsApproved } = exchange.json as Record<string, unknown>
    const isDraft = mailingHasDraft === true && mailingIsApproved === false
    const isTold = typeof mailingHasDraft === 'boolean' && typeof mailingIsApproved === 'boolean'
    const isRight = mailingId !== undefined && (!isTold || isDraft)
    must.be(isRight, 'a new mailing with only a draft', describeValue(exchange.json), exchange)
    const { customer, listId } = await testData.place()
    for (const [name, asked] of Object.entries({ customer, listId })) {
      const told = memberAt(exchange.json, `target.${name}`)
      must.be(told === asked || typeof told !== typeof asked, `${name} ${asked}`, `${told}`, exchange)
    }
    return holds
  }),
  refusedCreationCheck('customer', 'a synchronization for an unknown customer', {
    customer: 'there-is-no-such-customer',
  }),
  refusedCreationCheck('listId', 'a synchronization with a list that is not there', { listId: 999_999_999 }),
  writing('S create synchronization mailingName', 'the names of new mailings', async testData => {
    const { exchange } = await testData.draftSynchronization()
    const usual = await testData.synchronize({})
    must.succeed(usual, 'a synchronization without mailingName')
    const made: [Exchange, string][] = [
      [exchange, testData.name],
      [usual, 'New Mailing'],
    ]
    return compareEach(made, 'no response has a mailingName, as 2.2 tells', ([answer, expected]) => {
      const name = textAt(answer.json, 'mailingName')
      if (name === undefined) return undefined
      return must.be(name === expected, describeValue(expected), describeValue(name), answer)
    })
  }),
  writing('S create synchronization mailingId', 'a synchronization with mailingId', async testData => {
    const { exchange } = await testData.readySynchronization()
    const asked = await testData.approvedMailingId()
    const told = need.value(textAt(exchange.json, 'mailingId'), noMailingId)
    return must.be(told === asked, `mailingId ${asked}`, describeValue(told), exchange)
  }),
  writing('S create synchronization template', 'a synchronization with templateMailingId', async testData => {
    const templateMailingId = await testData.approvedMailingId()
    const answer = await testData.synchronize({ templateMailingId, mailingName: testData.name })
    must.succeed(answer, 'a synchronization')
    const told = need.value(textAt(answer.json, 'mailingId'), noMailingId)
    return must.be(told !== templateMailingId, 'a copy of the mailing', 'the mailing itself', answer)
  }),
  writing('S create synchronization exclusive', 'mailingId beside templateMailingId', async testData => {
    const mailingId = await testData.approvedMailingId()
    return must.beRefused(await testData.synchronize({ mailingId, templateMailingId: mailingId }))
  }),
  refusedCreationCheck('rules', 'a listId that is no number', { listId: 'first' }),
  writing(
    'S create synchronization synchronous',
    'a synchronization, read as soon as it is created',
    async (testData, reader) => {
      const { id } = await testData.secondSynchronization()
      return must.succeed(await reader.target.get(reader.synchronizationPath(id)))
    },
  ),
  writing('S create synchronization status', 'status and Location of a synchronization', async testData => {
    const { exchange } = await testData.readySynchronization()
    const { status, headers } = exchange
    must.be(status !== 201 || headers.location !== undefined, 'a Location', 'none', exchange)
    must.be(status === 201 || status === 200, '201', `${status}`, exchange)
    const dial = 'created-synchronization-status'
    return observe(dial, `${status}`, '201 with a Location', `${status}`, exchange)
  }),
  writing('S create synchronization several', 'two synchronizations of one mailing', async testData => {
    const [one, other] = [await testData.readySynchronization(), await testData.secondSynchronization()]
    return must.be(one.id !== other.id, 'two synchronizations', `one, ${one.id}`, other.exchange)
  }),
  writing(
    'S synchronization final',
    'DELETE, PUT and PATCH on a synchronization of our own',
    async (testData, reader) => {
      const { id } = await testData.secondSynchronization()
      const path = reader.synchronizationPath(id)
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        must.beRefused(await testData.send(method, path, '{}'), `a 4xx for ${method}`)
      return must.succeed(await reader.target.get(path), 'it is still there')
    },
  ),

  reading('S list synchronizations', 'the collection, and its entries alone', async reader => {
    const { exchange, items } = await reader.synchronizations()
    if (!isSuccess(exchange)) return untestable(`listing is answered ${exchange.status}, as 4.6 tells`)
    mustBeCollection(exchange, 'mailing-synchronizations')
    const chosen = (await reader.chosenSynchronizations()).slice(0, 3)
    return compareEach(chosen, 'no synchronization could be read alone', async id => {
      const alone = await reader.synchronization(id)
      if (!isSuccess(alone)) return undefined
      const item = items.find(it => String(memberAt(it, 'id')) === id)
      for (const name of ['mailingId', 'creationDate']) {
        const [told, listed] = [alone.json, item].map(it => describeValue(memberAt(it, name)))
        must.be(told === listed, `${name} ${told}, as alone`, listed!, exchange, alone)
      }
      return holds
    })
  }),
  reading('S list synchronizations filters', 'synchronizations by mailing and by flags that hold', reader =>
    checkFilters(reader, 'true'),
  ),
  reading('S list synchronizations false', 'synchronizations by flags that do not hold', reader =>
    checkFilters(reader, 'false'),
  ),
  reading('S list synchronizations sort', 'synchronizations with sortBy and order', async reader => {
    const path = reader.synchronizationsPath()
    const orders = ['creationDate', 'modificationDate', 'mailingName'].flatMap(name =>
      ['asc', 'desc'].map(order => ({ name, order })),
    )
    const nothing = 'there are no two synchronizations of different dates'
    return compareEach(orders, nothing, async ({ name, order }) => {
      const answer = await reader.get(`${path}?sortBy=${name}&order=${order}`)
      must.succeed(answer)
      const all = entriesIn(answer).map(it => memberAt(it, name))
      const times = all.map(it => Date.parse(String(it)))
      // The document does not say how texts are compared (by code unit, by language).
      if (name === 'mailingName' || new Set(times.filter(Number.isFinite)).size < 2) return undefined
      const isOrdered = (it: number, n: number) =>
        n === 0 || !(order === 'asc' ? it < times[n - 1]! : it > times[n - 1]!)
      const at = times.findIndex((it, n) => !isOrdered(it, n))
      const seen = `${describeValue(all[at - 1])} before ${describeValue(all[at])}`
      return must.be(at < 0, `${name} ${order}`, seen, answer)
    })
  }),
  reading('S list synchronizations pageSize', 'synchronizations with pageSize=1', async reader => {
    const answer = await reader.get(`${reader.synchronizationsPath()}?pageSize=1`)
    const compared = mustBePage(answer, entriesIn(answer).length)
    const { items } = await reader.synchronizations()
    return items.length > 1 ? compared : untestable('there are no two synchronizations')
  }),
  reading('S sorted modifications', 'sortBy with syncModifications', async reader => {
    const query = '?syncModifications=true&sortBy=creationDate'
    const answer = await reader.get(reader.synchronizationsPath() + query)
    if (answer.status === 422) return sameAs('S no 422')
    return must.haveStatus(answer, 400)
  }),
  reading('S incremental sync', 'synchronizations with syncModifications=true', async reader => {
    const { first, last } = await readUpcoming(reader)
    must.succeed(first)
    const isThere = linkOf(last.json, 'upcoming-modifications') !== undefined
    return must.be(isThere, 'a link upcoming-modifications on the last page', 'none', last)
  }),
  reading('S incremental sync pages', 'links of the pages of a full synchronization', async reader => {
    const { pages } = await readUpcoming(reader)
    return compareEach(pages.filter(isSuccess), 'there is no page, as S incremental sync tells', page => {
      const isBoth = linkOf(page.json, 'next') && linkOf(page.json, 'upcoming-modifications')
      return must.be(!isBoth, 'next or upcoming-modifications', 'both', page)
    })
  }),
  reading('S incremental sync token', 'the link upcoming-modifications, followed', async reader => {
    const { last } = await readUpcoming(reader)
    const link = hrefOf(last.json, 'upcoming-modifications')
    const href = need.value(link, 'there is no such link, as S incremental sync tells')
    must.be(/[?&]syncToken=./.test(href), 'a syncToken', href, last)
    const answer = await reader.get(href)
    must.succeed(answer)
    const { length } = entriesIn(answer)
    const { items } = await reader.synchronizations()
    const isLess = items.length <= 3 || length < items.length
    must.be(isLess, 'what changed since', `all ${length} synchronizations`, answer)
    const further = linkOf(answer.json, 'next') ?? linkOf(answer.json, 'upcoming-modifications')
    return must.be(further !== undefined, 'a new link upcoming-modifications', 'none', answer)
  }),
  reading('S sync token', 'a made-up syncToken', async reader => {
    const query = '?syncModifications=true&syncToken=made-up'
    return judgeStaleCursor(reader, await reader.get(reader.synchronizationsPath() + query))
  }),
  writing('S incremental rounds', 'the round after a sending', async (testData, reader) => {
    const own = await testData.readySynchronization()
    const href = await upcomingOf(reader)
    const made = await testData.create({ transactionId: testData.transactionId() }, { own })
    need.success(made, 'creating a sending')
    const { round, entries } = await readRound(reader, href)
    const isIn = entries.some(it => memberAt(it, 'id') === own.id)
    const [value, seen] = isIn ? ['everything', 'it is there'] : ['mailing', 'it is not there']
    return observe('incremental-rounds', value!, 'not the one of the sending', seen!, made, round)
  }),
  writing(
    'S sync token filters',
    'a round of one mailing after another was made',
    async (testData, reader) => {
      const { mailingId } = await testData.readySynchronization()
      const href = await upcomingOf(reader, `&mailingId=${mailingId}`)
      const made = await testData.synchronize({})
      need.success(made, 'creating a synchronization')
      const { round, entries } = await readRound(reader, href)
      const other = entries.find(it => memberAt(it, 'mailingId') !== mailingId)
      const seen = `synchronization ${describeValue(memberAt(other, 'id'))} of another`
      return must.be(other === undefined, `only mailing ${mailingId}`, seen, made, round)
    },
  ),
  outside('S sync token expiry', 'it would take waiting longer than anybody waits for a verification'),
]

/** @param what the clause is about, the last word of its ID */
function refusedCreationCheck(what: string, looksAt: string, body: object): Check {
  return writing(`S create synchronization ${what}`, looksAt, async testData =>
    must.beRefused(await testData.synchronize(body)),
  )
}

const entriesIn = ({ json }: Exchange) => entriesOf(json, 'mailing-synchronizations')

/** Reads a full synchronization to its end, or to the twentieth page. */
const readUpcoming = (reader: TargetReader) =>
  reader.once('upcoming', async () => {
    const pages = await readPages(reader, `${reader.synchronizationsPath()}?syncModifications=true`)
    return { first: pages[0]!, last: pages.at(-1)!, pages }
  })

async function readPages(reader: TargetReader, address: string): Promise<Exchange[]> {
  const pages: Exchange[] = []
  for (let next: string | undefined = address; next !== undefined && pages.length < 20; ) {
    // Not one that was read before: what changed since is asked for.
    const page: Exchange = await reader.target.get(next)
    pages.push(page)
    next = hrefOf(page.json, 'next')
  }
  return pages
}

/** The link to the round after one that ends now. @throws CannotCheck without it */
async function upcomingOf(reader: TargetReader, filter = ''): Promise<string> {
  const pages = await readPages(reader, `${reader.synchronizationsPath()}?syncModifications=true${filter}`)
  const link = hrefOf(pages.at(-1)!.json, 'upcoming-modifications')
  return need.value(link, 'there is no link to the next round, as S incremental sync tells')
}

/** What changed since. @throws CannotCheck if it is not told, or everything is, which S incremental sync token reports */
async function readRound(reader: TargetReader, href: string) {
  const pages = await readPages(reader, href)
  const entries = pages.flatMap(entriesIn)
  const { items } = await reader.synchronizations()
  const isAll = items.length > 3 && entries.length >= items.length
  if (!isSuccess(pages[0]!) || isAll) throw new CannotCheck(sameAs('S incremental sync token'))
  return { round: pages[0]!, entries }
}

/** Checks the filters by flags of this value; with `true` also the one by mailings. */
async function checkFilters(reader: TargetReader, value: 'true' | 'false'): Promise<Outcome> {
  const { items, next } = await reader.synchronizations()
  need.some(items, 'there is no mailing synchronization')
  const mailing = textAt(items[0], 'mailingId')
  // A flag in another form, or one that 3/3 reports, says nothing about its filter.
  const isUsable = (flag: string) =>
    items.every(it => typeof memberAt(it, flag) === 'boolean') &&
    (flag !== 'readyForSending' ||
      items.every(it => memberAt(it, flag) === false || memberAt(it, 'mailingIsApproved') !== false))
  const flags = ['readyForSending', 'mailingHasDraft', 'mailingIsApproved'].filter(isUsable)
  const asked = new Map<string, (it: unknown) => boolean>()
  for (const flag of flags) asked.set(`${flag}=${value}`, it => String(memberAt(it, flag)) === value)
  if (mailing !== undefined && value === 'true')
    asked.set(`mailingId=${mailing},${unknownId}`, it => memberAt(it, 'mailingId') === mailing)
  return compareEach(
    asked,
    'no synchronization shows a flag that can be filtered by',
    async ([query, isWanted]) => {
      const answer = await reader.get(`${reader.synchronizationsPath()}?${query}`)
      must.succeed(answer, `200 for ${query}`)
      const found = entriesIn(answer)
      const other = found.find(it => !isWanted(it))
      const seen = `synchronization ${describeValue(memberAt(other, 'id'))}`
      must.be(other === undefined, `only ${query}`, seen, answer)
      const ids = found.map(it => memberAt(it, 'id'))
      const isMissing = (id: string | undefined) => id !== undefined && !ids.includes(id)
      const missing = items.find(it => isWanted(it) && isMissing(textAt(it, 'id')))
      if (missing === undefined || next !== undefined) return holds
      const now = await reader.target.get(reader.synchronizationPath(String(memberAt(missing, 'id'))))
      // Unless it changed during the run.
      const isSame = isWanted(now.json) || !isSuccess(now)
      const lost = `not synchronization ${memberAt(missing, 'id')}`
      return must.be(!isSame, `all with ${query}`, lost, answer)
    },
  )
}
