import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Scenario } from '../../src/rig/scenarios/scenario.ts'
import { basic, halType, ids, synchronizationPath, type TestMock } from '../mock.ts'
import { eventually } from '../process.ts'
import { repetitions } from '../repetitions.ts'
import { ledgerOf, onCreate, scenarioOf, staged } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const options = { hints: true, address: { publicUrl: 'http://mock' } }

/** Scenarios unlike one another; every space has one of them in force. */
const scenarios: readonly Scenario[] = [
  [],
  [{ phase: 'before', answer: { status: 503, retryAfter: 2 } }, {}],
  [{ answer: { fault: 'reset' } }, {}],
  [{ answer: { fault: 'truncate' } }, {}],
  [{ state: 'PENDING', times: 2 }, { state: 'CREATED' }],
  [{ state: 'PENDING', for: '30s' }, { state: 'FAILED' }],
  [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  [{ phase: 'partial', answer: { status: 502, body: 'gateway-html' } }],
  [{ deliver: 'late', delay: '35s' }, {}],
  [{ deliver: 'twice' }, {}],
  [{ hold: 'gate' }, {}],
  [{ delay: { min: '1s', max: '1m' } }],
  [{ answer: { fault: 'malformed-json' } }, {}],
].map((steps, n) => scenarioOf(steps.length > 0 ? [onCreate(steps)] : [], `kind-${n}`))

/** A client on few connections, which many spaces share. */
async function socketClient(listen: () => Promise<{ port: number }>) {
  const { port } = await listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  onTestFinished(() => agent.destroy())
  return (user: string, method: string, path: string, body?: object): Promise<string> =>
    new Promise(resolve => {
      const lost = () => resolve('lost')
      const headers = { authorization: basic(user), 'content-type': halType }
      const asked = request({ port, agent, method, path, headers }, incoming => {
        let text = ''
        incoming.setEncoding('utf8').on('data', piece => {
          text += piece
        })
        incoming.on('end', () => {
          const { date: _, ...told } = incoming.headers
          resolve(JSON.stringify([incoming.statusCode, told, text]))
        })
        incoming.on('error', lost)
      })
      asked.on('error', lost)
      asked.end(body && JSON.stringify(body))
    })
}
type Ask = Awaited<ReturnType<typeof socketClient>>

/** What one user does in its own space; what waits there is let go by its tester. */
async function script(mock: TestMock, ask: Ask, user: string, n: number): Promise<unknown[]> {
  const answers: string[] = [await ask(user, 'GET', '/mailings?limit=1')]
  const rig = mock.rig(user)
  rig.clock.freeze()
  rig.scenarios.arm(scenarios[n % scenarios.length])
  const create = async (body: object) => {
    let answer: string | undefined
    const asking = ask(user, 'POST', sendings, body).then(told => {
      answer = told
    })
    while (answer === undefined) {
      await Promise.race([asking, new Promise(resolve => setTimeout(resolve, 10))])
      if (rig.clock.due.length > 0) await rig.moveClock(now => now + 60_000)
      await rig.holds.release('gate')
    }
    answers.push(answer)
  }
  await create({ transactionId: 'T', subject: `of ${n}` })
  await create({ transactionId: 'T', subject: `of ${n}` })
  await create({ subject: `of ${n}` })
  await rig.moveClock(now => now + 60_000)
  answers.push(await ask(user, 'GET', `${sendings}?includeAllStates=true`))
  const isClosed = () => rig.journal.entries().every(({ ended }) => ended !== undefined)
  await eventually('all answers to have left', () => isClosed() || undefined)
  return [...answers, ...stateOf(mock, user)].map(it => JSON.stringify(it))
}

/** Everything that a space holds. */
function stateOf(mock: TestMock, user: string): unknown[] {
  const rig = mock.rig(user)
  const { sendings: rows } = mock.space(user).data.tables
  return [
    ledgerOf(mock, user),
    [...rows.changes()].map(({ row }) => row),
    rig.scenarios.active?.hits(),
    rig.journal
      .entries()
      .map(({ id, user, target, delivered, decision, truth, response: told, hints, arrived }) => [
        id,
        user,
        target,
        delivered,
        decision,
        truth,
        told,
        hints,
        arrived.clock,
      ]),
  ]
}

/** More than there are connections, so that spaces share them, and each scenario many times. */
const spaces = repetitions(6, 20) * scenarios.length

describe('private spaces', () => {
  it('by the hundred, each with a scenario of its own, are as if each were alone', async () => {
    const { mock, listen } = await staged([], options)
    const ask = await socketClient(listen)
    const users = Array.from({ length: spaces }, (_, n) => `demo+${n}`)
    const together = await Promise.all(users.map((user, n) => script(mock, ask, user, n)))

    for (const [n, user] of users.entries()) {
      const subjects = ledgerOf(mock, user).mailings.map(({ subject }) => subject)
      expect(new Set([...subjects, `of ${n}`])).toEqual(new Set([`of ${n}`]))
      for (const { headers } of mock.rig(user).journal.entries())
        expect(headers.authorization).toBe(basic(user))
    }
    expect(mock.space().data.seq).toBe(0)

    for (let n = 0; n < spaces; n += 11) {
      const alone = await staged([], options)
      const answers = await script(alone.mock, await socketClient(alone.listen), users[n]!, n)
      expect(answers).toEqual(together[n])
    }
  })

  it('private spaces keep their results next to one who floods, resets, moves time and breaks connections', async () => {
    const quiet = async (mock: TestMock, ask: Ask) => {
      const runs: unknown[] = []
      for (let n = 0; n < scenarios.length; n++) runs.push(await script(mock, ask, `demo+quiet${n}`, n))
      return runs
    }
    const alone = await staged([], options)
    const expected = await quiet(alone.mock, await socketClient(alone.listen))

    const { mock, listen } = await staged([], options)
    const ask = await socketClient(listen)
    const noisy = 'demo+noisy'
    await ask(noisy, 'GET', '/mailings')
    let isOver = false
    let noise = 0
    const makeNoise = async (worker: number) => {
      while (!isOver) {
        noise++
        const rig = mock.rig(noisy)
        rig.scenarios.arm(scenarios[noise % 4])
        await ask(noisy, 'POST', sendings, { transactionId: `T${noise}`, name: 'x'.repeat(20_000) })
        if (worker === 0) await mock.spaces.resetSpace(noisy)
        if (worker === 1) await rig.moveClock(now => now + 3_600_000)
        if (worker === 2) await ask('demo', 'POST', sendings, { transactionId: 'T', subject: 'of demo' })
        if (worker === 3) await ask(`demo+new${noise}`, 'POST', sendings, { transactionId: 'T' })
      }
    }
    const workers = Array.from({ length: 5 }, (_, worker) => makeNoise(worker))
    const seen = await quiet(mock, ask)
    isOver = true
    await Promise.all(workers)
    expect(noise).toBeGreaterThan(50)
    expect(seen).toEqual(expected)
  })
})
