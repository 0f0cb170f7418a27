import type { Lane } from './lanes.ts'

/** Lanes that were under way at the same time. */
export interface Episode {
  /** In the order in which they began. */
  readonly lanes: readonly Lane[]
  /** Milliseconds since the episode before it ended, on the clock that passed faster; undefined for the first. */
  readonly before: number | undefined
}

/**
 * The latest first. Between two of them nothing happened, so each can have a time of its own from left to right.
 * @param lanes the latest first
 */
export function episodesOf(lanes: readonly Lane[]): Episode[] {
  const spans = lanes
    .map(lane => ({ lane, ...spanOf(lane) }))
    .reverse()
    .sort((one, other) => one.begin.real - other.begin.real)
  const episodes: (Episode & { lanes: Lane[] })[] = []
  let end = { real: Number.NEGATIVE_INFINITY, clock: 0 }
  for (const { lane, begin, until } of spans) {
    if (begin.real < end.real) episodes.at(-1)!.lanes.push(lane)
    else {
      const before = Math.max(begin.real - end.real, begin.clock - end.clock)
      episodes.push({ lanes: [lane], before: episodes.length === 0 ? undefined : before })
    }
    if (until.real >= end.real) end = until
  }
  return episodes.reverse()
}

const never = { real: Number.POSITIVE_INFINITY, clock: Number.POSITIVE_INFINITY }

function spanOf({ steps }: Lane) {
  const ends = steps.map(step => step.ends ?? never)
  return {
    begin: steps[0]!.begins,
    until: ends.reduce((last, it) => (it.real > last.real ? it : last)),
  }
}
