import type { RequestRecord } from './request-record.ts'

const secretName =
  /authori[sz]ation|cookie|token|secret|passw(?:or)?d|passphrase|credential|session|signature|api[-_]?key|access[-_]?key|private[-_]?key|\bjwt\b|\bauth\b/i
/** Values that are credentials under any name: a scheme, or a signed token, sought from its dot: a value may have many beginnings. */
const secretValue = /^(?:basic|bearer|digest|negotiate|ntlm|token) +\S|\.(?<=\beyJ[\w-]{8,}\.)[\w-]+\./i

const hidden = '(hidden)'

/** Shows that there was a value and its scheme, never the value. */
function redactValue(value: string): string {
  const [, scheme] = /^(basic|bearer|digest|negotiate|ntlm|token) +\S/i.exec(value) ?? []
  return scheme === undefined ? hidden : `${scheme} ${hidden}`
}

/** Headers that ask for credentials and contain none, although they look like those that do. */
const challenge = /^(?:www|proxy)-authenticate$/i

const isSecret = (name: string, value: string) =>
  !challenge.test(name) && (secretName.test(name) || secretValue.test(value))

/** Headers for readers of the journal: all names, no credentials. */
export function redactHeaders(headers: RequestRecord['headers']): Record<string, string | string[]> {
  const visible: Record<string, string | string[]> = {}
  const redacted = (name: string, value: string) => (isSecret(name, value) ? redactValue(value) : value)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    visible[name] = Array.isArray(value) ? value.map(one => redacted(name, one)) : redacted(name, value)
  }
  return visible
}

/** Sync tokens and cursors say where a client stopped reading; they are no credentials. */
const harmlessParameter = /^(?:syncToken|cursor)$/

/** A parameter with a value, in a query that begins with its question mark. */
const parameter = /(?<=^\?|&)([^&=]*)=([^&]*)/g

/** The query of a target, with its question mark. */
const queryOf = (target: string) => (target.includes('?') ? target.slice(target.indexOf('?')) : '')

const isSecretParameter = (name: string, value: string) =>
  !harmlessParameter.test(name) && isSecret(name, value)

/** Path and query without the credentials that a URL may contain. */
export function redactTarget(target: string): string {
  const query = queryOf(target)
  const visible = query.replace(parameter, (whole, name, value) =>
    isSecretParameter(name, value) ? `${name}=${hidden}` : whole,
  )
  return target.slice(0, target.length - query.length) + visible
}

/** Shorter secrets may be common words that occur anywhere. */
const shortestSecret = 8

/** The credentials in a request: an answer may repeat them, for example in a self link. */
export function secretsIn({ headers, target }: Pick<RequestRecord, 'headers' | 'target'>): readonly string[] {
  const secrets: string[] = []
  for (const [name, given] of Object.entries(headers))
    for (const value of [given ?? []].flat())
      if (isSecret(name, value)) secrets.push(value, value.slice(value.lastIndexOf(' ') + 1))
  for (const [, name = '', value = ''] of queryOf(target).matchAll(parameter))
    if (isSecretParameter(name, value)) secrets.push(value)
  return secrets.filter(({ length }) => length >= shortestSecret)
}

/** The text without any of the secrets. */
export const hideSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, hidden), text)
