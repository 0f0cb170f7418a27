/** One request and its answer, as evidence. Without credentials. */
export interface Exchange {
  /** Number of the request, from 1. */
  readonly number: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | null
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300
/** Refused as a mistake of the client, but not for its credentials. */
export const isRefused = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 401
export const isClientError = ({ status }: Exchange): boolean => status >= 400 && status < 500

/** The media type of the answer without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()

/** Reads answers of unknown form: anything missing is undefined, and nothing throws. */

type Members = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The member at a path such as `target.listId`. */
export const memberAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inside, name) => (isObject(inside) && Object.hasOwn(inside, name) ? inside[name] : undefined),
      value,
    )

/** The member at a path, if it is a string. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = memberAt(value, path)
  return typeof found === 'string' ? found : undefined
}

/** Whether a value can be part of an address. */
export const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** A relation without its prefix. */
export const withoutPrefix = (relation: string): string => relation.slice(relation.indexOf(':') + 1)

export const linksOf = (value: unknown): Members => {
  const links = memberAt(value, '_links')
  return isObject(links) ? links : {}
}

export interface Link {
  readonly href: string
  readonly templated?: unknown
}

/** A link by its relation without prefix. */
export function linkOf(value: unknown, relation: string): Link | undefined {
  const found = Object.entries(linksOf(value)).find(([name]) => withoutPrefix(name) === relation)?.[1]
  return isObject(found) && typeof found.href === 'string' ? (found as unknown as Link) : undefined
}

export const hrefOf = (value: unknown, relation: string): string | undefined => linkOf(value, relation)?.href

/** The entries of a collection by its relation without prefix; undefined if there are none under it. */
export function embeddedEntries(value: unknown, relation: string): readonly unknown[] | undefined {
  const all = memberAt(value, '_embedded')
  if (!isObject(all)) return undefined
  const found = Object.entries(all).find(([name]) => withoutPrefix(name) === relation)?.[1]
  return Array.isArray(found) ? found : undefined
}

/** A value as messages show it, shortened. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const written = JSON.stringify(value) ?? String(value)
  return written.length > 100 ? `${written.slice(0, 97)}…` : written
}
