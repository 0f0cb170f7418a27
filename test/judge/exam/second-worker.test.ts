import { expect, test } from 'vitest'
import type { ClientCall } from '../../../src/judge/exam/client.ts'
import { examine } from '../../../src/lib/run-exam.ts'
import type { Belief } from '../../../src/rig/scenarios/terms.ts'
import { basic, halType, synchronizationPath } from '../../mock.ts'

/** Asks for a sending. The signal ends the attempt. */
const attempt = ({ url, user, password, synchronizationId }: ClientCall, id: string, signal: AbortSignal) =>
  fetch(url + synchronizationPath(synchronizationId, '/sendings'), {
    method: 'POST',
    headers: { authorization: basic(user, password), 'content-type': halType },
    body: JSON.stringify({ transactionId: id }),
    signal,
  }).catch(() => undefined)

/** Plays the case to two workers, the second of which is started while the first waits for its answer. */
async function secondWorker(
  first: (call: ClientCall) => Promise<unknown>,
  second: (call: ClientCall) => Promise<unknown>,
) {
  const workers = [first, second]
  const run = async (call: ClientCall) => {
    await workers.shift()!(call)
    const believes: Belief = 'sent'
    return { believes, exitCode: 0, signal: undefined, error: undefined, output: '' }
  }
  const client = { isProcess: true, name: 'a function', run }
  const { cases } = await examine({
    ...{ client, only: ['second-worker'] },
    startDelayMeter: () => () => 0,
  })
  return cases[0]!
}

test('two workers with transactionIds of their own send too often', async () => {
  const it = await secondWorker(
    call => attempt(call, 'one', call.signal),
    call => attempt(call, 'two', call.signal),
  )
  expect(it).toMatchObject({ status: 'failed', reached: { sent: 2 } })
})

test('where the second worker comes too late, nothing is held against the client', async () => {
  const leaving = new AbortController()
  const it = await secondWorker(
    call => attempt(call, 'one', leaving.signal),
    async call => {
      leaving.abort()
      await attempt(call, 'one', AbortSignal.timeout(1))
      await attempt(call, 'two', call.signal)
    },
  )
  expect(it).toMatchObject({
    status: 'inconclusive',
    findings: [],
    reason: 'the second worker sent nothing before the first one had ended or given up its first attempt',
  })
})

test('where the second worker never comes, nothing is held against the client', async () => {
  const leaving = new AbortController()
  const it = await secondWorker(
    async call => {
      await attempt(call, 'one', leaving.signal)
      await attempt(call, 'two', call.signal)
    },
    async () => leaving.abort(),
  )
  expect(it).toMatchObject({ status: 'inconclusive', findings: [], reached: { sent: 2 } })
})
