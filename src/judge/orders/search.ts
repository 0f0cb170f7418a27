/** A step that a run can take next. */
export interface Step {
  /** The same in every run in which the same steps came before it; unique among the steps that are possible at a time. */
  readonly label: string
  /**
   * What it reads and changes. Names begin with a slash; one that ends with a slash also stands for all that begin with it. Two steps
   * commute if neither changes what the other one reads or changes.
   */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Whether a run can also go without it: it is tried wherever it is possible. */
  readonly isOptional?: boolean
  /** Whether it becomes possible only when all else that goes on has been done, so that it precedes nothing that came before it. */
  readonly isLast?: boolean
}

/** Says which step comes next, by its label. Undefined: what would follow is the same as in a run that has been played. */
export type Choose = (possible: readonly Step[]) => Step | undefined

/** Plays a run from its beginning, the same for the same choices. @returns undefined if it was broken off */
export type PlayRun<Outcome> = (choose: Choose) => Promise<Outcome | undefined>

/** What is known of a moment at which a step was chosen. */
interface Moment {
  readonly possible: readonly Step[]
  chosen: Step
  /** Steps from which everything has been tried, here or in a run that differs only in the order of steps that commute. */
  readonly asleep: Map<string, Step>
  /** Number of steps that were taken here, one in each run. */
  taken: number
  /** Labels of steps that have to be tried here. */
  readonly wanted: Set<string>
  /** For each possible step the moments whose steps it cannot precede: what made it possible, and what that depends on. */
  readonly pasts: ReadonlyMap<string, bigint>
  /** The same of the chosen step, with all earlier ones that it does not commute with. */
  past: bigint
}

/** A client does not do the same again, so orders of its steps cannot be compared. */
export class OrderDivergence extends Error {
  override readonly name = 'OrderDivergence'
}

export interface OrderSearch {
  /** Runs that were played to their end. */
  readonly runs: number
  /** Times that another order was not played, or not to its end, since one with the same result was. */
  readonly skipped: number
  /** Orders that could not be followed, since the client did something else after the same steps. */
  readonly lost: number
  /** How two runs differ that should be alike; undefined for none. */
  readonly divergence: string | undefined
  /** Whether every order was played or has the same result as one that was. */
  readonly isComplete: boolean
}

/** Times that an order is tried until it is lost. */
const tries = 3
/** If so many orders are lost, and most of those that were tried, no other one is. */
const manyLost = 30

/**
 * Plays every order of steps, except those that differ from one that is played only in the order of steps that commute: depth-first, each run
 * from the beginning. A moment gets another choice only where a later step does not commute with the one that was taken there, and could have
 * come first (dynamic partial-order reduction, Flanagan and Godefroid 2005). Sleep sets keep a step from being tried twice.
 * @throws what a run throws, but OrderDivergence
 */
export async function searchOrders<Outcome>(
  play: PlayRun<Outcome>,
  onRun: (outcome: Outcome, moments: readonly Readonly<Pick<Moment, 'possible' | 'chosen'>>[]) => void,
  isOver: () => boolean = () => false,
): Promise<OrderSearch> {
  const moments: Moment[] = []
  let runs = 0
  let skipped = 0
  let lost = 0
  let divergence: string | undefined
  for (;;) {
    const followed = await follow(play, moments)
    if (followed instanceof OrderDivergence) {
      divergence ??= followed.message
      lost++
    } else if (followed === undefined) skipped++
    else {
      runs++
      onRun(followed, moments)
    }
    skipped += backtrack(moments)
    const isEnd = moments.length === 0
    if (isEnd || isOver() || (lost >= manyLost && lost > runs))
      return { runs, skipped, lost, divergence, isComplete: isEnd && lost === 0 }
  }
}

/** Plays the order of these moments, and adds those that follow. Of an order that is lost none is added. */
async function follow<Outcome>(play: PlayRun<Outcome>, moments: Moment[]) {
  const before = moments.length
  for (let nth = 1; ; nth++) {
    let at = 0
    const choose: Choose = possible => {
      const same = moments[at]
      if (same) {
        if (!areAlike(same.possible, possible))
          throw new OrderDivergence(divergenceWords(same.possible, possible))
      } else {
        const moment = enter(moments, possible)
        if (!moment) return undefined
        moments.push(moment)
      }
      return moments[at++]!.chosen
    }
    try {
      return await play(choose)
    } catch (error) {
      if (!(error instanceof OrderDivergence)) throw error
      moments.length = before
      if (nth === tries) return error
    }
  }
}

