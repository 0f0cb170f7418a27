/**
 * The generated scenarios: the response is lost in each phase of the work, in each form, on each of the first attempts.
 * A cell is the value of a scenario file; the library reads it like any other.
 */

const phases = {
  before: 'nothing has been done',
  bound: 'the transactionId is taken and the work goes on',
  partial: 'a platform mailing exists and nothing is sent',
  after: 'everything is done',
} as const

const attempts = [1, 2, 3] as const

/** What the client gets in place of the answer, by the form's part of the scenario name: a fault of that name, or a status. */
const forms = {
  hang: 'no response over an open connection',
  close: 'the end of the connection',
  reset: 'a broken connection',
  'status-cut': 'a part of the status line',
  'headers-cut': 'a part of the headers',
  truncate: 'less of the body than its length says',
  'truncate-eof': 'a part of the body that ends like a whole one',
  'chunk-cut': 'a chunked body without its end',
  stall: 'a part of the body and then nothing more',
  drip: 'the body byte by byte',
  'malformed-json': 'half of the JSON',
  garbage: 'bytes that are not HTTP',
  '500': 'a problem with status 500',
  '502': "a proxy's page with status 502",
  '503': 'a problem with status 503 and a Retry-After',
  '504': "a proxy's page with status 504",
} as const

const statuses: Readonly<Record<string, object>> = {
  '500': { status: 500 },
  '502': { status: 502, body: 'gateway-html' },
  '503': { status: 503, retryAfter: 1 },
  '504': { status: 504, body: 'gateway-html' },
}

/** Beginnings of descriptions, by the attempt that is disturbed. */
const beginnings = {
  1: 'The first attempt',
  2: 'The first attempt is not processed (500). The second',
  3: 'The first two attempts are not processed (500). The third',
} as const

type PhaseName = keyof typeof phases

/** The states that repeats find one after the other, so that a correct client succeeds. */
const outcomes: Readonly<Record<PhaseName, { states: readonly string[]; described: string }>> = {
  before: { states: ['CREATED'], described: 'A retry is processed like a first attempt.' },
  bound: { states: ['PENDING', 'CREATED'], described: 'A retry gets PENDING, the next one CREATED.' },
  partial: {
    states: ['FAILED', 'CREATED'],
    described: 'A retry gets FAILED; a new transactionId gets CREATED.',
  },
  after: { states: ['CREATED'], described: 'A retry gets CREATED.' },
}

/** Forms that only the client's own timeout, or patience, ends. */
const slowForms: ReadonlySet<string> = new Set(['hang', 'stall', 'drip'])

const cells = (Object.keys(phases) as PhaseName[]).flatMap(phase =>
  Object.entries(forms).flatMap(([form, told]) => attempts.map(attempt => ({ phase, form, told, attempt }))),
)

/** By names such as `loss-after-reset-2`: phase, form and the disturbed attempt. */
const cellsByName = new Map<string, (typeof cells)[number]>(
  cells.map(it => [`loss-${it.phase}-${it.form}-${it.attempt}`, it]),
)

export const lossNames: readonly string[] = [...cellsByName.keys()]

/** For the documentation: the parts of a name with their meaning. */
export const lossParts = { phases, forms, attempts }

/** The scenario with this name, as the value of a file. Undefined if the matrix has none. */
export function lossScenario(name: string): object | undefined {
  const cell = cellsByName.get(name)
  if (!cell) return undefined
  const { phase, form, told, attempt } = cell
  const answer = statuses[form] ?? { fault: form }
  return {
    description: `${beginnings[attempt]} is answered with ${told} when ${phases[phase]}. ${outcomes[phase].described}`,
    rules: [
      {
        on: 'createSending',
        // After FAILED a correct client continues with a new transactionId, which must find the same progress.
        per: phase === 'partial' ? 'client-request' : 'transaction',
        steps: [
          // Earlier attempts must do nothing, so that the disturbed attempt is the one that does the work.
          ...(attempt > 1 ? [{ phase: 'before', answer: { status: 500 }, times: attempt - 1 }] : []),
          { phase, answer, times: 1 },
          ...outcomes[phase].states.map(state => ({ state })),
        ],
      },
    ],
    expect: { sent: 1, belief: 'sent' },
    tags: ['loss-matrix', phase, form, ...(slowForms.has(form) ? ['slow'] : [])],
  }
}
