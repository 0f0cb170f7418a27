import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/rig/request-record.ts'
import { basic, halType, ids, type Json, synchronizationPath } from '../mock.ts'
import { eventually } from '../process.ts'
import { onCreate, type Stage, staged } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const never = new AbortController().signal

/** A client on a real socket. */
async function clientOf(stage: Stage) {
  const { url } = await stage.listen()
  const post = async (transactionId?: string, signal = never): Promise<{ status: number; json: Json }> => {
    const response = await fetch(`${url}${sendings}`, {
      method: 'POST',
      headers: { authorization: basic('demo'), 'content-type': halType },
      body: JSON.stringify({ transactionId }),
      signal,
    })
    return { status: response.status, json: await response.json() }
  }
  /** An attempt whose client leaves when `hasArrived` says that it has arrived. */
  async function leave(hasArrived: () => boolean, transactionId?: string): Promise<void> {
    const leaving = new AbortController()
    const attempt = post(transactionId, leaving.signal)
    await eventually('the attempt to arrive', () => hasArrived() || undefined)
    leaving.abort()
    await expect(attempt).rejects.toThrow(/abort/)
    // Once this is answered, the server has heard that the client left.
    await fetch(`${url}/_mock/health`)
  }
  return { post, leave }
}

const closed = ({ mock }: Stage, count: number): Promise<readonly RequestRecord[]> =>
  eventually(`${count} entries to close`, () => {
    const all = mock.rig().journal.entries()
    return all.length >= count && all.every(({ ended }) => ended !== undefined) ? all : undefined
  })

const causes = ({ ledger }: Stage) => ledger().sendings.map(({ cause }) => cause)
const seen = (entries: readonly RequestRecord[]) =>
  entries.map(({ id, truth, response, delivered }) => [id, truth?.status, response?.status, delivered])
const waiting = ({ mock }: Stage) => mock.rig().clock.due.length === 1

describe('a request that is delivered late', () => {
  const late = onCreate([{ deliver: 'late', delay: '35s' }, {}])

  it('arrives after its own repeat: one sending, made by the repeat, and found by the first attempt', async () => {
    const stage = await staged([late])
    const { post, leave } = await clientOf(stage)
    await leave(() => waiting(stage), 'T')
    const repeat = await post('T')
    expect([repeat.status, repeat.json.state]).toEqual([201, 'CREATED'])
    await stage.mock.rig().moveClock(it => it + 35_000)
    const entries = await closed(stage, 2)
    expect(seen(entries)).toEqual([
      ['r0-1', 200, 200, 'aborted'],
      ['r0-2', 201, 201, 'handed'],
    ])
    expect(causes(stage)).toEqual(['r0-2'])
  })

  it('without a transaction ID sends a second time', async () => {
    const stage = await staged([late])
    const { post, leave } = await clientOf(stage)
    await leave(() => waiting(stage))
    expect((await post()).status).toBe(201)
    await stage.mock.rig().moveClock(it => it + 35_000)
    const entries = await closed(stage, 2)
    expect(entries.map(({ truth }) => truth?.status)).toEqual([201, 201])
    expect(causes(stage)).toEqual(['r0-2', 'r1-1'].map((_, n) => entries[1 - n]!.id))
  })

  it('a request that is delivered late is answered when its client waits: nothing is done before, and all at that time', async () => {
    const stage = await staged([late])
    stage.mock.rig().clock.freeze()
    const { post } = await clientOf(stage)
    const first = post('T')
    await eventually('it to wait', () => waiting(stage) || undefined)
    expect(stage.mock.space().data.tables.sendingOfTransaction(ids.ready, 'T')).toBeUndefined()
    await stage.mock.rig().moveClock(it => it + 34_999)
    expect(stage.ledger().sendings).toEqual([])
    await stage.mock.rig().moveClock(it => it + 1)
    expect(await first).toMatchObject({
      status: 201,
      json: { state: 'CREATED', creationDate: '2026-11-01T10:00:35.000Z' },
    })
  })

  it('of several transactions each arrives once', async () => {
    const stage = await staged([late])
    const { post } = await clientOf(stage)
    const transactionIds = ['T', 'U', 'V']
    const firsts = transactionIds.map(it => post(it))
    await eventually('all to wait', () => stage.mock.rig().clock.due.length === 3 || undefined)
    const repeats = await Promise.all(transactionIds.map(it => post(it)))
    expect(repeats.map(({ status }) => status)).toEqual([201, 201, 201])
    await stage.mock.rig().moveClock(it => it + 35_000)
    expect((await Promise.all(firsts)).map(({ status, json }) => [status, json.transactionId])).toEqual(
      transactionIds.map(it => [200, it]),
    )
    expect(stage.ledger().sendings).toHaveLength(3)
  })

  it('a request that is delivered late finds a schedule date that has passed meanwhile', async () => {
    const stage = await staged([late])
    const attempt = stage.act.post({ transactionId: 'T', scheduleDate: '2026-11-01T10:00:10Z' })
    await eventually('it to wait', () => waiting(stage) || undefined)
    await stage.mock.rig().moveClock(it => it + 35_000)
    expect((await attempt).status).toBe(400)
    expect(stage.ledger().sendings).toEqual([])
  })

  it('a request that is delivered late is not done any more in a space that began anew', async () => {
    const stage = await staged([late])
    const attempt = stage.act.post({ transactionId: 'T' })
    await eventually('it to wait', () => waiting(stage) || undefined)
    const before = stage.mock.rig()
    await stage.mock.spaces.reset()
    expect((await attempt).status).toBe(500)
    await stage.mock.rig().moveClock(it => it + 60_000)
    expect(stage.ledger().sendings).toEqual([])
    expect([before.journal.entries()[0]!.delivered, stage.mock.rig().journal.entries()]).toEqual([
      'handed',
      [],
    ])
  })
})

