import { isDeepStrictEqual } from 'node:util'
import { type DialName, dials } from '../../service/dials.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
import { describeMember, memberAt } from './unknown-json.ts'

/** The outcome of a check. The clause's standing and the dials decide what it means. */
export type Outcome =
  | { readonly is: 'holds'; readonly note?: string }
  | (Seen & { readonly is: 'differs' })
  | Observed
  /** This target has nothing to look at. */
  | { readonly is: 'untestable'; readonly reason: string }
  /** The result is that of another clause. */
  | { readonly is: 'as'; readonly clause: string }

export interface Seen {
  readonly expected: string
  readonly seen: string
  readonly evidence: readonly Exchange[]
}

/** A choice that the mock can follow: a value of a dial, or of a setting that can be read off a target. */
export interface Observed extends Seen {
  readonly is: 'observed'
  readonly choice: ChoiceName
  readonly value: string | number
}

export type ChoiceName =
  | DialName
  | 'relationPrefix'
  | 'platformSegment'
  | 'publicUrl'
  | 'pagesUrl'
  | 'rateLimit'

/** What a comparison comes to that finds no difference. A check takes it from `must` or `compareEach`. */
export const holds: Outcome = { is: 'holds' }
/** After a comparison of which there is more to know: what was not looked at. */
export const holdsAsFarAs = (note: string): Outcome => ({ is: 'holds', note })
export const differs = (
  expected: string,
  seen: string,
  ...evidence: readonly (Exchange | undefined)[]
): Outcome => ({ is: 'differs', expected, seen, evidence: evidence.filter(it => it !== undefined) })
export const observe = (
  choice: ChoiceName,
  value: string | number,
  expected: string,
  seen: string,
  ...evidence: readonly Exchange[]
): Outcome => ({ is: 'observed', choice, value, expected, seen, evidence })
/** The status of an answer, if a dial has it as a value; else it differs from the dial's default. */
export function observedStatus(dial: DialName, answer: Exchange, before: readonly Exchange[] = []): Outcome {
  const expected = dials[dial].default
  const value = String(answer.status)
  if (!(value in dials[dial].values)) return differs(expected, value, ...before, answer)
  return observe(dial, value, expected, value, ...before, answer)
}
export const untestable = (reason: string): Outcome => ({ is: 'untestable', reason })
export const sameAs = (clause: string): Outcome => ({ is: 'as', clause })

/** Thrown to end a check: it saw enough, or this target lacks what it needs. The check then has this outcome. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(outcome.is)
    this.outcome = outcome
  }
}

/** @throws CannotCheck, always: there is nothing to look at */
export function cannotCheck(reason: string): never {
  throw new CannotCheck(untestable(reason))
}

/** What must be: the clause holds, or the check ends with a difference. All throw CannotCheck then. */
export const must = {
  be(isRight: boolean, ...difference: Parameters<typeof differs>): Outcome {
    if (!isRight) throw new CannotCheck(differs(...difference))
    return holds
  },
  /** @param expected in words */
  succeed: (answer: Exchange, expected = '200'): Outcome =>
    must.be(isSuccess(answer), expected, `${answer.status}`, answer),
  /** A refusal that is not for the credentials. */
  beRefused: (answer: Exchange, expected = 'a 4xx'): Outcome =>
    must.be(isRefused(answer), expected, `${answer.status}`, answer),
  haveStatus: (answer: Exchange, status: number, expected = `${status}`): Outcome =>
    must.be(answer.status === status, expected, `${answer.status}`, answer),
  /** @param path of the member that must have the value */
  have: (answer: Exchange, path: string, value: unknown, expected: string): Outcome =>
    must.be(memberAt(answer.json, path) === value, expected, describeMember(answer, path), answer),
  /** Two answers must show the same under these paths. @throws CannotCheck also if neither shows anything there */
  agree(first: Exchange, again: Exchange, ...paths: readonly string[]): Outcome {
    const shown = paths.filter(path => [first, again].some(it => memberAt(it.json, path) !== undefined))
    for (const path of need.some(shown, `there is no ${paths.join(', no ')} to compare`)) {
      const isSame = isDeepStrictEqual(memberAt(first.json, path), memberAt(again.json, path))
      const [one, other] = [first, again].map(it => describeMember(it, path))
      const seen = one === other ? `${other}, with another end` : other!
      must.be(isSame, `${path} ${one}, as in the other response`, seen, first, again)
    }
    return holds
  },
}

/** Of `compareEach`, for what is never empty. */
export const nothingAsked = 'nothing was asked for'

/**
 * Compares one after the other until one does not hold.
 * @param compare what comes of one; undefined if there is nothing in it to compare, as when another clause reports its form
 * @param nothing why the clause is not testable if none could be compared
 */
export async function compareEach<It>(
  all: Iterable<It>,
  nothing: string,
  compare: (it: It) => Promise<Outcome | undefined> | Outcome | undefined,
): Promise<Outcome> {
  let result = untestable(nothing)
  for (const it of all) {
    const outcome = (await compare(it)) ?? result
    if (outcome.is !== 'holds' && outcome !== result) return outcome
    result = outcome
  }
  return result
}

export type Some<It> = readonly [It, ...It[]]
const isSome = <It>(all: readonly It[]): all is Some<It> => all.length > 0

/** What must be there to look at, or the clause is not testable here. All throw CannotCheck then. */
export const need = {
  success(answer: Exchange, what: string): undefined {
    if (!isSuccess(answer)) cannotCheck(`${what} was answered ${answer.status}`)
  },
  /** All of them, if there are any. */
  some: <It>(all: readonly It[], reason: string): Some<It> => (isSome(all) ? all : cannotCheck(reason)),
  value: <Value>(value: Value | undefined, reason: string): Value => value ?? cannotCheck(reason),
}
