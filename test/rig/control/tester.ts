import { expect } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import { type AssemblyOptions, assembleMock } from '../../../src/lib/assemble-mock.ts'
import { ManualClock } from '../../../src/rig/clock.ts'
import { playAgainIfChosen } from '../../capsule/replayed.ts'
import { basic, halType, type Json, now, type Seen } from '../../mock.ts'

/** A mock as the command line puts it together, with a tester who calls its control API. */
export interface Tester extends AsyncDisposable {
  readonly clock: ManualClock
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Seen>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Seen>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Seen>
  delete(path: string, headers?: Record<string, string>): Promise<Seen>
  /** A call of the service by a user. */
  as(
    user: string,
    password?: string,
  ): {
    get(path: string): Promise<Seen>
    post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Seen>
  }
  /** Answers over HTTP as well. */
  listen(): Promise<string>
  close(): Promise<void>
}

/** Every answer of a call is held against what its route states, so no test can pass on an undocumented one. */
export async function startTester(options: AssemblyOptions = {}): Promise<Tester> {
  const clock = new ManualClock(now)
  const mock = await assembleMock({ clock, logLevel: 'silent', ...options }, false)
  const fetch = (path: string, init: RequestInit = {}) => mock.fetch(`http://localhost${path}`, init)
  const control = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Seen> => {
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const seen = await seenOf(
      await fetch(`/_mock${path}`, {
        method,
        headers: { ...(method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
        ...(text !== undefined && { body: text }),
      }),
    )
    checkAnswer(method, path, seen)
    return seen
  }
  const close = async () => {
    await playAgainIfChosen(mock).finally(() => mock.close())
  }
  return {
    clock,
    fetch,
    get: (path, headers) => control('GET', path, undefined, headers),
    put: (path, body = {}, headers) => control('PUT', path, body, headers),
    post: (path, body, headers) => control('POST', path, body, headers),
    delete: (path, headers) => control('DELETE', path, undefined, headers),
    as: (user, password = 'demo') => {
      const authorization = basic(user, password)
      return {
        get: async path => seenOf(await fetch(path, { headers: { authorization } })),
        post: async (path, body = {}, headers = {}) =>
          seenOf(
            await fetch(path, {
              method: 'POST',
              headers: { authorization, 'content-type': halType, ...headers },
              body: JSON.stringify(body),
            }),
          ),
      }
    },
    listen: async () => (await mock.listen()).url,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function seenOf(response: Response): Promise<Seen> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}

function checkAnswer(method: string, path: string, { status, json, headers }: Seen): void {
  if (status >= 400) {
    expect(headers.get('content-type'), path).toBe('application/problem+json')
    return
  }
  const bare = path.replace(/\?.*/, '').replace(/\/$/, '') || '/'
  const route = routes.find(
    it => it.method === method && new RegExp(`^${it.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  )
  if (!route?.answer) return
  expect(route.answer.safeParse(json).error?.issues ?? [], `${method} ${path}`).toEqual([])
}

/** The sentences of a problem, each with the member that it is about. */
export const sentences = ({ json }: { json: Json }): string[] =>
  json.detail !== undefined
    ? [json.detail]
    : [
        ...json.generalErrors,
        ...json.invalidFields.map((it: { field: string; problem: string }) => `${it.field}: ${it.problem}`),
      ]
