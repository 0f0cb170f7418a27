import { byTime, type Lane, type Moment, type Step } from './lanes.ts'
import { textWidth } from './lanes-widths.ts'
import { pauseText } from './lanes-words.ts'

/** Where a step stands, in pixels from the left. */
export interface Place {
  readonly x: number
  /** Where it is over. */
  readonly until: number
  /** Which line of its lane's bars, from 0: what overlaps stands below one another. */
  readonly track: number
}

export interface Tick {
  readonly x: number
  readonly at: Moment
}

/** Time from left to right, for lanes that were under way at the same time. */
export interface Axis {
  readonly width: number
  readonly places: ReadonlyMap<Step, Place>
  /** Where time is told, with room for its words. */
  readonly ticks: readonly Tick[]
}

/** Pixels before the first step and after the last. */
const margin = 10
/** Least length of a bar, however short the exchange was. */
const shortest = 6
const betweenLabels = 10
/** From one tick to the next. */
const tickRoom = 92

/**
 * How far apart two moments stand. In proportion, most would be one dot or far away: milliseconds and minutes stand side
 * by side here. So it grows ever slower, and what is long says in words how long it is.
 * @param lived milliseconds
 */
export function distance(lived: number): number {
  if (lived <= 0) return 0
  return lived < 1_000 ? 7 * Math.log2(1 + lived) : 70 + 20 * Math.log2(lived / 1_000)
}

interface Event {
  readonly step: Step
  readonly lane: number
  readonly isEnd: boolean
  readonly at: Moment
  /** Orders what has the same time: each step ends before the next one begins. */
  readonly rank: number
}

/**
 * Lays out what happened. No step stands left of an earlier one, and every label has its room.
 * @param widthOf pixels that the words of a step take, above and below the line
 */
export function axisOf(
  lanes: readonly Lane[],
  widthOf: (step: Step) => { readonly above: number; readonly below: number },
): Axis {
  const places = new Map<Step, Place>()
  const ticks: Tick[] = []
  const free = lanes.map(() => ({ above: 0, below: 0 }))
  const last = lanes.map(() => undefined as Step | undefined)
  const begun = new Map<Step, { x: number; track: number }>()
  let x = margin
  let before: Moment | undefined
  let width = 0
  for (const { step, lane, isEnd, at } of eventsOf(lanes)) {
    if (before) x += distance(Math.max(at.real - before.real, at.clock - before.clock))
    before = at
    if (isEnd) {
      const { x: start, track } = begun.get(step)!
      x = Math.max(x, start)
      places.set(step, { x: start, until: Math.max(x, start + shortest), track })
      begun.delete(step)
      continue
    }
    const previous = last[lane]
    const room = widthOf(step)
    const taken = free[lane]!
    x = Math.max(
      x,
      room.above > 0 ? taken.above : 0,
      room.below > 0 ? taken.below : 0,
      previous && places.has(previous) ? places.get(previous)!.until + pauseRoom(previous, step) : 0,
    )
    if (room.above > 0) taken.above = x + room.above + betweenLabels
    if (room.below > 0) taken.below = x + room.below + betweenLabels
    width = Math.max(width, taken.above, taken.below)
    begun.set(step, { x, track: freeTrack(lanes[lane]!, begun) })
    if (step.what !== 'sent') last[lane] = step
    if (ticks.length === 0 || x - ticks.at(-1)!.x >= tickRoom) tell(ticks, { x, at })
  }
  const end = Math.max(x + margin, width)
  // What is still under way goes on to the end.
  for (const [step, { x: start, track }] of begun) places.set(step, { x: start, until: end, track })
  return { width: Math.ceil(end + margin), places, ticks }
}

function eventsOf(lanes: readonly Lane[]): Event[] {
  const starts = lanes
    .flatMap(({ steps }, lane) => steps.map(step => ({ step, lane })))
    .sort((one, other) => byTime(one.step.begins, other.step.begins))
  return starts
    .flatMap(({ step, lane }, rank): Event[] => [
      { step, lane, isEnd: false, at: step.begins, rank },
      ...(step.ends ? [{ step, lane, isEnd: true, at: step.ends, rank: rank + 0.5 }] : []),
    ])
    .sort((one, other) => byTime(one.at, other.at) || one.rank - other.rank)
}

function pauseRoom(before: Step, after: Step): number {
  const text = pauseText(before, after)
  return text === undefined ? 4 : textWidth(text, 'small') + 14
}

function freeTrack({ steps }: Lane, begun: ReadonlyMap<Step, { readonly track: number }>): number {
  const taken = new Set(steps.map(step => begun.get(step)?.track))
  let track = 0
  while (taken.has(track)) track++
  return track
}

/** Where the clock stands, the same time is not told twice. */
function tell(ticks: Tick[], tick: Tick): void {
  if (ticks.at(-1)?.at.clock !== tick.at.clock) ticks.push(tick)
}
