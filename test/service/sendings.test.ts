import { describe, expect, it } from 'vitest'
import { sendingId, synchronizationId } from '../../src/contract/examples/fixture-ids.ts'
import { halType, ids, now, startMock, synchronizationPath } from '../mock.ts'

const sendings = (id: string, rest = '') => synchronizationPath(id, `/sendings${rest}`)

describe('creating a sending', () => {
  it('4.1, 4.1/4, 7 201: with a transaction ID and everything set up, it answers 201 with Location and the sending', async () => {
    const demo = (await startMock()).as('demo')
    const created = await demo.post(sendings(ids.ready), { transactionId: 'a' })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(created.json._links.self.href)
    expect(created.json).toMatchObject({
      state: 'CREATED',
      transactionId: 'a',
      mailingSynchronizationId: ids.ready,
    })
    const read = await demo.get(created.headers.get('location')!)
    expect(read.status).toBe(200)
    expect(read.json.id).toBe(created.json.id)
  })

  it('4.1: an empty JSON object is a valid body', async () => {
    const demo = (await startMock()).as('demo')
    expect((await demo.post(sendings(ids.ready), {})).status).toBe(201)
  })

  it('4.1/1, 4.1/2: it makes a platform mailing of the approved version, approves it and sends it, all caused by this request', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').post(sendings(ids.both), { transactionId: 'a' })
    const { platformMailings, platformSendings, mailings, synchronizations } = mock.space().data.tables
    const made = platformMailings.get(json.target.mailingId)!
    const approved = mailings.get(synchronizations.get(ids.both)!.mailingId)!.approved!
    expect(made).toMatchObject({
      origin: 'sending',
      name: approved.name,
      subject: approved.subject,
      version: approved.number,
    })
    expect(made.approvedAt).toBe(now)
    const sent = platformSendings.get(json.target.sendingId)!
    expect(sent).toMatchObject({
      platformMailingId: made.id,
      startsAt: now,
      recipients: 12480,
      cause: made.cause,
    })
  })

  it('4.1 name, 4.1 subject: name and subject of the request become those of the platform mailing', async () => {
    const mock = await startMock()
    const { json } = await mock
      .as('demo')
      .post(sendings(ids.ready), { name: 'Own name', subject: 'Own subject' })
    const made = mock.space().data.tables.platformMailings.get(json.target.mailingId)
    expect(made).toMatchObject({ name: 'Own name', subject: 'Own subject' })
  })

  it('3/1, 4.1/3: without a transaction ID the state is CREATED and each request is a sending of its own', async () => {
    const mock = await startMock()
    const first = await mock.as('demo').post(sendings(ids.ready), {})
    const second = await mock.as('demo').post(sendings(ids.ready), {})
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.json).toMatchObject({ state: 'CREATED', transactionId: null })
    expect(second.json.id).not.toBe(first.json.id)
    expect(second.json.target.sendingId).not.toBe(first.json.target.sendingId)
  })

  it('2.3 mailingId: the answer names the editor mailing, reading the sending does not', async () => {
    const mock = await startMock()
    const created = await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })
    const { mailingId } = mock.space().data.tables.synchronizations.get(ids.ready)!
    expect(created.json.mailingId).toBe(mailingId)
    expect((await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })).json.mailingId).toBe(
      mailingId,
    )
    expect((await mock.as('demo').get(created.json._links.self.href)).json).not.toHaveProperty('mailingId')
  })

  it('2.2 sendingsModificationDate, S synchronization modificationDate: it is the time of the newest sending', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    expect((await demo.get(synchronizationPath(ids.ready))).json.sendingsModificationDate).toBeNull()
    mock.clock.advance(60_000)
    await demo.post(sendings(ids.ready), {})
    const { json } = await demo.get(synchronizationPath(ids.ready))
    expect(json.sendingsModificationDate).toBe('2026-11-01T10:01:00.000Z')
    // A date of its own: the synchronization itself is not modified.
    expect(json.modificationDate < json.sendingsModificationDate).toBe(true)
  })

  it('3/3, S 409: a mailing without approved version cannot be sent', async () => {
    const mock = await startMock()
    const { status, json } = await mock.as('demo').post(sendings(ids.draftOnly), { transactionId: 'a' })
    expect(status).toBe(409)
    expect(json.detail).toContain(ids.draftOnly)
    expect(mock.space().data.seq).toBe(0)
  })
})

it.each([
  ['sending', '/sendings'],
  ['mailing-upload', '/mailing-uploads'],
])('creating a %s keeps every other member in the row of its synchronization', async (_, path) => {
  const mock = await startMock()
  const { data } = mock.space()
  const row = { ...data.tables.synchronizations.get(ids.ready)!, memberOfLaterVersion: 'kept' }
  data.save({ synchronizations: [row] })
  expect((await mock.as('demo').post(synchronizationPath(ids.ready, path))).status).toBeLessThan(300)
  const after = data.tables.synchronizations.get(ids.ready)
  expect(after).not.toBe(row)
  expect(after).toMatchObject({ memberOfLaterVersion: 'kept' })
})

