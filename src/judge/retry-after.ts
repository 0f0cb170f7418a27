import type { Attempt } from './evidence.ts'

/** What an answer asked to wait. */
export interface WaitTold {
  /** Milliseconds from the end of its exchange. */
  readonly wait: number
  /** By how many milliseconds a client may be early: dates have seconds only. */
  readonly tolerance: number
}

/** Longer than this is taken for a mistake of the service. */
const longest = 24 * 60 * 60_000

/** RFC 9110, 10.2.3: whole seconds, or a date. Undefined for none, for junk, and for what lies in the past. */
export function waitTold({ told, ended }: Attempt): WaitTold | undefined {
  const text = told?.retryAfter?.trim()
  if (text === undefined || !ended) return undefined
  const isSeconds = /^\d{1,9}$/.test(text)
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
  if (!isSeconds && !isDate) return undefined
  // Dates are in the machine's time, which the client's own clock shows.
  const wait = isSeconds ? Number(text) * 1_000 : Date.parse(text) - ended.real
  if (!(wait > 0 && wait <= longest)) return undefined
  return { wait, tolerance: isSeconds ? 50 : 1_000 }
}
