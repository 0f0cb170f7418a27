/** A parameter as a form asks for it. */
export interface AskedParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  /** Each of several values, which stand with commas between them, is a parameter of its own. */
  readonly isRepeated?: boolean
}

/** What is fixed in a request that a person puts together. */
export interface Asked {
  readonly method: string
  /** With its parameters in braces, below the base. */
  readonly path: string
  readonly parameters: readonly AskedParameter[]
  /** Of the body, or of a change without one. */
  readonly contentType?: string
  readonly headers?: readonly (readonly [string, string])[]
}

/** What a person has filled in: parameters by place and name (`query.pageSize`), `body`, `user`, `password`, `scenario`. */
export type Filled = Readonly<Record<string, string | undefined>>

/** Path and query. A parameter of the path that is not filled in keeps its braces; one of the query is left out. */
export function addressOf({ path, parameters }: Asked, filled: Filled): string {
  const value = (it: AskedParameter) => filled[`${it.in}.${it.name}`] ?? ''
  const search = parameters
    .filter(it => it.in === 'query' && value(it) !== '')
    .flatMap(it => {
      const values = it.isRepeated ? value(it).split(',') : [value(it)]
      return values.map(one => `${encodeURIComponent(it.name)}=${encodeURIComponent(one.trim())}`)
    })
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (braces, name: string) => {
    const given = filled[`path.${name}`] ?? ''
    return given === '' ? braces : encodeURIComponent(given)
  })
  return search.length === 0 ? filledPath : `${filledPath}?${search.join('&')}`
}

/**
 * What `addressOf` would make an address of, found in it. A path that is none of these fills nothing in.
 * @param paths of one operation, with parameters in braces
 * @param target path and query
 */
export function filledFrom(
  paths: readonly string[],
  parameters: readonly Pick<AskedParameter, 'name' | 'in'>[],
  target: string,
): Filled {
  if (!URL.canParse(target, somewhere)) return {}
  const { pathname, searchParams } = new URL(target, somewhere)
  const ofPath = paths.map(path => valuesIn(path.split('/'), pathname.split('/'))).find(Boolean)
  if (!ofPath) return {}
  const ofQuery = parameters
    .filter(it => it.in === 'query')
    .map(({ name }): [string, string] => [`query.${name}`, searchParams.getAll(name).join(',')])
  return Object.fromEntries([...ofPath, ...ofQuery])
}

const somewhere = 'http://localhost'

/** What stands for the parts in braces; undefined for another path. */
function valuesIn(parts: readonly string[], seen: readonly string[]): [string, string][] | undefined {
  if (parts.length !== seen.length) return undefined
  const values: [string, string][] = []
  for (const [at, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined && part !== seen[at]) return undefined
    if (name !== undefined) values.push([`path.${name}`, decoded(seen[at]!)])
  }
  return values
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Every header but the credentials. */
export function headersOf({ contentType, headers = [] }: Asked, filled: Filled): [string, string][] {
  return [
    ...(contentType === undefined ? [] : [['Content-Type', contentType] as [string, string]]),
    ...headers.map(([name, value]) => [name, value] as [string, string]),
    ...(filled.scenario ? [['X-Mock-Scenario', filled.scenario] as [string, string]] : []),
  ]
}

/** The body as a line has it: what is laid out as we do it stands without that, anything else as it was written. */
export function lineBody({ body }: Filled): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return JSON.stringify(value, undefined, 2) === body ? JSON.stringify(value) : body
  } catch {
    return body || undefined
  }
}

/** Who asks, as curl takes it: without a password it asks for one. */
export const credentials = ({ user = '', password = '' }: Filled): string =>
  password === '' ? user : `${user}:${password}`
