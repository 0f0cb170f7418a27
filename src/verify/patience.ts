/**
 * For how many seconds an answer asks not to be asked again: `Retry-After` in seconds or as a date, or when a limit of
 * requests ends, in seconds from now or, as some write it, since 1970. Undefined where it says nothing.
 * @param headers names in lower case
 */
export function patienceOf(headers: Readonly<Record<string, string>>): number | undefined {
  const told = headers['retry-after'] ?? headers['x-ratelimit-reset']
  if (told === undefined) return undefined
  const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(told)
    ? secondsFromNow(Number(told), headers.date)
    : secondsUntil(told, headers.date)
  return seconds === undefined ? undefined : Math.max(0, seconds)
}

/** Nobody asks for decades of patience: so large a number is a time. */
const aTime = 1e9

const secondsFromNow = (told: number, today: string | undefined): number | undefined =>
  told < aTime ? told : secondsUntil(new Date(told * 1000).toISOString(), today)

/** By the service's own clock, which is the only one that its dates are about. */
function secondsUntil(date: string, today: string | undefined): number | undefined {
  const seconds = (Date.parse(date) - Date.parse(today ?? '')) / 1000
  return Number.isFinite(seconds) ? seconds : undefined
}
