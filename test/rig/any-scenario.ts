import fc from 'fast-check'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import type { Scenario } from '../../src/rig/scenarios/scenario.ts'

/** Answers and faults that lose the truth but never falsify it: what a client is told otherwise is what happened. */
const lossy = fc.constantFrom<object | undefined>(
  undefined,
  undefined,
  { status: 500 },
  { status: 502, body: 'gateway-html' },
  { status: 503, retryAfter: 2 },
  { status: 429, retryAfter: { dateIn: '10s' } },
  { fault: 'reset' },
  { fault: 'close' },
  { fault: 'truncate' },
)

const delay = fc.constantFrom<unknown>('1s', '35s', { min: '1s', max: '1m' }, { median: '2s', p99: '1m' })
const lasting = fc.record(
  { times: fc.integer({ min: 1, max: 3 }), for: fc.constantFrom('5s', '30s', '5m') },
  { requiredKeys: [] },
)
const ofState = fc.constantFrom<object>(
  {},
  { state: 'CREATED' },
  { state: 'PENDING' },
  { state: 'FAILED' },
  { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
  { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
)
const ofPartial = fc.constantFrom<object>(
  {},
  { state: 'PENDING' },
  { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
)
const waiting = fc.record({ delay, hold: fc.constantFrom('one', 'two') }, { requiredKeys: [] })

const step = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constant({ phase: 'after' }), ofState).map(merged) },
      { weight: 2, arbitrary: fc.constant({ phase: 'before' }) },
      { weight: 1, arbitrary: fc.constant({ phase: 'bound' }) },
      { weight: 1, arbitrary: fc.tuple(fc.constant({ phase: 'partial' }), ofPartial).map(merged) },
    ),
    lossy.map(answer => answer && { answer }),
    fc.option(lasting, { nil: {} }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: waiting },
      { weight: 1, arbitrary: delay.map(it => ({ deliver: 'late', delay: it })) },
      { weight: 1, arbitrary: fc.constant({ deliver: 'twice' }) },
    ),
  )
  .map(parts => withoutContradiction(merged(parts)))

const rule = fc
  .tuple(
    fc.record({
      per: fc.constantFrom('transaction', 'client-request', 'space'),
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    }),
    fc.record(
      {
        chance: fc.constantFrom(0.3, 0.7),
        when: fc.constantFrom(
          { transactionId: 'present' },
          { transactionId: 'absent' },
          { transactionId: 'A' },
          { 'body:subject': { prefix: 'x' } },
        ),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([one, more]) => longestValid(one.steps, steps => ({ on: 'createSending', ...one, ...more, steps })))

/** Any scenario about sendings that are created. Steps and rules that contradict those before them are left out. */
export const anyScenario: fc.Arbitrary<Scenario> = fc.array(rule, { minLength: 1, maxLength: 3 }).map(rules =>
  scenarioFrom(
    {
      rules: longestValid(
        rules,
        some => some,
        (some: readonly object[]) => ({ rules: some }),
      ),
    },
    'any',
    'the test',
  ),
)

function merged(parts: readonly (object | undefined)[]): Record<string, unknown> {
  return Object.assign({}, ...parts)
}

/** Only what is done can be delivered late or twice. */
const withoutContradiction = ({ deliver, ...rest }: Record<string, unknown>) =>
  deliver === undefined || rest.phase !== 'after' ? rest : { ...rest, deliver }

/** As many of them as can be together, from the first on. */
function longestValid<Item, Whole>(
  items: readonly Item[],
  whole: (some: readonly Item[]) => Whole,
  file: (it: Whole) => object = it => ({ rules: [it] }),
): Whole {
  for (let count = items.length; count > 1; count--) {
    const candidate = whole(items.slice(0, count))
    try {
      scenarioFrom(file(candidate), 'any', 'the test')
      return candidate
    } catch {}
  }
  return whole(items.slice(0, 1))
}
