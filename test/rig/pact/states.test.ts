import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendingId } from '../../../src/contract/examples/fixture-ids.ts'
import { matchState } from '../../../src/control/pact/pact.ts'
import { providerStates } from '../../../src/control/pact/states.ts'
import { customersPath, ids, type Json, synchronizationPath } from '../../mock.ts'
import { sentences, startTester, type Tester } from '../control/tester.ts'

let tester: Tester
beforeAll(async () => {
  tester = await startTester()
})
afterAll(() => tester.close())

const url = '/spaces/demo+pact/pact/provider-states'
const setUp = async (state: string, params?: object): Promise<Json> => {
  const { status, json } = await tester.post(url, { state, ...(params && { params }), action: 'setup' })
  expect(status, JSON.stringify(json)).toBe(200)
  return json
}
const refused = async (state: string, params: object = {}) => {
  const answer = await tester.post(url, { state, params })
  expect(answer.status).toBe(400)
  return sentences(answer)
}
const user = () => tester.as('demo+pact')
const sendingsOf = (id: string) => synchronizationPath(id, '/sendings')
const platform = async () => (await tester.get('/spaces/demo+pact/platform')).json

describe('a provider state', () => {
  it('a provider state of an older sending leaves the date of the newest', async () => {
    await setUp('')
    const { synchronizationId } = await setUp('a sending exists')
    await setUp('a sending has statistics')
    const { json } = await user().get(synchronizationPath(synchronizationId))
    expect(json.sendingsModificationDate).toBe(json.creationDate)
  })

  it.each([
    ['PENDING', 'sent', 1],
    ['PENDING', 'not-sent', 0],
    ['FAILED', 'sent', 1],
    ['FAILED', 'not-sent', 0],
    ['INDETERMINATE_FAILURE', 'sent', 1],
    ['INDETERMINATE_FAILURE', 'not-sent', 0],
    ['CREATED', 'sent', 1],
  ] as const)('a provider state has a sending that is %s and in truth %s', async (state, truth, count) => {
    await user().get('/mailings')
    const made = await setUp('a sending exists', { transactionId: 'order-1', state, truth })
    const { json } = await user().get(`${sendingsOf(made.synchronizationId)}/${made.sendingId}`)
    expect([json.state, json.transactionId, json.target.sendingId !== null]).toEqual([
      state,
      'order-1',
      // Until the outcome is known the service tells nothing of the platform.
      count > 0 && (state === 'CREATED' || state === 'FAILED'),
    ])
    const { sendings } = await platform()
    const own = sendings.filter((it: Json) => it.cause === 'provider-state')
    expect(own.length).toBe(count)
  })

  it('a provider state other than CREATED gets a transaction ID of its own where none is given', async () => {
    const { synchronizationId, transactionId } = await setUp('a sending exists', { state: 'PENDING' })
    const { json } = await user().post(sendingsOf(synchronizationId), { transactionId })
    expect(json).toMatchObject({ state: 'PENDING', transactionId })
  })

  it('a provider state stays as it is however often the transaction ID is repeated', async () => {
    const { synchronizationId } = await setUp('a sending with transaction order-1 is PENDING')
    for (let n = 0; n < 5; n++) {
      const { status, json } = await user().post(sendingsOf(synchronizationId), { transactionId: 'order-1' })
      expect([status, json.state]).toEqual([200, 'PENDING'])
    }
  })

  it('a provider state gives the values by which a request finds what was set up', async () => {
    await user().get('/mailings')
    const { customer, listId, forbiddenListId } = await setUp(
      'a customer has an accessible-lists configuration',
    )
    const lists = async (query = '') =>
      (await user().get(`${customersPath}/${customer}/lists${query}`)).json._embedded['svc:lists'].map(
        (it: Json) => it.id,
      )
    expect(await lists()).toEqual([listId])
    expect((await lists('?showAllLists=true')).sort()).toEqual([listId, forbiddenListId].sort())
  })

  it('a provider state gives the test recipients to whom a test sending goes', async () => {
    await user().get('/mailings')
    const made = await setUp('a synchronization has test recipients')
    const { synchronizationId, testProfileId, testMailGroupId } = made
    const preview = synchronizationPath(synchronizationId, `/preview?testProfileId=${testProfileId}`)
    expect((await user().get(preview)).status).toBe(200)
    const { status } = await user().post(synchronizationPath(synchronizationId, '/test-sendings'), {
      testProfileId,
      testMailGroupId,
    })
    expect(status).toBe(202)
  })

  it('a provider state makes what a pact names by its own ID, with that ID', async () => {
    const id = sendingId(1)
    expect(await setUp(`a synchronization ${id} is not ready for sending`)).toMatchObject({
      synchronizationId: id,
    })
    const { json } = await user().get(synchronizationPath(id))
    expect([json.readyForSending, json.mailingHasDraft]).toEqual([false, true])
  })

  it('a provider state brings what is there already into the state', async () => {
    const id = ids.ready
    const before = (await tester.as('demo').get(synchronizationPath(id))).json
    await setUp('a synchronization is not ready for sending', { synchronizationId: id })
    const { json } = await user().get(synchronizationPath(id))
    expect([json.readyForSending, json.mailingId, json.target]).toEqual([
      false,
      before.mailingId,
      before.target,
    ])
    expect((await tester.as('demo').get(synchronizationPath(id))).json.readyForSending).toBe(true)
  })

  it('a provider state takes numbers that are written as texts, as older verifiers send them', async () => {
    await user().get('/mailings')
    await setUp('the service answers 503 with Retry-After', { retryAfter: '7' })
    const answer = await user().get('/mailings')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
  })

  it('of the service lasts for every request until the space begins anew', async () => {
    await setUp('the service answers 503 with Retry-After 120')
    for (let n = 0; n < 3; n++) expect((await user().get('/mailings')).status).toBe(503)
    await setUp('')
    expect((await user().get('/mailings')).status).toBe(200)
  })

  it('a provider state can be that a sending was sent though creating it failed', async () => {
    const { synchronizationId } = await setUp('there are no sendings')
    await setUp('a sending cannot be processed and was sent')
    expect((await user().post(sendingsOf(synchronizationId), { transactionId: 'order-1' })).status).toBe(500)
    const { sendings } = await platform()
    expect(sendings.filter((it: Json) => it.cause.startsWith('r')).length).toBe(1)
  })
})

