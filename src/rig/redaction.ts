import type { Asked } from './journal.ts'

/** Headers and query parameters whose values let somebody in. */
const secretName =
  /authori[sz]ation|cookie|token|secret|passw(?:or)?d|passphrase|credential|session|signature|api-?key|access-?key|private-?key|\bjwt\b|\bauth\b/i
/** Values that let somebody in wherever they stand: a scheme with its credentials, or a signed token. */
const secretValue = /^(?:basic|bearer|digest|negotiate|ntlm|token) +\S|\beyJ[\w-]{8,}\.[\w-]+\./i

const hidden = '(hidden)'

/** That it was there and by which scheme, never what it was. */
function redactedValue(value: string): string {
  const [, scheme] = /^(basic|bearer|digest|negotiate|ntlm|token) +\S/i.exec(value) ?? []
  return scheme === undefined ? hidden : `${scheme} ${hidden}`
}

/** Asks for credentials and carries none; it begins as those that do. */
const challenge = /^(?:www|proxy)-authenticate$/i

const isSecret = (name: string, value: string) =>
  !challenge.test(name) && (secretName.test(name) || secretValue.test(value))

/** Headers as whoever reads the journal sees them: every name, no credentials. */
export function redactedHeaders(headers: Asked['headers']): Record<string, string | string[]> {
  const shown: Record<string, string | string[]> = {}
  const redacted = (name: string, value: string) => (isSecret(name, value) ? redactedValue(value) : value)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    shown[name] = Array.isArray(value) ? value.map(one => redacted(name, one)) : redacted(name, value)
  }
  return shown
}

/** Sync tokens and cursors say where a client stopped reading; they let nobody in. */
const harmless = /^(?:syncToken|cursor)$/

/** Path and query without credentials that somebody has put into an address. */
export function redactedTarget(target: string): string {
  const start = target.indexOf('?')
  if (start < 0) return target
  const parts = target.slice(start + 1).split('&')
  const shown = parts.map(part => {
    const end = part.indexOf('=')
    if (end < 0) return part
    const [name, value] = [part.slice(0, end), part.slice(end + 1)]
    return !harmless.test(name) && isSecret(name, value) ? `${name}=${hidden}` : part
  })
  return `${target.slice(0, start)}?${shown.join('&')}`
}