describe('repeating a transaction ID', () => {
  it('4.1/5, 7 200, 7 repeat: it answers 200 with the sending and its state', async () => {
    const mock = await startMock()
    const first = await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })
    const again = await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })
    expect(again.status).toBe(200)
    expect(again.headers.has('location')).toBe(false)
    expect(again.json).toEqual(first.json)
  })

  it('4.1/9: differing properties of the repeat are ignored', async () => {
    const mock = await startMock()
    const first = await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a', subject: 'One' })
    const again = await mock
      .as('demo')
      .post(sendings(ids.ready), { transactionId: 'a', subject: 'Two', name: 'New' })
    expect(again.json).toEqual(first.json)
    expect(mock.space().data.tables.platformMailings.get(first.json.target.mailingId)!.subject).toBe('One')
  })

  it('4.1 scheduleDate, 7/2: a past schedule date is refused, unless the transaction ID already has a sending', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const body = { transactionId: 'a', scheduleDate: '2026-11-01T11:00:00+01:00' }
    const refused = await demo.post(sendings(ids.ready), body)
    expect(refused.status).toBe(400)
    expect(refused.json.invalidFields).toEqual([
      { field: 'scheduleDate', problem: expect.stringContaining(now) },
    ])

    await demo.post(sendings(ids.ready), { ...body, scheduleDate: '2026-11-01T11:00:01+01:00' })
    mock.clock.advance(3_600_000)
    expect((await demo.post(sendings(ids.ready), body)).status).toBe(200)
  })

  it('4.1 transactionId: it is unique within the synchronization, not beyond it', async () => {
    const demo = (await startMock()).as('demo')
    const here = await demo.post(sendings(ids.ready), { transactionId: 'a' })
    const there = await demo.post(sendings(ids.both), { transactionId: 'a' })
    expect([here.status, there.status]).toEqual([201, 201])
    expect(there.json.id).not.toBe(here.json.id)
  })

  it('S transactionId expiry: it is never forgotten', async () => {
    const mock = await startMock()
    await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })
    mock.clock.advance(400 * 24 * 3_600_000)
    expect((await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })).status).toBe(200)
  })

  it('4.1/8: any number of simultaneous requests with one transaction ID make one sending', async () => {
    const mock = await startMock()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(199)
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    const { sendingsOfSynchronization } = mock.space().data.tables
    expect(sendingsOfSynchronization.count(ids.ready)).toBe(1)
  })

  it('4.1/6, 7/3, 7 4xx, 8 transactionId length, 8 transactionId characters: a malformed transaction ID is a client error that names it', async () => {
    const demo = (await startMock()).as('demo')
    for (const transactionId of ['', 'a'.repeat(101), 'a b', 'ä', 'a/b', 'a\n', 7, {}, ['a']]) {
      const { status, json } = await demo.post(sendings(ids.ready), { transactionId })
      expect(status, JSON.stringify(transactionId)).toBe(400)
      expect(json.invalidFields[0].field).toBe('transactionId')
    }
    for (const transactionId of ['a', 'a'.repeat(100), 'AZaz09.:_-'])
      expect((await demo.post(sendings(ids.ready), { transactionId })).status).toBe(201)
  })
})

describe('scheduling a sending', () => {
  it('2.3 scheduleDate: it is answered in UTC, and null when the sending is immediate', async () => {
    const demo = (await startMock()).as('demo')
    const later = await demo.post(sendings(ids.ready), { scheduleDate: '2026-12-24T18:00:00+01:00' })
    expect(later.json.scheduleDate).toBe('2026-12-24T17:00:00.000Z')
    expect((await demo.post(sendings(ids.ready), {})).json.scheduleDate).toBeNull()
  })

  it('3 CREATED: a scheduled sending is CREATED, and goes out when the clock reaches its date', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const { json } = await demo.post(sendings(ids.ready), { scheduleDate: '2026-11-01T12:00:00Z' })
    expect(json.state).toBe('CREATED')
    const statistics = sendings(ids.ready, `/${json.id}/statistics`)
    mock.clock.advance(2 * 3_600_000 - 1)
    expect((await demo.get(statistics)).json.sendingStatistics).toMatchObject({
      startDate: null,
      recipientsCount: 0,
    })
    mock.clock.advance(1)
    expect((await demo.get(statistics)).json.sendingStatistics.startDate).toBe('2026-11-01T12:00:00.000Z')
  })

  it.each([
    ['no zone', '2030-01-01T10:00:00'],
    ['a date only', '2030-01-01'],
    ['words', 'tomorrow'],
    ['a year of five digits in UTC', '9999-12-31T23:59:59-05:00'],
    ['a number', 1_900_000_000],
    ['a zone by name', '2030-01-01T10:00:00 Europe/Berlin'],
  ])('2 date-time in: a schedule date with %s is refused', async (_, scheduleDate) => {
    const { status, json } = await (await startMock()).as('demo').post(sendings(ids.ready), { scheduleDate })
    expect(status).toBe(400)
    expect(json.invalidFields[0]).toMatchObject({
      field: 'scheduleDate',
      problem: expect.stringMatching(/time zone|year 10000/),
    })
  })

  it.each([
    ['a day that does not exist', '2030-02-30T10:00:00Z'],
    ['an hour 24', '2030-01-01T24:00:00Z'],
    ['a comma before its fraction', '2030-01-01T10:00:00,500Z'],
    ['the basic form', '20300101T100000Z'],
  ])('S date-time forms: a schedule date with %s is refused', async (_, scheduleDate) => {
    const { status } = await (await startMock()).as('demo').post(sendings(ids.ready), { scheduleDate })
    expect(status).toBe(400)
  })

  it.each(['2030-01-01T10:00:00Z', '2030-01-01T10:00Z', '2030-01-01T10:00:00.5+05:45'])(
    'S date-time in: %s is taken',
    async scheduleDate => {
      expect((await (await startMock()).as('demo').post(sendings(ids.ready), { scheduleDate })).status).toBe(
        201,
      )
    },
  )
})

