/**
 * How long the service wants to be left alone, in milliseconds. 0 where it does not say, where it says something that
 * is no time, and where the time has passed: then the client's own pauses hold.
 * @param {Headers} headers
 */
export function retryAfter(headers) {
  const told = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(told)) return Math.ceil(Number(told) * 1000)
  // Both dates are the service's, so that a clock that is wrong here does no harm.
  const wait = Date.parse(told) - Date.parse(headers.get('date') ?? '')
  return /^[A-Z][a-z]{2}, .* GMT$/.test(told) && wait > 0 ? wait : 0
}
