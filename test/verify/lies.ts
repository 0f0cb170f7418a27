import type { Fetch } from '../../src/verify/target.ts'
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
    const body = typeof init.body === 'string' ? parsed(init.body) : undefined
    const asked = {
      method: init.method ?? 'GET',
      path: pathname + search,
      body,
      headers: new Headers(init.headers),
    }
    const turned = twist(asked) ?? asked
    const response = await truth(origin + turned.path, {
      ...init,
      method: turned.method,
      headers: turned.headers,
      ...(init.body !== undefined && {
        body: turned.body === body ? (init.body ?? null) : JSON.stringify(turned.body),
      }),
    })
    const text = await response.text()
    const told: Told = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      json: parsed(text),
      text,
    }
    lie(told, asked)
    delete told.headers['content-length']
    const written = told.json === undefined ? told.text : JSON.stringify(told.json)
    return answer(told.status, told.headers, told.status === 204 ? '' : written)
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

const kinds: Record<string, (it: Json) => boolean> = {
  mailing: it => 'isApproved' in it,
  synchronization: it => 'mailingName' in it,
  sending: it => 'state' in it && 'mailingSynchronizationId' in it,
  upload: it => 'modificationDate' in it && typeof it.target?.mailingId === 'number' && !('state' in it),
  statistics: it => 'sendingStatistics' in it,
  preview: it => 'htmlContent' in it,
  profile: it => 'description' in it,
  group: it => 'emails' in it,
  configuration: it => 'permitAll' in it,
  customer: it => 'name' in it && !('id' in it) && '_links' in it,
  list: it => 'name' in it && typeof it.id === 'number' && '_links' in it,
}

/** A lie in every resource of a kind. */
export const inEach =
  (kind: string, change: (it: Json, told: Told, asked: Asked) => void): Lie =>
  (told, asked) => {
    for (const it of resources(told.json)) if (kinds[kind]!(it)) change(it, told, asked)
  }

/** A lie in the answers to requests of a kind. */
export const to =
  (method: string, path: RegExp, change: (told: Told, asked: Asked) => void): Lie =>
  (told, asked) => {
    if (asked.method === method && path.test(asked.path)) change(told, asked)
  }