describe('states of one interaction', () => {
  it('add up, and a later one goes on from what an earlier one gave', async () => {
    await user().get('/mailings')
    const { synchronizationId } = await setUp('a synchronization is ready for sending')
    expect((await setUp('a sending with transaction order-1 is FAILED')).synchronizationId).toBe(
      synchronizationId,
    )
    expect((await setUp('a mailing was uploaded')).synchronizationId).toBe(synchronizationId)
    const { json } = await user().get(`${sendingsOf(synchronizationId)}?includeAllStates=true`)
    expect(json._embedded['svc:sendings'].map((it: Json) => it.state)).toEqual(['FAILED'])
  })

  it.each([
    ['a request has come', () => user().get('/mailings')],
    ['they were torn down', () => tester.post(url, { state: 'a sending exists', action: 'teardown' })],
    ['one was refused', () => tester.post(url, { state: 'no such state' })],
    ['another one begins that has no state', () => setUp('')],
  ])('states of one interaction are over once %s: the next begins from a clean space', async (_, over) => {
    await setUp('')
    const { synchronizationId } = await setUp('a sending exists')
    await over()
    await setUp('there is no mailing')
    expect((await user().get(synchronizationPath(synchronizationId))).status).toBe(404)
  })

  it('states of one interaction leave other spaces alone', async () => {
    const before = (await tester.get('/spaces/demo/snapshot')).text
    await setUp('a synchronization has sendings in every state')
    expect((await tester.get('/spaces/demo/snapshot')).text).toBe(before)
  })

  it.each(providerStates.map(({ name }) => name).filter(name => !name.includes('{')))(
    'states of one interaction leave a space that can be kept as a fixture: "%s"',
    async name => {
      await user().get('/mailings')
      await setUp(name)
      const kept = await tester.get('/spaces/demo+pact/snapshot')
      expect((await tester.put('/spaces/demo+kept/snapshot', kept.json)).status).toBeLessThan(300)
    },
  )
})

