/** Reading answers of which nothing is known yet: whatever is not there is undefined, and nothing throws. */

type Members = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The member at a path such as `target.listId`. */
export const member = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inside, name) => (isObject(inside) && Object.hasOwn(inside, name) ? inside[name] : undefined),
      value,
    )

/** The member at a path, if it is a text. */
export function text(value: unknown, path: string): string | undefined {
  const found = member(value, path)
  return typeof found === 'string' ? found : undefined
}

/** Whether a value can stand in an address. */
export const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** A relation without its prefix. */
export const bare = (relation: string): string => relation.slice(relation.indexOf(':') + 1)

export const linksOf = (value: unknown): Members => {
  const links = member(value, '_links')
  return isObject(links) ? links : {}
}

export interface Link {
  readonly href: string
  readonly templated?: unknown
}

/** A link by its relation without prefix. */
export function linkOf(value: unknown, relation: string): Link | undefined {
  const found = Object.entries(linksOf(value)).find(([name]) => bare(name) === relation)?.[1]
  return isObject(found) && typeof found.href === 'string' ? (found as unknown as Link) : undefined
}

export const hrefOf = (value: unknown, relation: string): string | undefined => linkOf(value, relation)?.href

/** The entries of a collection by its relation without prefix; undefined where none are embedded so. */
export function embedded(value: unknown, relation: string): readonly unknown[] | undefined {
  const all = member(value, '_embedded')
  if (!isObject(all)) return undefined
  const found = Object.entries(all).find(([name]) => bare(name) === relation)?.[1]
  return Array.isArray(found) ? found : undefined
}

/** A value as a sentence shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const written = JSON.stringify(value) ?? String(value)
  return written.length > 100 ? `${written.slice(0, 97)}…` : written
}