describe('a request that is delivered twice', () => {
  const twice = onCreate([{ deliver: 'twice' }, {}])

  it('with a transaction ID makes one sending, and the client sees 200 on its first request', async () => {
    const stage = await staged([twice])
    const { post } = await clientOf(stage)
    const { status, json } = await post('T')
    expect([status, json.state]).toEqual([200, 'CREATED'])
    expect(causes(stage)).toEqual(['r0-1'])
    expect((await post('T')).json.id).toBe(json.id)
  })

  it('without one sends twice, and the client hears of the second', async () => {
    const stage = await staged([twice])
    const { post } = await clientOf(stage)
    const { status, json } = await post()
    const [first, second] = [...stage.mock.space().data.tables.sendings.changes()].map(({ row }) => row.id)
    expect([status, json.id]).toEqual([201, second])
    expect(first).not.toBe(second)
    expect(stage.ledger().sendings).toHaveLength(2)
  })

  it('a request that is delivered twice is two requests in the journal, the second marked as the twin of the first', async () => {
    const stage = await staged([twice])
    await (await clientOf(stage)).post('T')
    const entries = await closed(stage, 2)
    expect(seen(entries)).toEqual([
      ['r0-1', 201, 200, 'handed'],
      [entries[1]!.id, 200, 200, 'handed'],
    ])
    expect(entries.map(({ twinOf }) => twinOf)).toEqual([undefined, 'r0-1'])
    expect(entries.map(({ bytesSent }) => bytesSent > 0)).toEqual([true, false])
    expect(entries.map(({ body }) => Buffer.from(body!).toString())).toEqual(
      Array(2).fill('{"transactionId":"T"}'),
    )
  })

  it('of several transactions makes one sending each', async () => {
    const stage = await staged([twice])
    const { post } = await clientOf(stage)
    const answers = await Promise.all(['T', 'U', 'T'].map(it => post(it)))
    for (const { status } of answers) expect(status).toBe(200)
    expect(stage.ledger().sendings).toHaveLength(2)
  })

  it('a request that is delivered twice leaves nobody inside the space', async () => {
    const stage = await staged([twice])
    await stage.act.states('T', undefined, 'T')
    expect(stage.mock.rig().use.idleMilliseconds).toBeGreaterThan(0)
  })

  it('a request that is delivered twice can lose its answer as well', async () => {
    const stage = await staged([onCreate([{ deliver: 'twice', answer: { status: 502 } }, {}])])
    expect(await stage.act.states('T', 'T')).toEqual([502, 'CREATED'])
    expect(stage.ledger().sendings).toHaveLength(1)
  })
})

