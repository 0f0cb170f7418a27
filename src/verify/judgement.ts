import type { Clause } from '../contract/clauses.ts'
import { type DialName, type DialValues, dials } from '../service/dials.ts'
import type { Entry } from './check.ts'
import type { Exchange } from './exchange.ts'
import type { Outcome } from './outcome.ts'
import type { ClauseResult, Status } from './result.ts'

/** What the mock is set to that the target is compared with. */
export interface Expected {
  readonly dials: Partial<DialValues>
  readonly relationPrefix?: string
  readonly platformSegment?: string
  readonly publicUrl?: string
  readonly rateLimit?: number
}

/** Bodies in reports are no longer than this. */
const longestBody = 2_000

/** A clause's result before anything is known of it. */
export const blank = ({ id, says, standing }: Clause, entry: Entry): ClauseResult => ({
  clause: id,
  says,
  standing,
  status: 'not run',
  looksAt: 'looksAt' in entry ? entry.looksAt : null,
  expected: null,
  seen: null,
  reason: null,
  see: null,
  turn: null,
  evidence: [],
})

/** What an outcome weighs: by the clause's standing, and by how the mock's dials stand. */
export function judged(result: ClauseResult, outcome: Outcome, expected: Expected): ClauseResult {
  switch (outcome.is) {
    case 'holds':
      return { ...result, status: 'holds', reason: outcome.note ?? null }
    case 'untestable':
      return { ...result, status: 'not testable', reason: outcome.reason }
    case 'as':
      return { ...result, see: outcome.clause }
    case 'differs':
      return { ...result, status: isOurGuess(result) ? 'otherwise' : 'differs', ...told(outcome) }
    case 'observed': {
      const { dial, value } = outcome
      if (value === (expected.dials[dial] ?? dials[dial].default)) return { ...result, status: 'holds' }
      return { ...result, status: 'otherwise', ...told(outcome), turn: { name: dial, value, isDial: true } }
    }
    case 'set': {
      const { setting, value } = outcome
      if (value === expected[setting]) return { ...result, status: 'holds' }
      return {
        ...result,
        status: 'otherwise',
        ...told(outcome),
        turn: { name: flagOf(setting), value, isDial: false },
      }
    }
  }
}

/** What the document says is law; a difference from what we inferred tells of us. */
const isOurGuess = ({ standing }: ClauseResult) => standing === 'house style' || standing === 'assumed'

const told = (it: { expected: string; seen: string; evidence: readonly Exchange[] }) => ({
  expected: it.expected,
  seen: it.seen,
  evidence: it.evidence.map(shortened),
})

const shortened = ({
  text,
  json: _,
  requestBody,
  ...others
}: Exchange): ClauseResult['evidence'][number] => ({
  ...others,
  requestBody: requestBody === null ? null : cut(requestBody),
  body: cut(text),
})

const cut = (text: string) => (text.length > longestBody ? `${text.slice(0, longestBody)}…` : text)

const flagOf = (setting: string) => setting.replaceAll(/[A-Z]/g, it => `-${it.toLowerCase()}`)

/** The result of a clause that comes to what others come to. */
export function following(result: ClauseResult, others: readonly ClauseResult[]): ClauseResult {
  const order: readonly Status[] = [
    'differs',
    'otherwise',
    'not run',
    'holds',
    'skipped',
    'not testable',
    'outside',
  ]
  const [worst] = others.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  const { status, clause, see, reason } = worst!
  const isTold = status === 'differs' || status === 'otherwise'
  return {
    ...result,
    status,
    see: isTold ? (see ?? clause) : null,
    reason: isTold || status === 'holds' ? `as ${others.map(it => it.clause).join(', ')}` : reason,
    turn: isTold ? worst!.turn : null,
  }
}

/** The dial and its value that were observed, whatever is expected. */
export const observation = (outcome: Outcome): readonly [DialName, string] | undefined =>
  outcome.is === 'observed' ? [outcome.dial, outcome.value] : undefined
