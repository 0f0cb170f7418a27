import { describe, expect, it, vi } from 'vitest'
import { letSocketsRun } from '../../../src/rig/sockets.ts'
import { jsonOf, startMock, type TestMock } from '../../mock.ts'
import { onCreate, staged } from '../stage.ts'
import { idsIn, journalCalls } from './journal-calls.ts'

/** Resolves when so many wait for the journal. */
async function waiting(mock: TestMock, count = 1): Promise<void> {
  await expect.poll(() => mock.rig().journal.waiting, { interval: 1 }).toBe(count)
}

describe('waiting for requests', () => {
  it('waiting for requests ends at once when they have come already', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    const json = await journalCalls(mock).wait()
    expect([json.met, json.ended, json.count, idsIn(json)]).toEqual([true, 'met', 1, ['r0-1']])
  })

  it('waiting for requests goes on until the last of them has ended', async () => {
    const mock = await startMock()
    const waited = journalCalls(mock).wait({ count: 3, timeout: '30s' })
    await waiting(mock)
    for (let n = 0; n < 2; n++) await mock.as('demo').get('/mailings')
    expect(mock.rig().journal.waiting).toBe(1)
    await mock.as('demo').get('/mailings')
    expect(idsIn(await waited)).toEqual(['r0-1', 'r0-2', 'r0-3'])
  })

  it('waiting for requests takes those only that the filters let through', async () => {
    const { mock, act } = await staged([])
    const waited = journalCalls(mock).wait({ transactionId: 'order:*', status: '201', timeout: '30s' })
    await waiting(mock)
    await mock.as('demo').get('/mailings')
    await act.post({ transactionId: 'other' })
    await act.post({ transactionId: 'order:1' })
    expect(idsIn(await waited)).toEqual(['r1-3'])
  })

  it('waiting for requests leaves out what came before `since`', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    const waited = journalCalls(mock).wait({ since: 1, timeout: '30s' })
    await waiting(mock)
    await mock.as('demo').get('/mailings/nothing')
    expect(idsIn(await waited)).toEqual(['r0-2'])
  })

  it('for what has come ends while its answer is held back; for what has ended it goes on', async () => {
    const { mock, act } = await staged([onCreate([{ hold: 'gate' }])])
    const { wait } = journalCalls(mock)
    const opened = wait({ state: 'opened', transactionId: 'T', timeout: '30s' })
    const closed = wait({ transactionId: 'T', timeout: '30s' })
    await waiting(mock, 2)
    const held = act.post({ transactionId: 'T' })
    const { _embedded, met } = await opened
    expect([met, _embedded.requests[0].delivered, _embedded.requests[0].told]).toEqual([true, 'open', null])
    expect(mock.rig().journal.waiting).toBe(1)
    await expect.poll(() => mock.rig().holds.release('gate'), { interval: 1 }).toBe(1)
    await held
    expect((await closed)._embedded.requests[0].delivered).toBe('handed')
  })

  it('waiting for requests does not take the second delivery that the mock itself makes for a request', async () => {
    const { mock, act } = await staged([onCreate([{ deliver: 'twice' }])])
    await act.post({ transactionId: 'T' })
    const json = await journalCalls(mock).wait({ count: 2, timeout: '1ms' })
    expect([json.met, json.count]).toEqual([false, 1])
  })

  it('in vain ends when its time is over, and shows what came instead', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    const json = await journalCalls(mock).wait({ count: 2, timeout: '1ms' })
    expect([json.met, json.ended, json.count, idsIn(json)]).toEqual([false, 'timeout', 1, ['r0-1']])
    expect(mock.rig().journal.waiting).toBe(0)
  })

  it('waiting for requests ends when the space begins anew', async () => {
    const mock = await startMock()
    const waited = journalCalls(mock).wait({ timeout: '30s' })
    await waiting(mock)
    await mock.spaces.reset()
    const json = await waited
    expect([json.met, json.ended, json.count]).toEqual([false, 'reset', 0])
  })

  it('waiting for requests is over for the server as soon as whoever waits has left', async () => {
    const mock = await startMock()
    const leaving = new AbortController()
    const waited = journalCalls(mock).wait({ timeout: '30s' }, leaving.signal)
    await waiting(mock)
    leaving.abort()
    await Promise.allSettled([waited])
    await waiting(mock, 0)
  })

  it('waiting for requests is met by requests that had to make room meanwhile', async () => {
    const mock = await startMock()
    const { journal } = mock.rig()
    const waited = journalCalls(mock).wait({ count: 2, timeout: '30s' })
    await waiting(mock)
    await mock.as('demo').get('/mailings')
    journal.clear()
    await mock.as('demo').get('/mailings')
    expect(idsIn(await waited)).toEqual(['r0-1', 'r0-2'])
  })

  it.each([
    ['for longer than a minute', 'timeout=61s', /at most 60s/],
    ['without a unit', 'timeout=5', /expected a duration/],
    ['for none', 'count=0', /from 1 to 1000/],
    ['in a state that there is not', 'state=read', /closed/],
  ])('%s is refused, and the answer tells what is possible', async (_, query, sentence) => {
    const response = await journalCalls(await startMock()).call('GET', `/requests/wait?${query}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(sentence)
  })

  it('waits that end together are answered in turns of their own, so that others come in between', async () => {
    const mock = await startMock()
    let turn = 0
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    const waits = Array.from({ length: 20 }, async () => {
      await journalCalls(mock).wait({ timeout: '30s' })
      return turn
    })
    await waiting(mock, 20)
    setImmediate(count)
    await mock.as('demo').get('/mailings')
    const answeredIn = await Promise.all(waits)
    isOver = true
    expect(new Set(answeredIn).size).toBe(20)
  })

  it('a wait whose client has left makes no answer', async () => {
    const mock = await startMock()
    const controller = new AbortController()
    const { signal } = controller
    const waited = journalCalls(mock).call('GET', '/requests/wait?timeout=30s', signal)
    await waiting(mock)
    const isComplete = vi.spyOn(mock.rig().journal, 'isComplete')
    controller.abort()
    await expect(waited).rejects.toThrow('aborted')
    await waiting(mock, 0)
    await letSocketsRun()
    expect(isComplete).not.toHaveBeenCalled()
  })

  it('100 may wait in a space; a further one is refused at once, and others wait in other spaces', async () => {
    const mock = await startMock()
    const { wait, call } = journalCalls(mock)
    const waits = Array.from({ length: 100 }, () => wait({ timeout: '30s' }))
    await waiting(mock, 100)
    const refused = await call('GET', '/requests/wait?timeout=30s')
    expect([refused.status, (await jsonOf(refused)).detail]).toEqual([
      503,
      '100 calls wait for requests in this space already, and no more are allowed; let some of them end first',
    ])
    await mock.as('demo+other').get('/mailings')
    expect((await journalCalls(mock, 'demo+other').wait({ timeout: '30s' })).met).toBe(true)
    await mock.as('demo').get('/mailings')
    for (const json of await Promise.all(waits)) expect(json.met).toBe(true)
  })
})
