import { curl } from './curl.ts'

interface FormParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  /** Several values, separated by commas in the field, each become a parameter. */
  readonly isRepeated?: boolean
}

/** The fixed parts of a request that is built with the form. */
export interface FormRequest {
  readonly method: string
  /** Relative to the base, with parameters in braces. */
  readonly path: string
  readonly parameters: readonly FormParameter[]
  /** Of the body, or of a change without a body. */
  readonly contentType?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly isUntrusted?: boolean
}

/** The values of the form: parameters by place and name (`query.pageSize`), `body`, `user`, `password`, `scenario`. */
export type FormValues = Readonly<Record<string, string | undefined>>

/** Path and query. An empty path parameter keeps its braces; an empty query parameter is left out. */
export function formAddress({ path, parameters }: FormRequest, filled: FormValues): string {
  const value = (it: FormParameter) => filled[`${it.in}.${it.name}`] ?? ''
  const search = parameters
    .filter(it => it.in === 'query' && value(it) !== '')
    .flatMap(it => {
      const values = it.isRepeated ? value(it).split(',') : [value(it)]
      return values.map(one => `${encodeURIComponent(it.name)}=${encodeURIComponent(one.trim())}`)
    })
  const filledPath = path.replaceAll(
    /\{(\w+)\}/g,
    (braces, name: string) => encodeURIComponent(filled[`path.${name}`] ?? '') || braces,
  )
  return search.length === 0 ? filledPath : `${filledPath}?${search.join('&')}`
}

/** The inverse: the form values of a path and query; none for the path of another operation. @param paths of this one */
export function valuesFrom(
  paths: readonly string[],
  parameters: readonly Pick<FormParameter, 'name' | 'in'>[],
  target: string,
): FormValues {
  if (!URL.canParse(target, placeholderBase)) return {}
  const { pathname, searchParams } = new URL(target, placeholderBase)
  const ofPath = paths.map(path => valuesIn(path.split('/'), pathname.split('/'))).find(Boolean)
  if (!ofPath) return {}
  const ofQuery = parameters
    .filter(it => it.in === 'query')
    .map(({ name }): [string, string] => [`query.${name}`, searchParams.getAll(name).join(',')])
  return Object.fromEntries([...ofPath, ...ofQuery])
}

const placeholderBase = 'http://localhost'

/** The values of the parts in braces; undefined for another path. */
function valuesIn(parts: readonly string[], seen: readonly string[]): [string, string][] | undefined {
  if (parts.length !== seen.length) return undefined
  const values: [string, string][] = []
  for (const [at, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined && part !== seen[at]) return undefined
    if (name !== undefined) values.push([`path.${name}`, decodePart(seen[at]!)])
  }
  return values
}

/** A part of a path; as it is if it is malformed. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** All headers except credentials. */
export const formHeaders = (
  { contentType = '', headers = [] }: FormRequest,
  { scenario = '' }: FormValues,
): [string, string][] =>
  [['Content-Type', contentType] as const, ...headers, ['X-Mock-Scenario', scenario] as const]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, value])

/** The body for the curl line: without indentation if it has the usual one, otherwise as it was written. */
export function bodyForCurl({ body }: FormValues): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return JSON.stringify(value, undefined, 2) === body ? JSON.stringify(value) : body
  } catch {
    return body || undefined
  }
}

/** The request as a curl line. @param base of the API, without a trailing slash @param user for curl, if it needs one */
export const formLine = (request: FormRequest, filled: FormValues, base: string, user?: string): string =>
  curl({
    ...request,
    url: base + formAddress(request, filled),
    user,
    headers: formHeaders(request, filled),
    body: bodyForCurl(filled),
  })

/** The user for curl; without a password, curl asks for it. */
export const formCredentials = ({ user = '', password = '' }: FormValues): string =>
  password === '' ? user : `${user}:${password}`