/** A new moment after those before it, which then know what else has to be tried. Undefined if nothing new can follow. */
function enter(moments: readonly Moment[], possible: readonly Step[]): Moment | undefined {
  const last = moments.at(-1)
  // What is possible no more, such as the end of a time limit once the answer is there, has to be tried where it was.
  if (last && !last.chosen.isOptional)
    for (const { label } of last.possible)
      if (label !== last.chosen.label && !possible.some(it => it.label === label)) last.wanted.add(label)
  const asleep = new Map<string, Step>()
  for (const [label, step] of last?.asleep ?? []) if (doCommute(step, last!.chosen)) asleep.set(label, step)
  const pasts = new Map(possible.map(step => [step.label, pastOf(step, last, moments.length - 1)] as const))
  for (const step of possible) demandRace(moments, step, pasts.get(step.label)!)
  const chosen = possible.find(({ label }) => !asleep.has(label))
  if (!chosen) return undefined
  const wanted = new Set(possible.filter(it => it === chosen || it.isOptional).map(({ label }) => label))
  const moment = { possible, chosen, asleep, taken: 1, wanted, pasts, past: 0n }
  moment.past = wholePast(moments, chosen, pasts.get(chosen.label)!)
  return moment
}

const bit = (at: number) => 1n << BigInt(at)

function pastOf({ label, isLast }: Step, last: Moment | undefined, at: number): bigint {
  if (!last) return 0n
  if (isLast) return bit(at + 1) - 1n
  return (last.chosen.label === label ? undefined : last.pasts.get(label)) ?? last.past | bit(at)
}

function wholePast(moments: readonly Moment[], step: Step, own: bigint): bigint {
  let past = own
  for (let at = moments.length - 1; at >= 0; at--)
    if (!(past & bit(at)) && !doCommute(moments[at]!.chosen, step)) past |= bit(at) | moments[at]!.past
  return past
}

/** If a step could have come before the last one that it does not commute with, that order is tried as well. */
function demandRace(moments: readonly Moment[], step: Step, past: bigint): void {
  for (let at = moments.length - 1; at >= 0; at--) {
    const moment = moments[at]!
    if (past & bit(at) || doCommute(moment.chosen, step)) continue
    const leading = leadingTo(moments, at, step, past)
    const all = leading ? [leading] : moment.possible.map(({ label }) => label)
    for (const label of all) moment.wanted.add(label)
    return
  }
}

/** A step that was possible at a moment and leads to this one without the step that was chosen there. */
function leadingTo(moments: readonly Moment[], at: number, step: Step, past: bigint): string | undefined {
  const { possible, chosen } = moments[at]!
  const isPossible = (label: string) => label !== chosen.label && possible.some(it => it.label === label)
  if (isPossible(step.label)) return step.label
  for (let later = at + 1; later < moments.length; later++)
    if (past & bit(later) && isPossible(moments[later]!.chosen.label)) return moments[later]!.chosen.label
  return undefined
}

/** Goes back to the last moment with something left to try, and chooses that. @returns number of steps that need not be tried */
function backtrack(moments: Moment[]): number {
  let skipped = 0
  for (let moment = moments.at(-1); moment; moment = moments.at(-1)) {
    const { possible, asleep, wanted, pasts, chosen } = moment
    asleep.set(chosen.label, chosen)
    wanted.delete(chosen.label)
    const next = possible.find(({ label }) => wanted.has(label) && !asleep.has(label))
    if (next) {
      moment.chosen = next
      moment.taken++
      moment.past = wholePast(moments.slice(0, -1), next, pasts.get(next.label)!)
      return skipped
    }
    skipped += possible.length - moment.taken
    moments.pop()
  }
  return skipped
}

const overlaps = (one: string, other: string): boolean =>
  one === other ||
  (one.endsWith('/') && other.startsWith(one)) ||
  (other.endsWith('/') && one.startsWith(other))

const isAnyOf = (some: readonly string[], others: readonly string[]): boolean =>
  some.some(one => others.some(other => overlaps(one, other)))

/** Whether two steps lead to the same, whichever comes first. */
export const doCommute = (one: Step, other: Step): boolean =>
  !isAnyOf(one.writes, other.writes) && !isAnyOf(one.writes, other.reads) && !isAnyOf(one.reads, other.writes)

const areAlike = (some: readonly Step[], others: readonly Step[]): boolean =>
  some.length === others.length && some.every((it, at) => it.label === others[at]!.label)

const divergenceWords = (...some: readonly (readonly Step[])[]): string =>
  some.map(steps => steps.map(({ label }) => label).join(' ')).join(' or ')
