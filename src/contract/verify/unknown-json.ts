/** Reads JSON of unknown form: anything missing is undefined, and nothing throws. */

/** The parsed text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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

/** Whether a member is true, also as a text. */
export const isTrue = (value: unknown, path: string): boolean => String(memberAt(value, path)) === 'true'

/** Whether a value can be part of an address. */
export const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

export const withoutPrefix = (relation: string): string => relation.slice(relation.indexOf(':') + 1)

export const linksOf = (value: unknown): Members => {
  const links = memberAt(value, '_links')
  return isObject(links) ? links : {}
}

/** A link by its relation without prefix. */
export function linkOf(value: unknown, relation: string): (Members & { readonly href: string }) | undefined {
  const found = Object.entries(linksOf(value)).find(([name]) => withoutPrefix(name) === relation)?.[1]
  return isObject(found) && typeof found.href === 'string' ? { ...found, href: found.href } : undefined
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

/** A member of an answer as messages show it. */
export const describeMember = ({ json }: { readonly json: unknown }, path: string): string =>
  describeValue(memberAt(json, path))
