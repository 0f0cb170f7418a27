import { gunzipSync } from 'node:zlib'
import { examples } from '../../src/contract/examples/examples.ts'
import { type Capsule, readCapsule } from '../../src/control/capsule/capsule-file.ts'
import { createMock, type Mock } from '../../src/index.ts'
import type { MockOptions } from '../../src/lib/create-mock.ts'
import { operationIds } from '../../src/service/operations.ts'
import { basic, exampleRequest, halType, ids, synchronizationPath } from '../mock.ts'

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A mock in whose space `demo+random` a seed has done all kinds of things, alone and together. */
export async function randomSpace(
  seed: number,
  { isListening = false, ...options }: MockOptions & { readonly isListening?: boolean } = {},
) {
  const random = randomOf(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const mock = await createMock({ seed: 1 + (seed % 3), logLevel: 'silent', ...options })
  const space = await mock.privateSpace({
    name: 'random',
    ...(random() < 0.5 && { clock: { now: '2026-11-01T10:00:00Z', frozen: random() < 0.5 } }),
    ...(random() < 0.3 && { seed: 7 }),
  })
  const names = (await mock.control.scenarios()).map(({ name }) => name)
  const { url } = isListening ? await mock.listen() : { url: 'http://mock' }
  const fetch = isListening ? globalThis.fetch : mock.fetch
  /** Ledgers as they were when a request had ended and nothing else was under way, by its ID. */
  const ledgers = new Map<string, unknown>()
  const waiting = new Set<Promise<unknown>>()

  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const abort = new AbortController()
    const asked = fetch(url + path, {
      method,
      signal: abort.signal,
      headers: {
        authorization: basic(space.user!, space.password),
        ...(body !== undefined && { 'content-type': halType }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
      .then(it => it.text())
      .catch(() => {})
    waiting.add(asked)
    void asked.finally(() => waiting.delete(asked))
    return { asked, abort }
  }

  const create = () => {
    const transactionId = random() < 0.1 ? `mock:${pick(names)}:${seed}` : `t-${Math.floor(random() * 6)}`
    const scheduleDate = random() < 0.3 ? '2035-01-01T10:00:00.000Z' : undefined
    const named = random() < 0.15 ? { 'x-mock-scenario': random() < 0.2 ? 'no-such' : pick(names) } : {}
    const id = random() < 0.9 ? ids.ready : '00000000-0000-4000-8000-000000000000'
    return ask('POST', synchronizationPath(id, '/sendings'), { transactionId, scheduleDate }, named)
  }
  const play = () => {
    const operation = pick(operationIds)
    const example = pick(examples[operation])
    const { method, target, headers, body } = exampleRequest(operation, example)
    return ask(method, target, body, headers)
  }
  const faults = [
    { on: 'createSending', phase: 'after', answer: { fault: 'reset' } },
    { on: 'createSending', phase: 'before', answer: { status: 503, retryAfter: 2 } },
    { on: '*', answer: { status: 500 }, times: 2 },
    { on: 'createSending', deliver: 'twice' },
    { on: 'createSending', hold: 'gate' },
    { on: 'createSending', delay: '3s' },
    { on: 'createSending', delay: { min: '1s', max: '4s' }, deliver: 'late', answer: { status: 504 } },
    { on: 'createSending', steps: [{ state: 'PENDING', for: '10s' }, { state: 'CREATED' }] },
    { on: 'createSending', state: 'INDETERMINATE_FAILURE', truth: 'sent' },
  ]
  const changes: (() => Promise<unknown>)[] = [
    () => space.clock.advance(pick(['1s', '5s', '3m', '26h'])),
    () => space.clock.advance(pick(['1s', '5s', '3m'])),
    () => space.clock.freeze(),
    () => space.clock.resume(),
    () => space.clock.rate(pick([1, 2, 60])),
    () => space.faults.arm(pick(faults) as never),
    () => space.faults.arm(pick(faults) as never),
    () => space.faults.arm(pick(faults) as never),
    () => space.faults.disarm(),
    () => space.arm(pick(names) as never),
    () => space.disarm(),
    () => space.turn(pick([{}, { 'error-body': 'minimal' }, { 'rejected-transaction': 'bound' }]) as never),
    async () => space.mailings.approve(pick(await space.mailings.list()).id),
    async () => space.mailings.edit(pick(await space.mailings.list()).id, { subject: `Subject ${seed}` }),
    () => space.release('gate'),
  ]

  const lastRequest = async () => (await space.requests()).at(-1)
  const count = 25
  for (let step = 0; step < count; step++) {
    const what = random()
    if (what < 0.45) {
      const { asked } = random() < 0.7 ? create() : play()
      // Without an answer for a while, it waits for the clock or for a release.
      await Promise.race([asked, turns()])
    } else if (what < 0.6) {
      for (let nth = 0; nth < 3; nth++) create()
      await turns()
    } else if (what < 0.65) {
      const { abort } = create()
      await turns(2)
      abort.abort()
      await turns()
    } else await pick(changes)().catch(() => {})
    if (waiting.size > 0) continue
    const last = await lastRequest()
    if (last?.ended) ledgers.set(last.id, withoutLinks(await space.platform()))
  }
  await space.release('gate').catch(() => {})
  await space.clock.advance('1h')
  await turns()
  return { mock, space, ledgers, capsule: await capsuleOf(mock, space.name), names }
}

export const withoutLinks = (document: object) => {
  const { _links, complete, ...rest } = document as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest))
}

/** Lets work that waits for neither time nor a person come to its end. */
export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

export async function capsuleOf(mock: Pick<Mock, 'fetch'>, space: string): Promise<Capsule> {
  const response = await mock.fetch(`http://mock/_mock/spaces/${encodeURIComponent(space)}/capsule?gzip=true`)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(String(bytes))
  gunzipSync(bytes)
  return readCapsule(bytes, 'it')
}
