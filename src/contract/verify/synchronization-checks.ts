import { type ClauseEntry, follows, outside, reading, writing } from './check.ts'
import { byIdCheck, isCollectionOf, judgeStaleCursor } from './collection-checks.ts'
import {
  describeValue,
  type Exchange,
  hrefOf,
  isId,
  isObject,
  isRefused,
  isSuccess,
  linkOf,
  memberAt,
  textAt,
} from './exchange.ts'
import { misledSelfLinks } from './link-checks.ts'
import {
  differs,
  expectRefused,
  expectStatus,
  expectSuccess,
  type Outcome,
  observed,
  passed,
  sameAs,
  untestable,
} from './outcome.ts'
import { entriesOf, type ObservedResource, type TargetReader, unknownId } from './target-reader.ts'
import type { OwnSynchronization, TestData } from './test-data.ts'

/** Sections 4.5 to 4.11, as far as they read: synchronizations and what belongs to them. */
export const readSynchronizationChecks: readonly ClauseEntry[] = [
  reading('4.5', 'GET on synchronizations', async reader => {
    for (const id of await reader.chosenSynchronizations()) {
      const { exchange } = await reader.synchronization(id)
      if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    }
    return passed()
  }),
  byIdCheck('4.5 id', 'synchronization', async reader => ({
    ids: await reader.chosenSynchronizations(),
    path: id => reader.synchronizationPath(id),
  })),
  reading('4.6', 'GET on the mailing-synchronizations', async reader => {
    const { exchange } = await reader.synchronizations()
    return expectStatus(exchange, 200)
  }),
  reading('4.7', 'GET on previews', async reader => {
    for (const id of (await reader.chosenSynchronizations()).slice(0, 5)) {
      const answer = await reader.preview(id)
      if (!isSuccess(answer)) return differs('200', `${answer.status}`, answer)
      if (!isObject(answer.json)) return differs('a preview', describeValue(answer.text), answer)
    }
    return passed()
  }),
  unknownSynchronizationCheck('4.7 id', '/preview'),
  reading('4.7 kind', 'a preview without kind, and one with kind=latest', async reader => {
    const [id] = await reader.chosenSynchronizations()
    const [usual, latest] = [await reader.preview(id!), await reader.preview(id!, '?kind=latest')]
    if (!isSuccess(latest)) return differs('200', `${latest.status}`, latest)
    const [one, other] = [usual, latest].map(it => describeValue(memberAt(it.json, 'subject')))
    return one === other ? passed() : differs(`the latest, with subject ${other}`, one!, usual, latest)
  }),
  reading('4.7 testProfileId', 'previews with a test profile', async reader => {
    let seen = 0
    for (const id of (await reader.chosenSynchronizations()).slice(0, 8)) {
      const { items } = await reader.profiles(id)
      const profile = memberAt(items[0], 'id')
      if (!isId(profile)) continue
      seen++
      const personal = await reader.preview(id, `?testProfileId=${profile}`)
      if (!isSuccess(personal)) return differs('200', `${personal.status}`, personal)
      if (personal.digest !== (await reader.preview(id)).digest) return passed()
    }
    return seen === 0
      ? untestable('there is no test profile')
      : untestable('no preview here changes with its test profile')
  }),
  ...(['test-profiles', 'test-mail-groups'] as const).flatMap((name, at) => {
    const section = `4.${8 + at}`
    const listing = name === 'test-profiles' ? 'profiles' : 'groups'
    return [
      reading(section, `GET on the ${name}`, async reader => {
        const [id] = await reader.chosenSynchronizations()
        const { exchange } = await reader[listing](id!)
        if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
        return isCollectionOf(exchange, name)
      }),
      unknownSynchronizationCheck(`${section} id`, `/${name}`),
      reading(`${section} spelling`, `${name} below mailing-sychronizations`, async reader => {
        const [id] = await reader.chosenSynchronizations()
        const answer = await reader.get(reader.integration(`/mailing-sychronizations/${id}/${name}`))
        return expectSuccess(answer, '200')
      }),
    ]
  }),
  reading('4.11', 'GET on mailing-uploads', async reader => {
    const [one] = uploadsOf(reader)
    if (!one) return untestable('nothing has been uploaded yet')
    const answer = await reader.upload(one.synchronization!, String(memberAt(one.value, 'id')))
    return expectStatus(answer, 200)
  }),
  reading('4.11 syncId', 'a mailing-upload asked for under another synchronization', async reader => {
    const [one] = uploadsOf(reader)
    const other = (await reader.chosenSynchronizations()).find(id => id !== one?.synchronization)
    if (!one || other === undefined) return untestable('nothing has been uploaded yet')
    const id = String(memberAt(one.value, 'id'))
    const answer = await reader.get(reader.path('getMailingUpload', { syncId: other, id }))
    return expectRefused(answer)
  }),
  byIdCheck('4.11 id', 'mailing-upload', async reader => {
    const [one] = uploadsOf(reader)
    const [some] = await reader.chosenSynchronizations()
    const synchronization = one?.synchronization ?? some!
    const ids = one ? [String(memberAt(one.value, 'id'))] : []
    return { ids, path: id => reader.path('getMailingUpload', { syncId: synchronization, id }) }
  }),
  reading('4.11 latest', 'the mailing-upload latest', async reader => {
    const latest = reader.observed.of('mailing-upload').filter(it => it.from.url.endsWith('/latest'))
    const all = reader.observed.of('synchronization').filter(it => !it.isItem)
    for (const { value, from, synchronization } of latest) {
      const of = all.find(it => textAt(it.value, 'id') === synchronization && it.from.number < from.number)
      const date = textAt(of?.value, 'mailingUploadsModificationDate')
      const told = textAt(value, 'modificationDate')
      if (of && date !== undefined && told !== undefined && Date.parse(told) < Date.parse(date))
        return differs(`the one that changed last, at ${date}`, `one that changed at ${told}`, of.from, from)
    }
    const wanting = all.find(
      it =>
        textAt(it.value, 'id') !== undefined &&
        textAt(it.value, 'mailingUploadsModificationDate') !== undefined &&
        !latest.some(({ synchronization }) => synchronization === textAt(it.value, 'id')),
    )
    if (wanting) {
      const answer = await reader.upload(textAt(wanting.value, 'id')!, 'latest')
      return expectSuccess(answer, 'the latest mailing-upload')
    }
    return latest.length === 0 ? untestable('nothing has been uploaded yet') : passed()
  }),
  reading('S preview self', 'the self link of previews', async reader => {
    const all = reader.observed.of('preview')
    for (const { value, from } of all) {
      const href = linkOf(value, 'self')?.href ?? ''
      // 2.6 reports a link that is no template, 2 self one that leads elsewhere.
      if (!href.includes('{') || href.endsWith('/preview{?testProfileId,kind}')) continue
      if ((await misledSelfLinks(reader)).some(it => it.href === href)) return sameAs('2 self')
      return differs('…/preview{?testProfileId,kind}', href, from)
    }
    return all.length === 0 ? untestable('there is no preview here') : passed()
  }),
]

