import type { z } from 'zod'
import { problems } from '../../service/problem.ts'
import type { Entry } from '../entry.ts'
import { matches } from '../entry-filter.ts'
import type { SpaceRig } from '../space-rig.ts'
import { type listQuery, numberOf } from './requests-query.ts'

export type ListQuery = z.output<typeof listQuery>

/** A page of the requests that somebody asked for. */
export interface FoundRequests {
  /** How many match from where the page begins, those beyond its limit included. */
  readonly count: number
  readonly page: readonly Entry[]
  /** The query of the next page; undefined when this is the last. */
  readonly next: object | undefined
  /** Whether everything is here that came in the range that was asked for. */
  readonly isComplete: boolean
}

/** @throws Problem 400 for the ID of a request that is not kept */
export function foundRequests({ journal, reader }: SpaceRig, query: ListQuery): FoundRequests {
  const { since, before, limit, order, ...filter } = query
  const first = since === undefined ? 0 : numberOf(journal, 'since', since)
  const last = before === undefined ? Number.POSITIVE_INFINITY : numberOf(journal, 'before', before)
  const found = journal
    .entries()
    .filter(entry => entry.number > first && entry.number < last && matches(entry, filter, reader))
  if (order === 'newest') found.reverse()
  const page = found.slice(0, limit)
  const end = page.at(-1)
  const rest = order === 'newest' ? { before: end?.number } : { since: end?.number }
  return {
    count: found.length,
    page,
    next: page.length < found.length ? { ...query, ...rest } : undefined,
    isComplete: journal.isComplete(first),
  }
}

/** @throws Problem 404 for what is not on record, or no longer */
export function entryOf({ journal }: SpaceRig, id: string): Entry {
  const entry = journal.find(id)
  if (entry) return entry
  const last = journal.entries().at(-1)?.id
  const there = last === undefined ? 'none is on record' : `the last one on record is ${last}`
  const gone = journal.dropped > 0 ? `; ${journal.dropped} had to make room` : ''
  throw problems.notFound(`request "${id.slice(0, 60)}" here: ${there}${gone}`)
}
