import { requireObject } from './control-calls.ts'
import type { SpaceControl } from './control-client.ts'
import type { ClientEnd } from './control-types.ts'
import {
  accusationLine,
  describeFindings,
  describeRequests,
  describeSendings,
  ofOneWorker,
  whyNotInnocent,
} from './failure-messages.ts'

export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** The part of the matcher context of `expect` that is used here. */
export interface MatcherState {
  readonly isNot?: boolean | undefined
}

/** The matchers of `expect(space)`, and of results of exams, for the types of a test runner. Each must be awaited. */
export interface SpaceMatchers<Result = Promise<void>> {
  /** Exactly one sending went out, whatever the client was told. @param synchronizationId counts only its sendings */
  toHaveSentExactlyOnce(synchronizationId?: string): Result
  /** Exactly `count` sendings were actually sent. @param synchronizationId counts only sendings of this synchronization */
  toHaveSent(count: number, synchronizationId?: string): Result
  /**
   * The judge finds no broken rule. An open finding counts, too: pass how the client ended, so that it can be decided.
   * Then certain harm counts, such as a mailing that was not sent where the client believes it was. The client had one
   * worker, unless `end` says how many.
   * @param end such as `{ believes: 'sent' }`
   */
  toHaveNoFindings(end?: ClientEnd): Result
  /** Every armed scenario and one-shot fault fired: a test whose fault never fired proves nothing. */
  toHaveFired(): Result
  /** Of the result of `runExam`: the client passed. The message is the report. */
  toHavePassed(): Result
}

/** For `expect.extend(matchers)` of vitest, Jest and compatible test runners. */
export const matchers: {
  readonly [Name in keyof SpaceMatchers]: (
    this: MatcherState,
    space: unknown,
    ...rest: Parameters<SpaceMatchers[Name]>
  ) => Promise<MatcherResult>
} = {
  toHaveSentExactlyOnce(space, synchronizationId) {
    return matchSendings(requireSpace(space, 'toHaveSentExactlyOnce'), 1, synchronizationId, this.isNot)
  },
  toHaveSent(space, count, synchronizationId) {
    if (!Number.isInteger(count) || count < 0)
      throw new TypeError(`toHaveSent expects a count from 0, got ${String(count)}`)
    return matchSendings(requireSpace(space, 'toHaveSent'), count, synchronizationId, this.isNot)
  },
  async toHaveNoFindings(given, end) {
    const space = requireSpace(given, 'toHaveNoFindings')
    requireObject('toHaveNoFindings', end, { believes: 'sent' })
    const verdict = await space.verdict({ ...ofOneWorker, ...end })
    const asked = await describeRequests(space)
    const cure =
      verdict.outcome === 'open' && end?.believes === undefined
        ? "\nNothing is proved. Tell how the client ended, and what is open is closed: toHaveNoFindings({ believes: 'sent' })"
        : ''
    const reason = whyNotInnocent(verdict)
    return {
      pass: reason === undefined,
      message: () =>
        `expected space "${space.name}" ${this.isNot ? 'to have findings' : 'to have no findings'}; ${reason ?? 'the verdict is innocent'}\n\n${describeFindings(verdict)}\n\n${asked}${cure}`,
    }
  },
  async toHaveFired(given) {
    const space = requireSpace(given, 'toHaveFired')
    const [{ unstruck, hint = '' }, inForce, faults] = await Promise.all([
      space.verdict(ofOneWorker),
      space.scenario(),
      space.faults.list(),
    ])
    const isArmed =
      inForce.scenario !== null || inForce.chosen.length > 0 || faults._embedded.faults.length > 0
    const idle = unstruck.map(({ what, name, rule }) =>
      rule === null ? `${what} ${name}` : `rule ${rule} of ${name}`,
    )
    const asked = await describeRequests(space)
    const what = isArmed ? `never fired: ${idle.join('; ') || 'none'}` : 'nothing is armed in it'
    return {
      pass: isArmed && unstruck.length === 0,
      message: () =>
        `expected what is armed in space "${space.name}" ${this.isNot ? 'not to have fired, all of it' : 'to have fired'}; ${what}\n\n${asked}${hint && `\n${hint}`}`,
    }
  },
  async toHavePassed(given) {
    const { isPassed, report } = Object(given) as { readonly isPassed?: unknown; readonly report?: unknown }
    if (typeof isPassed !== 'boolean') throw new TypeError('toHavePassed expects the result of runExam')
    return {
      pass: isPassed,
      message: () => `expected the client ${this.isNot ? 'not to pass' : 'to pass'}\n\n${report ?? ''}`,
    }
  },
}

async function matchSendings(
  space: SpaceControl,
  expected: number,
  synchronizationId: string | undefined,
  isNot = false,
): Promise<MatcherResult> {
  const filter = synchronizationId === undefined ? {} : { synchronizationId }
  const [gone, { sendings }, asked, verdict] = await Promise.all([
    space.sent(filter),
    space.platform(),
    describeRequests(space),
    space.verdict(ofOneWorker),
  ])
  const of = synchronizationId === undefined ? '' : ` synchronization "${synchronizationId}"`
  const isMissing =
    of !== '' &&
    gone.length === 0 &&
    !(await space.snapshot()).synchronizations.some(({ id }) => id === synchronizationId)
  const hint = isMissing ? ', for there is no such synchronization in it' : ''
  return {
    // Then neither the assertion nor its opposite holds: the ID is misspelt.
    pass: isMissing ? isNot : gone.length === expected,
    message: () =>
      `expected space "${space.name}" ${isNot ? 'not ' : ''}to have ${describeCount(expected, of)}; it was ${describeCount(gone.length)}${hint}${accusationLine(verdict)}\n\n${describeSendings(sendings)}\n\n${asked}\n\n${describeFindings(verdict)}`,
  }
}

const describeCount = (count: number, of = ''): string =>
  count === 0 ? `never sent${of}` : `sent${of} ${count === 1 ? 'exactly once' : `${count} times`}`

/** Checks by members: a test runner may have loaded the class twice. @throws TypeError for anything but a space */
function requireSpace(given: unknown, matcher: string): SpaceControl {
  const { sent, verdict } = Object(given) as Partial<SpaceControl>
  if (typeof sent === 'function' && typeof verdict === 'function') return given as SpaceControl
  const shown = given === null ? 'null' : typeof given === 'object' ? 'another object' : typeof given
  throw new TypeError(`${matcher} expects a space, such as mock.space() or the fixture "space", got ${shown}`)
}