/** Mailing-uploads that can be asked for by their IDs. */
const uploadsOf = (reader: TargetReader): ObservedResource[] =>
  reader.observed
    .of('mailing-upload')
    .filter(it => it.synchronization !== undefined && textAt(it.value, 'id') !== undefined)

function unknownSynchronizationCheck(clause: string, rest: string) {
  return reading(clause, `${rest.slice(1)} of an unknown synchronization`, async reader => {
    const answer = await reader.get(reader.synchronizationPath(unknownId, rest))
    return expectRefused(answer)
  })
}

/** Beyond the document: creating synchronizations. */
export const createSynchronizationChecks: readonly ClauseEntry[] = [
  writing('S create synchronization', 'a synchronization without mailingId', async testData => {
    const { exchange, mailingId } = await testData.draftSynchronization()
    const { mailingHasDraft, mailingIsApproved } = exchange.json as Record<string, unknown>
    const isDraft = mailingHasDraft === true && mailingIsApproved === false
    const isTold = typeof mailingHasDraft === 'boolean' && typeof mailingIsApproved === 'boolean'
    if (mailingId === undefined || (isTold && !isDraft))
      return differs('a new mailing with only a draft', describeValue(exchange.json), exchange)
    return passed()
  }),
  refusedCreationCheck(
    'S create synchronization customer',
    'a synchronization for an unknown customer',
    async () => ({
      customer: 'there-is-no-such-customer',
    }),
  ),
  refusedCreationCheck(
    'S create synchronization listId',
    'a synchronization with a list that is not there',
    async () => ({
      listId: 999_999_999,
    }),
  ),
  writing('S create synchronization mailingName', 'the names of new mailings', async testData => {
    const { exchange } = await testData.draftSynchronization()
    const name = memberAt(exchange.json, 'mailingName')
    if (typeof name === 'string' && name !== testData.name)
      return differs(describeValue(testData.name), describeValue(name), exchange)
    const usual = await testData.synchronize({})
    const other = memberAt(usual.json, 'mailingName')
    if (!isSuccess(usual)) return differs('a synchronization without mailingName', `${usual.status}`, usual)
    return typeof other !== 'string' || other === 'New Mailing'
      ? passed()
      : differs('"New Mailing"', describeValue(other), usual)
  }),
  writing('S create synchronization mailingId', 'a synchronization with mailingId', async testData => {
    const { exchange } = await testData.readySynchronization()
    const asked = await testData.approvedMailingId()
    const told = memberAt(exchange.json, 'mailingId')
    return told === asked || typeof told !== 'string'
      ? passed()
      : differs(`mailingId ${asked}`, describeValue(told), exchange)
  }),
  writing('S create synchronization template', 'a synchronization with templateMailingId', async testData => {
    const templateMailingId = await testData.approvedMailingId()
    const answer = await testData.synchronize({ templateMailingId, mailingName: testData.name })
    if (!isSuccess(answer)) return differs('a synchronization', `${answer.status}`, answer)
    return memberAt(answer.json, 'mailingId') === templateMailingId
      ? differs('a copy of the mailing', 'the mailing itself', answer)
      : passed()
  }),
  refusedCreationCheck(
    'S create synchronization exclusive',
    'mailingId beside templateMailingId',
    async testData => {
      const mailingId = await testData.approvedMailingId()
      return { mailingId, templateMailingId: mailingId }
    },
  ),
  refusedCreationCheck('S create synchronization rules', 'a listId that is no number', async () => ({
    listId: 'first',
  })),
  writing(
    'S create synchronization synchronous',
    'a synchronization, read as soon as it is created',
    async testData => {
      const { id } = await testData.secondSynchronization()
      const read = await testData.reader.target.get(testData.reader.synchronizationPath(id))
      return expectSuccess(read, '200')
    },
  ),
  writing('S create synchronization status', 'status and Location of a synchronization', async testData => {
    const { exchange } = await testData.readySynchronization()
    const { status, headers } = exchange
    if (status === 201 && headers.location === undefined) return differs('a Location', 'none', exchange)
    if (status !== 201 && status !== 200) return differs('201', `${status}`, exchange)
    return observed(
      'created-synchronization-status',
      String(status),
      '201 with a Location',
      `${status}`,
      exchange,
    )
  }),
  writing('S create synchronization several', 'two synchronizations of one mailing', async testData => {
    const [one, other] = [await testData.readySynchronization(), await testData.secondSynchronization()]
    return one.id !== other.id ? passed() : differs('two synchronizations', `one, ${one.id}`, other.exchange)
  }),
  writing(
    'S synchronization final',
    'DELETE, PUT and PATCH on a synchronization of our own',
    async testData => {
      const { id } = await testData.secondSynchronization()
      const path = testData.reader.synchronizationPath(id)
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await testData.send(method, path, '{}')
        if (!isRefused(answer)) return differs(`a 4xx for ${method}`, `${answer.status}`, answer)
      }
      const read = await testData.reader.target.get(path)
      return expectSuccess(read, 'it is still there')
    },
  ),
]