describe('requests that are held', () => {
  const held = onCreate([{ hold: 'gate', times: 10 }, {}])
  const inside = ({ mock }: Stage, name = 'gate') => mock.rig().holds.counts().get(name) ?? 0

  it('with one transaction ID make one sending, told 201 once', async () => {
    const stage = await staged([held])
    const { post } = await clientOf(stage)
    const attempts = Array.from({ length: 5 }, () => post('T'))
    await eventually('all to be held', () => inside(stage) === 5 || undefined)
    expect(stage.mock.space().data.tables.sendingOfTransaction(ids.ready, 'T')).toBeUndefined()
    expect(await stage.mock.rig().holds.release('gate')).toBe(5)
    const answers = await Promise.all(attempts)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    expect(stage.ledger().sendings).toHaveLength(1)
  })

  it('without a transaction ID make one sending each', async () => {
    const stage = await staged([held])
    const attempts = Array.from({ length: 3 }, () => stage.act.post())
    await eventually('all to be held', () => inside(stage) === 3 || undefined)
    await stage.mock.rig().holds.release('gate')
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([201, 201, 201])
    expect(stage.ledger().sendings).toHaveLength(3)
  })

  it('requests that are held go on in the order in which they came, so many as are released, their work done by then', async () => {
    const stage = await staged([held])
    const attempts: Promise<{ json: Json }>[] = []
    for (const transactionId of ['T', 'U', 'V']) {
      attempts.push(stage.act.post({ transactionId }))
      await eventually('it to be held', () => inside(stage) === attempts.length || undefined)
    }
    const { holds } = stage.mock.rig()
    expect(await holds.release('gate', 2)).toBe(2)
    const made = () => [...stage.mock.space().data.tables.sendings.changes()].map(it => it.row.transactionId)
    expect([made(), inside(stage)]).toEqual([['T', 'U'], 1])
    expect(await holds.release('gate', 5)).toBe(1)
    expect(made()).toEqual(['T', 'U', 'V'])
    expect([await holds.release('gate'), await holds.release('other'), holds.counts().size]).toEqual([
      0, 0, 0,
    ])
    await Promise.all(attempts)
  })

  it('requests that are held are overtaken by a repeat, which makes the sending that the first attempt finds', async () => {
    const stage = await staged([onCreate([{ hold: 'gate' }, {}])])
    const first = stage.act.post({ transactionId: 'T' })
    await eventually('it to be held', () => inside(stage) === 1 || undefined)
    const repeat = await stage.act.post({ transactionId: 'T' })
    await stage.mock.rig().holds.release('gate')
    expect([repeat.status, (await first).status]).toEqual([201, 200])
    expect(causes(stage)).toEqual(['r0-2'])
  })

  it('wait for their delay after the release; the release does not', async () => {
    const stage = await staged([onCreate([{ hold: 'gate', deliver: 'late', delay: '10s' }, {}])])
    const first = stage.act.post({ transactionId: 'T' })
    await eventually('it to be held', () => inside(stage) === 1 || undefined)
    await stage.mock.rig().moveClock(it => it + 60_000)
    expect(await stage.mock.rig().holds.release('gate')).toBe(1)
    expect(stage.ledger().sendings).toEqual([])
    await eventually('it to wait', () => waiting(stage) || undefined)
    await stage.mock.rig().moveClock(it => it + 10_000)
    expect((await first).status).toBe(201)
  })

  it('requests that are held keep their place when the client leaves: the request has arrived, and is processed at the release', async () => {
    const stage = await staged([held])
    const { leave } = await clientOf(stage)
    await leave(() => inside(stage) === 1, 'T')
    expect(inside(stage)).toBe(1)
    expect(await stage.mock.rig().holds.release('gate')).toBe(1)
    expect(seen(await closed(stage, 1))).toEqual([['r0-1', 201, 201, 'aborted']])
    expect(causes(stage)).toEqual(['r0-1'])
    expect(stage.mock.rig().use.idleMilliseconds).toBeGreaterThan(0)
  })

  it('let the others go on when the work of one fails', async () => {
    const stage = await staged([held], { rateLimit: 1 })
    const attempts = ['T', 'U'].map(transactionId => stage.act.post({ transactionId }))
    await eventually('both to be held', () => inside(stage) === 2 || undefined)
    expect(await stage.mock.rig().holds.release('gate')).toBe(2)
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([201, 429])
  })

  it('requests that are held are let go without their work when the space begins anew', async () => {
    const stage = await staged([held])
    const attempt = stage.act.post({ transactionId: 'T' })
    await eventually('it to be held', () => inside(stage) === 1 || undefined)
    await stage.mock.spaces.reset()
    expect((await attempt).status).toBe(500)
    expect(stage.ledger().sendings).toEqual([])
  })
})

describe('a request without a socket', () => {
  it('that was given up before it was sent is never processed', async () => {
    const { mock, ledger } = await staged([])
    const signal = AbortSignal.abort(new Error('too late'))
    const asked = mock.as('demo').send('POST', sendings, { body: '{}', signal })
    await expect(asked).rejects.toThrow('too late')
    expect([ledger().sendings, mock.rig().journal.entries()]).toEqual([[], []])
  })

  it('that is given up while it is held is processed at the release, and told to nobody', async () => {
    const stage = await staged([onCreate([{ hold: 'gate' }])])
    const leaving = new AbortController()
    const headers = { 'content-type': halType }
    const asked = stage.mock
      .as('demo')
      .send('POST', sendings, { body: '{"transactionId":"T"}', headers, signal: leaving.signal })
    await eventually('it to be held', () => stage.mock.rig().holds.counts().get('gate'))
    leaving.abort(new Error('too long'))
    await expect(asked).rejects.toThrow('too long')
    await stage.mock.rig().holds.release('gate')
    expect(seen(await closed(stage, 1))).toEqual([['r0-1', 201, 201, 'aborted']])
    expect(stage.mock.rig().use.idleMilliseconds).toBeGreaterThan(0)
  })
})
