import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { collectEvidence, type Evidence } from '../../src/judge/evidence.ts'
import { rules } from '../../src/judge/rules/registry.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import type { Verdict } from '../../src/judge/verdict-shape.ts'
import type { Scenario } from '../../src/rig/scenarios/scenario.ts'
import { startMock, type TestMock } from '../mock.ts'
import { repetitions } from '../repetitions.ts'
import { anyScenario } from '../rig/any-scenario.ts'
import { sendingsPath } from './stage.ts'

/** What some client does: anything, with no regard to the rules. */
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      transactionId: fc.constantFrom(undefined, 'A', 'A', 'B', 'C'),
      subject: fc.constantFrom(undefined, 'x', 'y'),
      /** Milliseconds after which it leaves. */
      patience: fc.constantFrom(10_000, 40_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), by: fc.integer({ max: 400_000, min: 0 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'look' as const, path: sendingsPath }) },
  {
    weight: 1,
    arbitrary: fc.constant({ kind: 'look' as const, path: `${sendingsPath}?includeAllStates=true` }),
  },
)
type Action = typeof action extends fc.Arbitrary<infer Some> ? Some : never

const anyEnd = fc.constantFrom<ClientEnd | undefined>(
  undefined,
  { believes: 'sent' },
  { believes: 'not-sent' },
  { believes: 'unknown' },
  { believes: 'sent', expected: 2 },
  { believes: 'sent', workers: 2 },
)

/** Does one thing to its end, on a clock of the process that it moves itself. */
async function act(mock: TestMock, user: string, one: Action): Promise<void> {
  if (one.kind === 'wait') return mock.clock.advance(one.by)
  if (one.kind === 'look') return void (await mock.as(user).get(one.path))
  const { transactionId, subject, patience } = one
  const leaving = new AbortController()
  let isOver = false
  const headers = { 'content-type': 'application/hal+json' }
  const body = JSON.stringify({ transactionId, subject })
  const answer = mock
    .as(user)
    .send('POST', sendingsPath, { headers, body, signal: leaving.signal })
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  for (let waited = 0; waited < patience; waited += 5_000) {
    for (let turn = 0; turn < 20 && !isOver; turn++) await new Promise(setImmediate)
    if (isOver) break
    mock.clock.advance(5_000)
  }
  leaving.abort()
  await answer
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

async function played(scenario: Scenario, actions: readonly Action[]): Promise<Evidence> {
  const mock = await startMock()
  mock.rig().scenarios.arm(scenario)
  for (const one of actions) await act(mock, 'demo', one)
  return collectEvidence(mock.rig())
}

const guilty = ({ findings }: Verdict) =>
  new Set(
    findings
      .filter(({ status, severity }) => status === 'guilty' && severity !== 'information')
      .map(({ rule }) => rule),
  )

const anyActions = fc.array(action, { minLength: 3, maxLength: 14 })
const options = {
  numRuns: Number(process.env.RUNS ?? repetitions(35, 100)),
  seed: Number(process.env.SEED ?? 20_261_121),
}
vi.setConfig({ testTimeout: Math.max(120_000, options.numRuns * 200) })

describe('whatever a client does', () => {
  it('requests that are missing convict nobody, and make nobody innocent', async () => {
    let convicted = 0
    await fc.assert(
      fc.asyncProperty(anyScenario, anyActions, anyEnd, fc.infiniteStream(fc.boolean()), async (...given) => {
        const [scenario, actions, end, coins] = given
        const whole = await played(scenario, actions)
        const attempts = whole.attempts.filter(() => coins.next().value)
        const dropped = whole.attempts.length - attempts.length
        const before = judge(whole, end)
        const after = judge({ ...whole, attempts, dropped }, end)
        convicted += guilty(before).size
        for (const rule of guilty(after)) expect(guilty(before)).toContain(rule)
        if (dropped > 0) expect(after.outcome).not.toBe('innocent')
      }),
      options,
    )
    // Otherwise it would prove nothing.
    expect(convicted).toBeGreaterThan(options.numRuns / 5)
  })

  it('without its end nothing is certain but what the requests show by themselves', async () => {
    const byItself = new Set(rules.filter(({ dependsOn }) => dependsOn === 'request').map(({ id }) => id))
    await fc.assert(
      fc.asyncProperty(anyScenario, anyActions, async (scenario, actions) => {
        for (const rule of guilty(judge(await played(scenario, actions)))) expect(byItself).toContain(rule)
      }),
      options,
    )
  })

  it('the same evidence gives the same verdict, and plain data is enough', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, anyActions, anyEnd, async (scenario, actions, end) => {
        const evidence = await played(scenario, actions)
        const stored = JSON.parse(JSON.stringify(evidence)) as Evidence
        expect(judge(stored, end)).toEqual(judge(evidence, end))
      }),
      { ...options, numRuns: Math.ceil(options.numRuns / 4) },
    )
  })

  it('spaces that are used in turns are judged as if each were alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyScenario,
        anyActions,
        anyActions,
        fc.infiniteStream(fc.boolean()),
        async (scenario, one, other, coins) => {
          const creates = (actions: readonly Action[]) => actions.filter(({ kind }) => kind !== 'wait')
          const alone = await apart(scenario, [creates(one), creates(other)], () => true)
          const inTurns = await apart(
            scenario,
            [creates(one), creates(other)],
            () => coins.next().value as boolean,
          )
          expect(inTurns).toEqual(alone)
        },
      ),
      { ...options, numRuns: Math.ceil(options.numRuns / 2) },
    )
  })
})

/** What is found in two spaces of one mock whose clients act in turns. */
async function apart(
  scenario: Scenario,
  [one, other]: readonly [readonly Action[], readonly Action[]],
  isFirst: () => boolean,
): Promise<string[][]> {
  const mock = await startMock()
  const users = ['demo+one', 'demo+other'] as const
  for (const user of users) {
    await mock.as(user).get('/mailings')
    // Time stands still in each: only the order differs.
    mock.rig(user).clock.freeze()
    mock.rig(user).scenarios.arm(scenario)
  }
  const left: [Action[], Action[]] = [[...one], [...other]]
  while (left[0].length > 0 || left[1].length > 0) {
    const turn = left[1].length === 0 || (left[0].length > 0 && isFirst()) ? 0 : 1
    await act(mock, users[turn], left[turn].shift()!)
  }
  return Promise.all(
    users.map(async user => {
      const { findings, outcome } = judge(inSteps(await collectEvidence(mock.rig(user))), {
        believes: 'unknown',
      })
      return [outcome, ...findings.map(({ rule, status, severity }) => `${rule} ${status} ${severity}`)]
    }),
  )
}

/** With real time in even steps: how long the test itself took between two requests is chance. */
const inSteps = (evidence: Evidence): Evidence => ({
  ...evidence,
  attempts: evidence.attempts.map((attempt, at) => ({
    ...attempt,
    arrived: { ...attempt.arrived, real: at * 2 },
    ended: attempt.ended && { ...attempt.ended, real: at * 2 + 1 },
  })),
})