function refusedCreationCheck(
  clause: string,
  looksAt: string,
  body: (testData: TestData) => Promise<object>,
): ClauseEntry {
  return writing(clause, looksAt, async testData => {
    const answer = await testData.synchronize(await body(testData))
    return expectRefused(answer)
  })
}

/** Beyond the document: listing synchronizations. */
export const listSynchronizationChecks: readonly ClauseEntry[] = [
  reading('S list synchronizations', 'the collection, and its entries alone', async reader => {
    const { exchange, items } = await reader.synchronizations()
    if (!isSuccess(exchange)) return untestable(`listing is answered ${exchange.status}, as 4.6 tells`)
    const shape = isCollectionOf(exchange, 'mailing-synchronizations')
    if (shape.is !== 'holds') return shape
    for (const id of (await reader.chosenSynchronizations()).slice(0, 3)) {
      const alone = await reader.synchronization(id)
      const item = items.find(it => String(memberAt(it, 'id')) === id)
      const names = ['mailingId', 'creationDate'] as const
      const other = names.find(
        name => describeValue(memberAt(item, name)) !== describeValue(memberAt(alone.value, name)),
      )
      if (other && isSuccess(alone.exchange))
        return differs(
          `${other} ${describeValue(memberAt(alone.value, other))}, as alone`,
          describeValue(memberAt(item, other)),
          exchange,
          alone.exchange,
        )
    }
    return passed()
  }),
  reading('S list synchronizations filters', 'synchronizations by mailing and by flags', checkFilters),
  reading('S list synchronizations sort', 'synchronizations with sortBy and order', async reader => {
    const path = reader.synchronizationsPath()
    for (const name of ['creationDate', 'modificationDate', 'mailingName'])
      for (const order of ['asc', 'desc']) {
        const answer = await reader.get(`${path}?sortBy=${name}&order=${order}`)
        if (!isSuccess(answer)) return differs('200', `${answer.status}`, answer)
        const all = entriesOf(answer.json, 'mailing-synchronizations').map(it => memberAt(it, name))
        // The document does not say how texts are compared (by code unit, by language).
        if (name === 'mailingName') continue
        const times = all.map(it => Date.parse(String(it)))
        const at = times.findIndex(
          (it, n) => n > 0 && (order === 'asc' ? it < times[n - 1]! : it > times[n - 1]!),
        )
        if (at >= 0)
          return differs(
            `${name} ${order}`,
            `${describeValue(all[at - 1])} before ${describeValue(all[at])}`,
            answer,
          )
      }
    return passed()
  }),
  reading('S list synchronizations pageSize', 'synchronizations with pageSize=1', async reader => {
    const answer = await reader.get(`${reader.synchronizationsPath()}?pageSize=1`)
    const { length } = entriesOf(answer.json, 'mailing-synchronizations')
    return isSuccess(answer) && length <= 1
      ? passed()
      : differs('a page of 1', `${answer.status}, ${length} entries`, answer)
  }),
  reading('S sorted modifications', 'sortBy with syncModifications', async reader => {
    const answer = await reader.get(
      `${reader.synchronizationsPath()}?syncModifications=true&sortBy=creationDate`,
    )
    if (answer.status === 422) return sameAs('S no 422')
    return expectStatus(answer, 400)
  }),
  reading('S incremental sync', 'synchronizations with syncModifications=true', async reader => {
    const { first, pages } = await readUpcoming(reader)
    if (!isSuccess(first)) return differs('200', `${first.status}`, first)
    const last = pages.at(-1)!
    return linkOf(last.json, 'upcoming-modifications')
      ? passed()
      : differs('a link upcoming-modifications on the last page', 'none', last)
  }),
  reading('S incremental sync pages', 'links of the pages of a full synchronization', async reader => {
    const { pages } = await readUpcoming(reader)
    const both = pages.find(({ json }) => linkOf(json, 'next') && linkOf(json, 'upcoming-modifications'))
    return both ? differs('next or upcoming-modifications', 'both', both) : passed()
  }),
  reading('S incremental sync token', 'the link upcoming-modifications, followed', async reader => {
    const { pages } = await readUpcoming(reader)
    const href = hrefOf(pages.at(-1)!.json, 'upcoming-modifications')
    if (href === undefined) return untestable('there is no such link, as S incremental sync tells')
    if (!/[?&]syncToken=./.test(href)) return differs('a syncToken', href, pages.at(-1))
    const answer = await reader.get(href)
    if (!isSuccess(answer)) return differs('200', `${answer.status}`, answer)
    const { length } = entriesOf(answer.json, 'mailing-synchronizations')
    const { items } = await reader.synchronizations()
    if (items.length > 3 && length >= items.length)
      return differs('what changed since', `all ${length} synchronizations`, answer)
    const isOver = linkOf(answer.json, 'next') ?? linkOf(answer.json, 'upcoming-modifications')
    return isOver ? passed() : differs('a new link upcoming-modifications', 'none', answer)
  }),
  reading('S sync token', 'a made-up syncToken', async reader => {
    const answer = await reader.get(
      `${reader.synchronizationsPath()}?syncModifications=true&syncToken=made-up`,
    )
    return judgeStaleCursor(reader, answer)
  }),
  outside('S sync token expiry', 'it would take waiting longer than anybody waits for a verification'),
]