describe('reading sendings', () => {
  it('4.2, 2.3 transactionId: the sending shows the transaction ID of its first request, or null', async () => {
    const demo = (await startMock()).as('demo')
    const withId = await demo.get(sendings(ids.failedTwice, `/${ids.sending.failed}`))
    expect(withId.status).toBe(200)
    expect(withId.json).toMatchObject({ transactionId: 'commuter-week-2026-03-09', state: 'FAILED' })
    const without = await demo.get(sendings(synchronizationId(4), `/${sendingId(2)}`))
    expect(without.json.transactionId).toBeNull()
  })

  it('4.3, 3/2: the collection has only CREATED sendings', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(sendings(ids.failedTwice))
    expect(json._embedded['svc:sendings'].map((item: { state: string }) => item.state)).toEqual(['CREATED'])
  })

  it('4.3 includeAllStates: true adds those in other states, in the order they were made', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(sendings(ids.failedTwice, '?includeAllStates=true'))
    expect(json._embedded['svc:sendings'].map((item: { state: string }) => item.state)).toEqual([
      'FAILED',
      'FAILED',
      'CREATED',
    ])
  })

  it.each([
    ['PENDING', ids.pending],
    ['FAILED', ids.failedTwice],
    ['INDETERMINATE_FAILURE', ids.indeterminate],
  ])('7/1: the state %s is told in a 200 answer', async (state, id) => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(sendings(id, '?includeAllStates=true'))
    const first = json._embedded['svc:sendings'][0]
    expect(first.state).toBe(state)
    const repeated = await demo.post(sendings(id), { transactionId: first.transactionId })
    expect(repeated.status).toBe(200)
    expect(repeated.json).toMatchObject({ id: first.id, state })
  })

  it('3/4, 4.1/10, 8 PENDING window, 8 recreate attempts: a new transaction ID after FAILED is a new sending, the old ID stays FAILED', async () => {
    const demo = (await startMock()).as('demo')
    const again = await demo.post(sendings(ids.failedTwice), { transactionId: 'commuter-week-2026-03-09' })
    expect(again.json.state).toBe('FAILED')
    const fresh = await demo.post(sendings(ids.failedTwice), {
      transactionId: 'commuter-week-2026-03-09.next',
    })
    expect(fresh.status).toBe(201)
    expect(fresh.json.id).not.toBe(again.json.id)
  })

  it('S sendings collection: an item links to itself, its report and its statistics', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(sendings(ids.both))
    const [item] = json._embedded['svc:sendings']
    expect(Object.keys(item._links).sort()).toEqual(['self', 'svc:report', 'svc:statistics'])
    for (const { href } of Object.values<{ href: string }>(item._links))
      expect((await demo.get(href)).status).toBe(200)
  })

  it('2.3 target.mailingId, 2.3 target.sendingId: both are null as long as nothing exists on the platform', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(sendings(ids.pending, '?includeAllStates=true'))
    expect(json._embedded['svc:sendings'][0].target).toEqual({ mailingId: null, sendingId: null })
  })

  it('S foreign IDs: a sending under another synchronization is answered like an unknown one', async () => {
    const demo = (await startMock()).as('demo')
    const known = sendings(ids.ready, `/${ids.sending.created}`)
    const unknown = sendings(ids.ready, `/${ids.unknown}`)
    const [a, b] = [await demo.get(known), await demo.get(unknown)]
    expect([a.status, b.status]).toEqual([404, 404])
    expect(a.text.replace(ids.sending.created, ids.unknown)).toBe(b.text)
  })
})

it('S request media type: both JSON types are taken, with parameters; anything else is 415', async () => {
  const demo = (await startMock()).as('demo')
  for (const type of [
    halType,
    'application/json',
    'application/hal+json;charset=UTF-8',
    'Application/JSON; charset=utf-8',
  ])
    expect((await demo.post(sendings(ids.ready), {}, { 'content-type': type })).status, type).toBe(201)
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/jsonx',
  ])
    expect((await demo.post(sendings(ids.ready), {}, { 'content-type': type })).status, type).toBe(415)
})