describe('what cannot be is refused', () => {
  it.each([
    [
      'a sendin exists',
      {},
      /^state: there is no state "a sendin exists"; did you mean "a sending exists"\? There are "the service answers 503/,
    ],
    ['a sending exists', { stat: 'PENDING' }, /^params: unknown key "stat"; did you mean "state"\?/],
    [
      'a sending exists',
      { transactionId: 'a', state: 'LOST' },
      /^params\.state: "LOST" is not possible.*PENDING, CREATED/,
    ],
    [
      'a sending exists',
      { state: 'PENDING', transactionId: null },
      /^params\.transactionId: a sending without one can only be CREATED/,
    ],
    ['a sending exists', { truth: 'not-sent' }, /^params\.truth: CREATED means sent or scheduled/],
    [
      'a sending is scheduled',
      { scheduleDate: '2020-01-01T00:00:00Z' },
      /^params\.scheduleDate: .* is not in the future; it is/,
    ],
    [
      'a sending is scheduled',
      { scheduleDate: '2035-01-01' },
      /^params\.scheduleDate: expected a date-time with its zone/,
    ],
    [
      'a sending is scheduled',
      { scheduleDate: '9999-12-31T23:59:59-12:00' },
      /^params\.scheduleDate: expected a date-time before the year 10000 in UTC/,
    ],
    [
      'creating a sending leads to FAILED and it was sent',
      {},
      /^params\.truth: FAILED is always not-sent; only/,
    ],
    [
      'a sending with transaction a is PENDING',
      { state: 'FAILED' },
      /^params\.state: the state says "PENDING", and the parameter "FAILED"/,
    ],
    ['a sending with transaction a is pending', {}, /^params\.state: "pending" is not possible/],
    [
      'there are no sendings',
      { synchronizationId: ids.failedTwice },
      /^params\.synchronizationId: .* has sendings, and sendings never vanish/,
    ],
    [`there is no mailing ${ids.mailing.ready}`, {}, /^params\.mailingId: there is a mailing 1111/],
    ['customer "Maison Orane" has no lists', {}, /^params\.customer: customer "Maison Orane" has lists/],
    ['customer .. has lists', {}, /^params\.customer: expected another name than/],
    ['a customer has lists', { customer: '\ud800' }, /^params\.customer: expected whole characters/],
    ['a mailing is approved', { mailingId: '7' }, /^params\.mailingId: expected a lower-case dashed UUID/],
    [
      'the service answers 503 with Retry-After -1',
      {},
      /^params\.retryAfter: expected whole seconds, got "-1"$/,
    ],
    ['there is no list abc', {}, /^params\.listId: expected a whole number from 1, got "abc"$/],
    ['the service answers 200', {}, /^params\.status: expected a status from 400 to 599/],
  ])('what cannot be is refused: %s %j', async (state, params, sentence) => {
    await user().get('/mailings')
    expect(await refused(state, params)).toEqual([expect.stringMatching(sentence)])
  })

  it('a body that no verifier sends', async () => {
    expect(sentences(await tester.post(url, {}))).toEqual([expect.stringMatching(/^state: /)])
    expect(sentences(await tester.post(url, { state: '', action: 'set' }))).toEqual([
      'action: "set" is not possible; did you mean "setup"? Possible: setup, teardown',
    ])
    expect(sentences(await tester.post(url, { state: '', states: ['', 'a sending exists'] }))).toEqual([
      'states: expected the same as state, and no other: several states are asked for one by one',
    ])
  })

  it('a space that there is not', async () => {
    expect((await tester.post('/spaces/nobody/pact/provider-states', { state: '' })).status).toBe(404)
  })

  it('a change that a web page could send unasked', async () => {
    const plain = await tester.post(url, { state: '' }, { 'content-type': 'text/plain' })
    const foreign = await tester.post(url, { state: '' }, { origin: 'http://elsewhere.example' })
    expect([plain.status, foreign.status]).toEqual([415, 403])
  })
})

describe('the registry', () => {
  it('the registry is what GET /_mock/pact/provider-states lists', async () => {
    const { json } = await tester.get('/pact/provider-states')
    expect(json._embedded['provider-states'].map((it: Json) => it.name)).toEqual(
      providerStates.map(({ name }) => name),
    )
    const [sending] = json._embedded['provider-states'].filter((it: Json) => it.name === 'a sending exists')
    expect(sending.params.transactionId).toEqual({
      description: 'None unless given; for another state than CREATED made up',
      isRequired: false,
    })
    expect(Object.keys(sending.values)).toEqual(['synchronizationId', 'sendingId', 'transactionId'])
  })

  const names = providerStates.flatMap(it => [it.name, ...it.alsoNamed].map(name => [name, it] as const))
  it.each(names)(
    'the registry knows "%s" by its name, with and without what stands in braces',
    (name, state) => {
      expect(matchState(name).state).toBe(state)
      expect(matchState(name.replaceAll(/\{\w+\}/g, 'x-1')).state).toBe(state)
      for (const [, parameter] of name.matchAll(/\{(\w+)\}/g))
        expect(Object.keys(state.params.shape)).toContain(parameter)
    },
  )

  it('the registry gives what it says that it gives', async () => {
    for (const { name, values } of providerStates.filter(it => !it.name.includes('{'))) {
      await user().get('/mailings')
      expect(Object.keys(await setUp(name)).sort(), name).toEqual(Object.keys(values).sort())
    }
  })
})