/** Reads a full synchronization to its end, or to the twentieth page. */
const readUpcoming = (reader: TargetReader): Promise<{ first: Exchange; pages: Exchange[] }> =>
  reader.once('upcoming', async () => {
    const first = await reader.get(`${reader.synchronizationsPath()}?syncModifications=true`)
    const pages = [first]
    for (let next = hrefOf(first.json, 'next'); next !== undefined && pages.length < 20; ) {
      const page = await reader.get(next)
      pages.push(page)
      next = hrefOf(page.json, 'next')
    }
    return { first, pages }
  })

async function checkFilters(reader: TargetReader): Promise<Outcome> {
  const { items, next } = await reader.synchronizations()
  const mailing = textAt(items[0], 'mailingId')
  // A flag in another form, or one that 3/3 reports, says nothing about its filter.
  const isUsable = (flag: string) =>
    items.every(it => typeof memberAt(it, flag) === 'boolean') &&
    (flag !== 'readyForSending' ||
      items.every(it => memberAt(it, flag) === false || memberAt(it, 'mailingIsApproved') !== false))
  const flags = ['readyForSending', 'mailingHasDraft', 'mailingIsApproved'].filter(isUsable)
  const asked: [string, (it: unknown) => boolean][] = flags.flatMap(flag =>
    ['true', 'false'].map((value): [string, (it: unknown) => boolean] => [
      `${flag}=${value}`,
      it => String(memberAt(it, flag)) === value,
    ]),
  )
  if (mailing !== undefined)
    asked.push([`mailingId=${mailing},${unknownId}`, it => memberAt(it, 'mailingId') === mailing])
  for (const [query, isWanted] of asked) {
    const answer = await reader.get(`${reader.synchronizationsPath()}?${query}`)
    if (!isSuccess(answer)) return differs(`200 for ${query}`, `${answer.status}`, answer)
    const found = entriesOf(answer.json, 'mailing-synchronizations')
    const other = found.find(it => !isWanted(it))
    if (other !== undefined)
      return differs(`only ${query}`, `synchronization ${describeValue(memberAt(other, 'id'))}`, answer)
    const ids = found.map(it => memberAt(it, 'id'))
    const missing = items.find(
      it => isWanted(it) && textAt(it, 'id') !== undefined && !ids.includes(textAt(it, 'id')),
    )
    if (missing !== undefined && next === undefined)
      return differs(`all with ${query}`, `not synchronization ${memberAt(missing, 'id')}`, answer)
  }
  return items.length === 0 ? untestable('there is no mailing synchronization') : passed()
}

