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
