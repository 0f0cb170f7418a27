import type { ControlForms } from '../rig/control/forms.ts'
import { ControlError, jsonObject, reasonOf, refusalIn } from './control-error.ts'

/** How control calls reach the mock. */
export interface Way {
  /** Where it is: everything before `/_mock`, without a slash at the end. */
  readonly url: string
  /** What the mock was given as `token`, if it was. */
  readonly token?: string | undefined
  readonly fetch: (request: Request) => Promise<Response>
}

type FormOf<Name extends keyof ControlForms> = ControlForms[Name]

/** What stands in a call beside its name. Spelled out only where it has something. */
interface Parts<Name extends keyof ControlForms> {
  readonly params?: FormOf<Name>['params']
  readonly query?: FormOf<Name>['query'] | undefined
  readonly body?: FormOf<Name>['body'] | undefined
  readonly signal?: AbortSignal | undefined
  /** Media type to ask for; JSON unless given. */
  readonly accept?: string
}

/** Control calls by method and path, with the types that the routes themselves check. */
export class Calls {
  readonly #way: Way

  constructor(way: Way) {
    this.#way = way
  }

  /** @throws ControlError when it is refused, or nobody answers */
  async ask<Name extends keyof ControlForms>(
    name: Name,
    parts: Parts<Name> = {},
  ): Promise<FormOf<Name>['answer']> {
    const { response, what } = await this.open(name, parts)
    if (response.status === 204) return undefined as FormOf<Name>['answer']
    const body = jsonObject(await response.text())
    if (body) return body as FormOf<Name>['answer']
    throw new ControlError(`${what} was answered without JSON: is ${this.#way.url} the address of a mock?`)
  }

  /** The answer as text. @throws ControlError */
  async text<Name extends keyof ControlForms>(name: Name, parts: Parts<Name> = {}): Promise<string> {
    const { response } = await this.open(name, { ...parts, accept: 'text/plain' })
    return response.text()
  }

  /** The answer with its body unread. @throws ControlError */
  async open<Name extends keyof ControlForms>(
    name: Name,
    { params, query, body, signal, accept = 'application/json' }: Parts<Name>,
  ): Promise<{ readonly response: Response; readonly what: string }> {
    const [method, path] = name.split(' ') as [string, string]
    const { url, token, fetch } = this.#way
    const address = `/_mock${filled(path, params as Readonly<Record<string, string>> | undefined)}${asked(query)}`
    const what = `${method} ${address}`
    const headers = {
      Accept: accept,
      ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    }
    const init = { method, headers, ...(signal && { signal }) }
    const request = new Request(
      url + address,
      method === 'GET' || body === undefined ? init : { ...init, body: JSON.stringify(body) },
    )
    // A stream outlives its call, and Node drops a Request of which only the signal is still held: nothing would abort it.
    if (accept === 'text/event-stream') signal?.addEventListener('abort', () => void request, { once: true })
    let response: Response
    try {
      response = await fetch(request)
    } catch (cause) {
      signal?.throwIfAborted()
      throw new ControlError(`${what} got no answer from ${url}: ${reasonOf(cause)}`, { cause })
    }
    if (!response.ok) throw await refusalIn(response, what, url)
    return { response, what }
  }
}

const filled = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function asked(query: object | undefined): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