/** Section 4.10: creating a mailing-upload. */
export const createUploadChecks: readonly ClauseEntry[] = [
  writing('4.10', 'POST on the mailing-uploads', async (testData, reader) => {
    const own = await testData.readySynchronization()
    const first = await postUpload(testData, own)
    if (first.status !== 200) return differs('200', `${first.status}`, first)
    const id = textAt(first.json, 'id')
    // An answer without an ID is reported by 2.4.
    if (id === undefined) return passed()
    const read = await reader.target.get(reader.path('getMailingUpload', { syncId: own.id, id }))
    return isSuccess(read)
      ? passed()
      : differs(`mailing-upload ${id}`, `${read.status} when read`, first, read)
  }),
  writing(
    '4.10 id',
    'POST on the mailing-uploads of an unknown synchronization',
    async (testData, reader) => {
      const answer = await testData.post(reader.path('createMailingUpload', { syncId: unknownId }), {})
      return expectRefused(answer)
    },
  ),
  follows('4.10 body', '4.10'),
  outside('4.10 effect', 'what arrives on the platform shows in no answer'),
  writing('S upload version', 'a mailing-upload of a mailing with only a draft', async testData => {
    const answer = await postUpload(testData, await testData.draftSynchronization())
    return expectSuccess(answer, '200, without approval')
  }),
]

/** Creates a mailing-upload. */
export async function postUpload(testData: TestData, own: OwnSynchronization): Promise<Exchange> {
  const answer = await testData.post(testData.reader.path('createMailingUpload', { syncId: own.id }), {})
  if (isSuccess(answer)) {
    testData.created.add(
      `mailing-upload ${textAt(answer.json, 'id') ?? 'without ID'} of mailing synchronization ${own.id}`,
    )
    testData.reader.noteResource('mailing-upload', answer, own.id)
  }
  return answer
}
