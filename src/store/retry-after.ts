/** What a response asks its client to wait: for a number of seconds, or until a time in milliseconds since 1970. */
export type RequestedDelay = { readonly seconds: number } | { readonly until: number }

/** A date as HTTP has it (RFC 9110, 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Reads a `Retry-After` (RFC 9110, 10.2.3). Undefined for anything but whole seconds and dates, and for a missing header. */
export function parseRetryAfter(text: string | undefined): RequestedDelay | undefined {
  const value = text?.trim() ?? ''
  if (/^\d+$/.test(value)) return { seconds: Number(value) }
  if (!httpDate.test(value)) return undefined
  const until = Date.parse(value)
  return Number.isNaN(until) ? undefined : { until }
}
