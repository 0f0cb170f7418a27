import { describe, expect, it } from 'vitest'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import { ids, startMock, synchronizationPath, type TestMock } from '../mock.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')

/** A fresh mock with these steps in force for every sending that is created. */
async function disturbed(steps: readonly object[], per = 'transaction') {
  const mock = await startMock()
  const scenario = scenarioFrom(
    { description: 'a test', rules: [{ on: 'createSending', per, steps }] },
    'a-test',
    'the test',
  )
  mock.rig().scenarios.arm(scenario)
  return mock
}

/** What the platform did since the beginning: mailings made, and those of them that were sent. */
function ledger(mock: TestMock) {
  const { platformMailings, platformSendings } = mock.space().data.tables
  const isNew = (row: { cause: string }) => row.cause.startsWith('r')
  const mailings = [...platformMailings.rows()].filter(isNew)
  const sent = [...platformSendings.rows()].filter(isNew)
  return {
    mailings: mailings.length,
    sent: sent.length,
    orphans: mailings.filter(({ id }) => !sent.some(({ platformMailingId }) => platformMailingId === id))
      .length,
  }
}

const post = (mock: TestMock, transactionId?: string) =>
  mock.as('demo').post(sendings, transactionId === undefined ? {} : { transactionId })

const told = async (mock: TestMock, transactionId?: string) => {
  const { status, json } = await post(mock, transactionId)
  return [status, json.state]
}

describe('how far the work has gone', () => {
  const answer = { status: 502, body: 'gateway-html' }

  it('before: nothing was done, and the repeat is the first that is processed', async () => {
    const mock = await disturbed([{ phase: 'before', answer }, { state: 'CREATED' }])
    expect((await post(mock, 'T')).status).toBe(502)
    expect(ledger(mock)).toEqual({ mailings: 0, sent: 0, orphans: 0 })
    expect(mock.space().data.tables.sendingOfTransaction(ids.ready, 'T')).toBeUndefined()
    expect(await told(mock, 'T')).toEqual([201, 'CREATED'])
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
  })

  it('bound: the transaction ID is taken, and the work goes on without the client', async () => {
    const mock = await disturbed([{ phase: 'bound', answer }, { state: 'CREATED' }])
    expect((await post(mock, 'T')).status).toBe(502)
    expect(ledger(mock)).toEqual({ mailings: 0, sent: 0, orphans: 0 })
    const sending = mock.space().data.tables.sendingOfTransaction(ids.ready, 'T')!
    expect((await mock.as('demo').get(`${sendings}/${sending.id}`)).json.state).toBe('PENDING')
    await mock.rig().moveClock(now => now + 5_000)
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
  })

  it('partial: a mailing is on the platform, it was not sent, and the repeat says FAILED', async () => {
    const mock = await disturbed([{ phase: 'partial', answer }, {}], 'client-request')
    expect((await post(mock, 'T')).status).toBe(502)
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 0, orphans: 1 })
    expect(await told(mock, 'T')).toEqual([200, 'FAILED'])
    expect(await told(mock, 'U')).toEqual([201, 'CREATED'])
    expect(ledger(mock)).toEqual({ mailings: 2, sent: 1, orphans: 1 })
  })

  it('partial, then the platform finishes what it began: the orphan is sent, not a second mailing', async () => {
    const mock = await disturbed([{ phase: 'partial', state: 'PENDING', answer }, { state: 'CREATED' }])
    await post(mock, 'T')
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 0, orphans: 1 })
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
  })

  it('after: it was sent, and the repeat finds it', async () => {
    const mock = await disturbed([{ phase: 'after', answer }, { state: 'CREATED' }])
    expect((await post(mock, 'T')).status).toBe(502)
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(ledger(mock)).toEqual({ mailings: 1, sent: 1, orphans: 0 })
  })

  it.each([
    ['before', { mailings: 0, sent: 0, orphans: 0 }],
    ['bound', { mailings: 1, sent: 1, orphans: 0 }],
    ['partial', { mailings: 1, sent: 0, orphans: 1 }],
    ['after', { mailings: 1, sent: 1, orphans: 0 }],
  ])(
    '%s without a transaction ID leaves the same on the platform, and a repeat sends once more',
    async (phase, left) => {
      const mock = await disturbed([{ phase, answer }, {}], 'client-request')
      expect((await post(mock)).status).toBe(502)
      await mock.rig().moveClock(now => now + 60_000)
      expect(ledger(mock)).toEqual(left)
      expect(await told(mock)).toEqual([201, 'CREATED'])
      expect(ledger(mock).sent).toBe(left.sent + 1)
    },
  )

  it.each(['before', 'bound', 'partial'])(
    '%s without an answer of its own is told as the 500 problem',
    async phase => {
      const mock = await disturbed([{ phase }, {}], 'client-request')
      const { status, json } = await post(mock, 'T')
      expect([status, json.title]).toEqual([500, 'Request could not be processed'])
    },
  )
})

