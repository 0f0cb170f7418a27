import type { ClientEnd } from '../client/shapes.ts'
import type { SpaceControl } from '../client/space-control.ts'
import { findingsShown, requestsShown, sendingsShown } from './account.ts'

/** What a matcher gives to `expect`. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** What `expect` gives to a matcher, as far as these need it. */
export interface MatcherState {
  readonly isNot?: boolean | undefined
}

/** The matchers on what `expect(space)` gives, for the types of a test runner. Each has to be awaited. */
export interface SpaceMatchers<Result = Promise<void>> {
  /**
   * One sending truly went out since the space began, whatever the client was told.
   * @param synchronizationId only sendings of it count, and others do not matter
   */
  toHaveSentExactlyOnce(synchronizationId?: string): Result
  /** So many sendings truly went out. @param synchronizationId only sendings of it count */
  toHaveSent(count: number, synchronizationId?: string): Result
  /**
   * The judge finds that clients kept to the service's rules for them. What it cannot know counts as a finding: tell how
   * the client ended, and it knows.
   * @param end such as `{ believes: 'sent' }`
   */
  toHaveNoFindings(end?: ClientEnd): Result
  /** Each scenario and one-shot fault that was armed has struck: a test whose fault never struck proves nothing. */
  toHaveStruck(): Result
}

/** For `expect.extend(matchers)`, of vitest, Jest or whatever else knows the form. */
export const matchers: {
  toHaveSentExactlyOnce(
    this: MatcherState,
    space: unknown,
    synchronizationId?: string,
  ): Promise<MatcherResult>
  toHaveSent(
    this: MatcherState,
    space: unknown,
    count: number,
    synchronizationId?: string,
  ): Promise<MatcherResult>
  toHaveNoFindings(this: MatcherState, space: unknown, end?: ClientEnd): Promise<MatcherResult>
  toHaveStruck(this: MatcherState, space: unknown): Promise<MatcherResult>
} = {
  toHaveSentExactlyOnce(space, synchronizationId) {
    return sent(spaceIn(space, 'toHaveSentExactlyOnce'), 1, synchronizationId, this.isNot)
  },
  toHaveSent(space, count, synchronizationId) {
    if (!Number.isInteger(count) || count < 0)
      throw new TypeError(`toHaveSent expects a count from 0; seen: ${String(count)}`)
    return sent(spaceIn(space, 'toHaveSent'), count, synchronizationId, this.isNot)
  },
  async toHaveNoFindings(given, end) {
    const space = spaceIn(given, 'toHaveNoFindings')
    const verdict = await space.verdict(end)
    const asked = await requestsShown(space)
    const cure =
      verdict.outcome === 'open' && end?.believes === undefined
        ? "\nNothing is proved. Tell how the client ended, and what is open is closed: toHaveNoFindings({ believes: 'sent' })"
        : ''
    return {
      pass: verdict.outcome === 'innocent',
      message: () =>
        `expected space "${space.name}" ${this.isNot ? 'to have findings' : 'to have no findings'}; the verdict is ${verdict.outcome}\n\n${findingsShown(verdict)}\n\n${asked}${cure}`,
    }
  },
  async toHaveStruck(given) {
    const space = spaceIn(given, 'toHaveStruck')
    const [{ unstruck }, inForce, faults] = await Promise.all([
      space.verdict(),
      space.scenario(),
      space.faults.list(),
    ])
    const isArmed =
      inForce.scenario !== null || inForce.chosen.length > 0 || faults._embedded.faults.length > 0
    const idle = unstruck.map(({ what, name, rule }) =>
      rule === null ? `${what} ${name}` : `rule ${rule} of ${name}`,
    )
    const asked = await requestsShown(space)
    const what = isArmed ? `never struck: ${idle.join('; ') || 'none'}` : 'nothing is armed in it'
    return {
      pass: isArmed && unstruck.length === 0,
      message: () =>
        `expected what is armed in space "${space.name}" ${this.isNot ? 'not to have struck, all of it' : 'to have struck'}; ${what}\n\n${asked}`,
    }
  },
}

async function sent(
  space: SpaceControl,
  expected: number,
  synchronizationId: string | undefined,
  isNot = false,
): Promise<MatcherResult> {
  const filter = synchronizationId === undefined ? {} : { synchronizationId }
  const [gone, { sendings }, asked, verdict] = await Promise.all([
    space.sent(filter),
    space.platform(),
    requestsShown(space),
    space.verdict(),
  ])
  const of = synchronizationId === undefined ? '' : ` synchronization ${synchronizationId}`
  return {
    pass: gone.length === expected,
    message: () =>
      `expected space "${space.name}" ${isNot ? 'not ' : ''}to have sent${of} ${times(expected)}; it truly went out ${times(gone.length)}\n\n${sendingsShown(sendings)}\n\n${asked}\n\n${findingsShown(verdict)}`,
  }
}

const times = (count: number): string =>
  count === 0 ? 'never' : count === 1 ? 'exactly once' : `${count} times`

/**
 * By what it does: a test runner may have loaded its class twice.
 * @throws TypeError for whatever else was given to `expect`
 */
function spaceIn(given: unknown, matcher: string): SpaceControl {
  const isObject = typeof given === 'object' && given !== null
  const seen = isObject ? (given as Partial<SpaceControl>) : undefined
  if (seen && typeof seen.sent === 'function' && typeof seen.verdict === 'function')
    return given as SpaceControl
  const shown = given === null ? 'null' : isObject ? 'another object' : typeof given
  throw new TypeError(
    `${matcher} expects a space, such as mock.space() or the fixture "space"; seen: ${shown}`,
  )
}
