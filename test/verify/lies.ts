import { kindShownBy, type ResourceKind } from '../../src/contract/verify/resource-kinds.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { recogniseOperation, shownBy } from '../../src/service/operations.ts'
import { isCollection } from '../../src/service/resource.ts'
import type { Json } from '../mock.ts'
import { answer } from './answers.ts'

/** An answer that a doctored target falsifies before it goes out. */
export interface Told {
  status: number
  headers: Record<string, string>
  /** What the body says; undefined where it is no JSON. */
  json: Json
  text: string
}

/** What was asked, for a lie to choose by. */
export interface Asked {
  readonly method: string
  /** Path and query behind the base. */
  readonly path: string
  readonly body: Json
  readonly headers: Headers
}

export type Lie = (told: Told, asked: Asked) => void
/** A lie in the question: it is asked otherwise than it was. */
export type Twist = (asked: Asked) => Asked | undefined

/** A target that tells everything as it is but for one thing. */
export function lying(truth: Fetch, lie: Lie, twist: Twist = it => it): Fetch {
  return async (url, init) => {
    const { origin, pathname, search } = new URL(url)
    const body = once(() => (typeof init.body === 'string' ? parsed(init.body) : undefined))
    const headers = once(() => new Headers(init.headers))
    const asked: Asked = {
      method: init.method ?? 'GET',
      path: pathname + search,
      get body() {
        return body()
      },
      get headers() {
        return headers()
      },
    }
    const turned = twist(asked)
    const response = turned
      ? await truth(origin + turned.path, {
          ...init,
          method: turned.method,
          headers: turned.headers,
          ...(init.body !== undefined && {
            body: turned.body === asked.body ? (init.body ?? null) : JSON.stringify(turned.body),
          }),
        })
      : await truth(url, init)
    const told = new Answered(response.status, Object.fromEntries(response.headers), await response.text())
    lie(told, asked)
    delete told.headers['content-length']
    return answer(told.status, told.headers, told.status === 204 ? '' : told.written)
  }
}

/** Its JSON is read only where a lie looks at it: most answers of a run are passed on as they are. */
class Answered implements Told {
  status: number
  headers: Record<string, string>
  text: string
  #json: { value: Json } | undefined

  constructor(status: number, headers: Record<string, string>, text: string) {
    this.status = status
    this.headers = headers
    this.text = text
  }

  get json(): Json {
    this.#json ??= { value: parsed(this.text) }
    return this.#json.value
  }

  set json(value: Json) {
    this.#json = { value }
  }

  get written(): string {
    return this.#json?.value === undefined ? this.text : JSON.stringify(this.#json.value)
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** All resources of an answer: itself, and what it embeds. */
export function resources(json: Json): Json[] {
  if (typeof json !== 'object' || json === null) return []
  const embedded = Object.values(json._embedded ?? {}).flat() as Json[]
  return [json, ...embedded]
}

/** A lie in every resource of a kind, alone or in a collection, by what the operation that was asked for shows. */
export const inEach =
  (kind: ResourceKind, change: (it: Json, told: Told, asked: Asked) => void): Lie =>
  (told, asked) => {
    const id = recogniseOperation(asked.method, asked.path, 'mailing-platform')?.id
    const shown = id && shownBy(id)
    if (!shown || kindShownBy(id) !== kind) return
    const [body, ...entries] = resources(told.json)
    for (const it of isCollection(shown) ? entries : [body])
      if (it && !('title' in it)) change(it, told, asked)
  }

/** A lie in the responses to requests of a kind. */
export const to =
  (method: string, path: RegExp, change: (told: Told, asked: Asked) => void): Lie =>
  (told, asked) => {
    if (asked.method === method && path.test(asked.path)) change(told, asked)
  }