describe('what the platform did and what the client was told are apart', () => {
  it.each([
    ['sent', 1],
    ['not-sent', 0],
  ] as const)('INDETERMINATE_FAILURE, in truth %s', async (truth, sent) => {
    const mock = await disturbed([{ state: 'INDETERMINATE_FAILURE', truth }])
    expect(await told(mock, 'T')).toEqual([200, 'INDETERMINATE_FAILURE'])
    expect(await told(mock, 'T')).toEqual([200, 'INDETERMINATE_FAILURE'])
    expect(ledger(mock).sent).toBe(sent)
  })

  it('PENDING twice, then CREATED: sent once, at the attempt that says so', async () => {
    const mock = await disturbed([{ state: 'PENDING', times: 2 }, { state: 'CREATED' }])
    expect(await told(mock, 'T')).toEqual([200, 'PENDING'])
    expect(await told(mock, 'T')).toEqual([200, 'PENDING'])
    expect(ledger(mock).sent).toBe(0)
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(ledger(mock).sent).toBe(1)
  })

  it('PENDING for a while, then CREATED: sent when the time has come, whether or not anybody asks', async () => {
    const mock = await disturbed([{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }])
    expect(await told(mock, 'T')).toEqual([200, 'PENDING'])
    await mock.rig().moveClock(now => now + 29_999)
    expect(await told(mock, 'T')).toEqual([200, 'PENDING'])
    await mock.rig().moveClock(now => now + 1)
    expect(ledger(mock).sent).toBe(1)
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
  })

  it('FAILED once: the same ID stays FAILED, another one is CREATED', async () => {
    const mock = await disturbed([{ state: 'FAILED' }, { state: 'CREATED' }], 'client-request')
    expect(await told(mock, 'T')).toEqual([200, 'FAILED'])
    expect(await told(mock, 'U')).toEqual([201, 'CREATED'])
    expect(await told(mock, 'T')).toEqual([200, 'FAILED'])
    expect(ledger(mock).sent).toBe(1)
  })

  it.each([
    ['PENDING, and in the end CREATED', [{ state: 'PENDING', times: 2 }, { state: 'CREATED' }], 1],
    ['PENDING for ever', [{ state: 'PENDING' }], 0],
    ['FAILED', [{ state: 'FAILED' }], 0],
    ['INDETERMINATE_FAILURE, sent', [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }], 1],
    ['INDETERMINATE_FAILURE, not sent', [{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }], 0],
  ])(
    '3/1 without a transaction ID %s is told as an error, and the truth stays what it is',
    async (_, steps, sent) => {
      const mock = await disturbed(steps)
      expect((await post(mock)).status).toBe(500)
      expect(ledger(mock).sent).toBe(sent)
      const all = await mock.as('demo').get(`${sendings}?includeAllStates=true`)
      for (const sending of all.json._embedded['svc:sendings']) expect(sending.state).toBe('CREATED')
    },
  )

  it('a GET sees the state that the last attempt was told', async () => {
    const mock = await disturbed([{ state: 'PENDING', times: 2 }, { state: 'FAILED' }])
    const { json } = await post(mock, 'T')
    const seen = async () => (await mock.as('demo').get(`${sendings}/${json.id}`)).json.state
    expect(await seen()).toBe('PENDING')
    await post(mock, 'T')
    expect(await seen()).toBe('PENDING')
    await post(mock, 'T')
    expect(await seen()).toBe('FAILED')
  })

  it('a lost attempt between two that were processed changes nothing for the sending', async () => {
    const mock = await disturbed([{ state: 'PENDING' }, { phase: 'before' }, { state: 'CREATED' }])
    expect(await told(mock, 'T')).toEqual([200, 'PENDING'])
    expect((await post(mock, 'T')).status).toBe(500)
    expect(ledger(mock).sent).toBe(0)
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
  })

  it('a transaction ID that was known before keeps its state', async () => {
    const mock = await startMock()
    await post(mock, 'T')
    mock.rig().scenarios.arm((await disturbed([{ state: 'FAILED' }])).rig().scenarios.active!.scenario)
    expect(await told(mock, 'T')).toEqual([200, 'CREATED'])
    expect(await told(mock, 'U')).toEqual([200, 'FAILED'])
  })
})
