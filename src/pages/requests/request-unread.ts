import type { EntryView } from '../../rig/entry-shape.ts'

/**
 * What is to be said of a body that was on its way when the request was over; undefined where there was none, or it came
 * to its end.
 */
export function unreadWords({ headers, body, read, ended, told, delivered }: EntryView): string | undefined {
  const length = Number(headers['content-length'] ?? 0)
  if (body || read || (length === 0 && headers['transfer-encoding'] === undefined)) return undefined
  const announced =
    length === 0 ? 'one was announced' : `${length === 1 ? '1 byte was' : `${length} bytes were`} announced`
  if (!ended) return `The body has not come whole so far: ${announced}.`
  return told && delivered !== 'aborted'
    ? `The body was not read: ${announced}; the answer was made before.`
    : `The body did not come whole: ${announced}.`
}
