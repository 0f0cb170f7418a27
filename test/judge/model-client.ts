import { basic, halType, type Json, synchronizationPath, type TestMock } from '../mock.ts'

const second = 1000
const minute = 60 * second

/** How a client draws its pauses. */
export interface Patience {
  readonly family: keyof typeof families
  /** Milliseconds. */
  readonly base: number
  readonly cap: number
  /** How long an answer may take, in milliseconds. */
  readonly timeout: number
  /** How long it goes on after errors and timeouts alone, in milliseconds: the document sets no limit. */
  readonly silence: number
  /** From 0 to below 1. */
  readonly draw: () => number
}

interface Drawing extends Pick<Patience, 'base' | 'cap' | 'draw'> {
  /** Which pause, from 0. */
  readonly nth: number
  /** The pause before; the base for the first. */
  readonly last: number
}

const exponential = ({ base, cap, nth }: Drawing) => Math.min(cap, base * 2 ** Math.min(nth, 20))

/** The usual ways to let pauses grow. */
export const families = {
  exponential,
  'exponential, 20 % either way': (it: Drawing) => exponential(it) * (0.8 + 0.4 * it.draw()),
  'equal jitter': (it: Drawing) => exponential(it) * (0.5 + 0.5 * it.draw()),
  'full jitter': (it: Drawing) => exponential(it) * it.draw(),
  'decorrelated jitter': ({ base, cap, last, draw }: Drawing) =>
    Math.min(cap, base + draw() * (3 * last - base)),
  linear: ({ base, cap, nth }: Drawing) => Math.min(cap, base * (nth + 1)),
  'times three': ({ base, cap, nth }: Drawing) => Math.min(cap, base * 3 ** Math.min(nth, 15)),
} satisfies Record<string, (drawing: Drawing) => number>

export interface Task {
  readonly mock: TestMock
  readonly user: string
  readonly synchronizationId: string
  readonly payload: object
  readonly patience: Patience
}

export type Belief = 'sent' | 'not-sent' | 'unknown'
type Heard =
  | { readonly state: string; readonly wait: number }
  | { readonly refused: true }
  | { readonly wait: number }

/**
 * A client that keeps to the document, with any patience: the judge must never accuse it. It lives on a clock that it
 * moves itself while it waits.
 */
export class ModelClient {
  readonly #task: Task
  #nth = 0
  #last: number

  constructor(task: Task) {
    this.#task = task
    this.#last = task.patience.base
  }

  async send(): Promise<Belief> {
    const { user, synchronizationId } = this.#task
    const ready = await this.#ask('GET', synchronizationPath(synchronizationId))
    if (ready?.json?.readyForSending === false) return 'not-sent'
    let failedAt: number | undefined
    for (let recreated = 0; ; recreated++) {
      const outcome = await this.#follow(`${user.replace('+', '-')}:${recreated}`, failedAt)
      if (outcome !== 'FAILED') return outcome
      failedAt ??= this.#now
      const pause = this.#pause()
      if (recreated === 3 || this.#now + pause > failedAt + 15 * minute) return 'not-sent'
      await this.#sleep(pause)
    }
  }

  /** One transaction, until it has come to an end or its time is over. */
  async #follow(transactionId: string, failedAt: number | undefined): Promise<Belief | 'FAILED'> {
    const began = this.#now
    let pendingAt: number | undefined
    this.#nth = 0
    this.#last = this.#task.patience.base
    for (let attempts = 1; ; attempts++) {
      const heard = await this.#attempt(transactionId)
      if ('refused' in heard) return attempts === 1 ? 'not-sent' : this.#look(transactionId)
      if ('state' in heard) {
        if (heard.state === 'CREATED') return 'sent'
        if (heard.state === 'FAILED') return 'FAILED'
        if (heard.state === 'INDETERMINATE_FAILURE') return 'unknown'
        pendingAt ??= this.#now
      }
      const pause = Math.max(this.#pause(), heard.wait)
      const limit = Math.min(
        pendingAt === undefined ? began + this.#task.patience.silence : pendingAt + 5 * minute,
        failedAt === undefined ? Number.POSITIVE_INFINITY : failedAt + 15 * minute,
      )
      if (this.#now + pause > limit) return 'unknown'
      await this.#sleep(pause)
    }
  }

  async #attempt(transactionId: string): Promise<Heard> {
    const { synchronizationId, payload } = this.#task
    const path = synchronizationPath(synchronizationId, '/sendings')
    const seen = await this.#ask('POST', path, { ...payload, transactionId })
    if (!seen) return { wait: 0 }
    const { status, json, retryAfter } = seen
    const wait = retryAfter === undefined || !/^\d+$/.test(retryAfter) ? 0 : Number(retryAfter) * second
    if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) return { refused: true }
    const isOurs =
      json?.transactionId === transactionId && json?.mailingSynchronizationId === synchronizationId
    const isKnown = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'].includes(json?.state)
    return (status === 200 || status === 201) && isOurs && isKnown ? { state: json.state, wait } : { wait }
  }

  async #look(transactionId: string): Promise<Belief> {
    const path = synchronizationPath(this.#task.synchronizationId, '/sendings?includeAllStates=true')
    const sendings: Json[] = (await this.#ask('GET', path))?.json?._embedded?.['svc:sendings'] ?? []
    const ours = sendings.find(it => it.transactionId === transactionId)
    return ours?.state === 'CREATED' ? 'sent' : ours ? 'unknown' : 'not-sent'
  }

  #pause(): number {
    const { family, ...drawing } = this.#task.patience
    this.#last = families[family]({ ...drawing, nth: this.#nth++, last: this.#last })
    return this.#last
  }

  get #now(): number {
    return this.#task.mock.clock.now()
  }

  async #sleep(milliseconds: number): Promise<void> {
    this.#task.mock.clock.advance(Math.ceil(milliseconds))
    await turns(3)
  }

  /** Undefined for silence, and for a response that is no whole HAL document where one was due. */
  async #ask(method: string, path: string, body?: object) {
    const { mock, user, patience } = this.#task
    const leaving = new AbortController()
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: basic(user), 'content-type': halType },
      ...(body && { body: JSON.stringify(body) }),
      signal: leaving.signal,
    })
    let settled = false
    const answer = mock
      .fetch(request)
      .then(read, () => undefined)
      .finally(() => {
        settled = true
      })
    const step = Math.max(100, patience.timeout / 30)
    for (let waited = 0; waited < patience.timeout; waited += step) {
      for (let turn = 0; turn < 30 && !settled; turn++) await turns(1)
      if (settled) break
      mock.clock.advance(step)
    }
    if (!settled) leaving.abort()
    return answer
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

async function read(
  response: Response,
): Promise<{ status: number; json: Json; retryAfter: string | undefined } | undefined> {
  const isHal = /^application\/hal\+json/.test(response.headers.get('content-type') ?? '')
  const retryAfter = response.headers.get('retry-after') ?? undefined
  try {
    const text = await response.text()
    return { status: response.status, json: isHal ? JSON.parse(text) : undefined, retryAfter }
  } catch {
    return undefined
  }
}
