import type { ControlForms } from '../control/call-table.ts'
import type { InvalidMember, SpaceEvent } from './control-types.ts'

/** A control call that was refused or got no response. Its message says what is wrong and what is possible. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** Each wrong member of the call; empty if the call as a whole is wrong. */
  readonly invalidFields: readonly InvalidMember[]

  constructor(
    message: string,
    {
      status,
      invalidFields = [],
      ...cause
    }: Partial<Pick<ControlError, 'status' | 'invalidFields' | 'cause'>> = {},
  ) {
    super(message, cause)
    this.status = status
    this.invalidFields = invalidFields
  }
}

/**
 * Passes on what a caller gave where an object belongs. Callers may not use types, and each letter of a text would count as a member.
 * @param call its name, for the message @param example one member, shown with what was given if that is of its type
 * @throws TypeError
 */
export function requireObject<Given>(call: string, given: Given, example: object): Given {
  // A missing one means the defaults.
  if (typeof (given ?? {}) === 'object' && !Array.isArray(given)) return given
  const [[member, usual] = []] = Object.entries(example)
  const shown = JSON.stringify(typeof given === typeof usual ? given : usual).replaceAll('"', "'")
  throw new TypeError(`${call}: expected an object, such as { ${member}: ${shown} }`)
}

/** Why there is no response. The message of `fetch` itself is only "fetch failed", so the cause is used. */
export function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = (cause as Error & { readonly code?: unknown }).code
  return cause.message || (typeof code === 'string' ? code : error.message)
}

/** The error for a refused call. @param what the call, such as `POST /_mock/reset` */
export async function readRefusal(response: Response, what: string, place: string): Promise<ControlError> {
  const { status, headers } = response
  // The control API has no users: an answer that asks for one comes from the imitated service.
  const isControl = !headers.get('www-authenticate')?.startsWith('Basic')
  const problem =
    isControl && headers.get('content-type')?.startsWith('application/problem+json')
      ? (parseJsonObject(await response.text()) as ProblemBody | undefined)
      : undefined
  if (!problem)
    return new ControlError(
      `${what} was answered ${status}, and not by the control API of a mailing-sync-mock: is ${place} its address?`,
      { status },
    )
  const { title, detail, generalErrors = [], invalidFields = [] } = problem
  const wrong = [...generalErrors, ...invalidFields.map(it => `${it.field}: ${it.problem}`)]
  const sentence = detail ?? (wrong.length > 0 ? wrong.join('; ') : title)
  const cure = status === 401 ? ' (connect() takes it as token)' : ''
  return new ControlError(`${what} was refused (${status}): ${sentence}${cure}`, { status, invalidFields })
}

/** `application/problem+json` of the control API. */
interface ProblemBody {
  readonly title: string
  readonly detail?: string
  readonly generalErrors?: readonly string[]
  readonly invalidFields?: readonly InvalidMember[]
}

/** Parses a JSON object; undefined if the text is none. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Everything before `/_mock` in the address of a mock. @throws ControlError */
export function parseBase(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.username || url?.password)
    throw new ControlError('the address of a mock has no credentials in it; connect() takes a token')
  if ((url?.protocol !== 'http:' && url?.protocol !== 'https:') || /[?#]/.test(given))
    throw new ControlError(`"${given}" is no address of a mock; expected one such as http://localhost:4025`)
  return (url.origin + url.pathname).replace(/(?:\/_mock)?\/*$/, '')
}

/** Address, token and `fetch` of control calls. */
export interface ControlTransport {
  /** Everything before `/_mock`, without a trailing slash. */
  readonly url: string
  /** The `token` that the mock was started with, if any. */
  readonly token?: string | undefined
  readonly fetch: (request: Request) => Promise<Response>
}

/** Members of a query, which are written as text. */
type Loose<Query> = { readonly [Name in keyof Query]: Query[Name] | number | boolean }

/** The parts of a call besides its method and path. */
interface CallParts<Name extends keyof ControlForms> {
  /** Besides the space, of which there is one for all calls. */
  readonly params?: Omit<ControlForms[Name]['params'], 'space'>
  readonly query?: Loose<ControlForms[Name]['query']> | undefined
  readonly body?: ControlForms[Name]['body'] | undefined
  readonly signal?: AbortSignal | undefined
  /** Media type to accept; JSON by default. */
  readonly accept?: string
}

/** Control calls by method and path, with the types that the routes check. */
export interface ControlCalls extends ReturnType<typeof createControlCalls> {}

/** @param space the name in place of `{space}` in all paths */
export function createControlCalls({ url, token, fetch }: ControlTransport, space?: string) {
  return { request, text, open }

  /** @throws ControlError when the call is refused or gets no response */
  async function request<Name extends keyof ControlForms>(
    name: Name,
    parts: CallParts<Name> = {},
  ): Promise<ControlForms[Name]['answer']> {
    const { response, what } = await open(name, parts)
    if (response.status === 204) return undefined as ControlForms[Name]['answer']
    const body = parseJsonObject(await response.text())
    if (body) return body as ControlForms[Name]['answer']
    throw new ControlError(`${what} was answered without JSON: is ${url} the address of a mock?`)
  }

  /** The response as text. @throws ControlError */
  async function text<Name extends keyof ControlForms>(
    name: Name,
    parts: CallParts<Name> = {},
  ): Promise<string> {
    const { response } = await open(name, { ...parts, accept: 'text/plain' })
    return response.text()
  }

  /** The response with its body unread. @throws ControlError */
  async function open<Name extends keyof ControlForms>(
    name: Name,
    { params, query, body, signal, accept = 'application/json' }: CallParts<Name>,
  ): Promise<{ readonly response: Response; readonly what: string }> {
    const [method, path] = name.split(' ') as [string, string]
    const address = `/_mock${fillPath(path, { space, ...params })}${formatQuery(query)}`
    const what = `${method} ${address}`
    const headers = {
      Accept: accept,
      ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    }
    const init = { method, headers, body: JSON.stringify(body), signal: signal ?? null }
    const request = new Request(url + address, init)
    // A stream outlives its call. Node collects a Request of which only the signal is referenced, and then cannot abort it.
    if (accept === 'text/event-stream') signal?.addEventListener('abort', () => void request, { once: true })
    let response: Response
    try {
      response = await fetch(request)
    } catch (cause) {
      signal?.throwIfAborted()
      const why = describeCause(cause)
      const { port } = new URL(url)
      const cure = `; is the mock started there? (npm start, or npx mailing-sync-mock${port && ` --port ${port}`})`
      const hint = why.includes('ECONNREFUSED') ? cure : ''
      throw new ControlError(`${what} got no response from ${url}: ${why}${hint}`, { cause })
    }
    if (!response.ok) throw await readRefusal(response, what, url)
    return { response, what }
  }
}

const fillPath = (path: string, params: Readonly<Record<string, string | undefined>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // These lead to another address: `DELETE …/faults/..` would remove the space.
    if (['', '.', '..'].includes(value)) throw new ControlError(`"${value}" is no ${name} for ${path}`)
    return encodeURIComponent(value)
  })

function formatQuery(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
}

/** The events of a `text/event-stream`, which closes with the loop. @throws what broke it, or the signal's reason */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<SpaceEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Undefined for a comment, which the mock sends to keep the connection alive. */
function parseEvent(block: string): SpaceEvent | undefined {
  const fields = block.split('\n').map(line => line.split(/: (.*)/s, 2))
  const { event: type, data } = Object.fromEntries(fields)
  return type && data ? ({ type, data: JSON.parse(data) } as SpaceEvent) : undefined
}
