import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Belief, beliefs } from '../../rig/scenarios/terms.ts'
import { parseRetryAfter } from '../../store/retry-after.ts'
import { halType } from '../attempt.ts'
import type { ClientCall, ClientFunction } from '../exam/client.ts'
import { type Features, Memory, type Situation, situationOf } from './decisions.ts'
import { documented } from './document.ts'
import { findRow } from './lookup.ts'
import { pauseRange } from './pauses.ts'
import type { Portrait, PortraitRow } from './portrait-shape.ts'
import { answerName, losses } from './trace.ts'

/** What a client made of a table keeps across a restart. */
interface Kept {
  readonly memory: Memory
  /** The transaction IDs by their numbers, from 1 on. */
  readonly ids: string[]
  isBegun: boolean
}

/** Seconds for which it waits for a response where the table does not say. */
const usualPatience = 30

/**
 * A client that does what a portrait says, and in one row what the document wants. In situations of which the portrait says
 * nothing it keeps to the document.
 * @param documentedRow the row that is replaced
 */
export function clientOfTable(table: Portrait, documentedRow?: PortraitRow): ClientFunction {
  const kept = new Map<string, Kept>()
  return call => {
    const before = kept.get(call.state)
    const own = before ?? { memory: new Memory(), ids: [], isBegun: false }
    kept.set(call.state, own)
    return new TableRun(table, documentedRow, call, own).run(before?.isBegun ?? false)
  }
}

/** What came of a request: an answer, or what came in its place. */
interface Answer {
  readonly situation: Situation
  readonly answer: string
  /** Milliseconds that it asks to wait. */
  readonly wait: number
}

class TableRun {
  readonly #table: Portrait
  readonly #documentedRow: PortraitRow | undefined
  readonly #call: ClientCall
  readonly #kept: Kept
  readonly #path: string
  readonly #patience: number

  constructor(table: Portrait, documentedRow: PortraitRow | undefined, call: ClientCall, kept: Kept) {
    this.#table = table
    this.#documentedRow = documentedRow
    this.#call = call
    this.#kept = kept
    this.#path = `/integrations/mailing-platform/mailing-synchronizations/${call.synchronizationId}`
    this.#patience = (table.patience ?? usualPatience) * 1_000
  }

  async run(isAgain: boolean): Promise<Belief> {
    let came: Answer = { situation: isAgain ? 'started again' : 'first attempt', answer: 'start', wait: 0 }
    for (;;) {
      const { action, pause: seconds } = this.#next(came)
      const belief = beliefs.find(it => action === `end: ${it}`)
      if (belief) return belief
      if (action === 'waits for ever') return await new Promise<Belief>(() => {})
      await pause(seconds * 1_000)
      came = await this.#perform(action)
    }
  }

  /** What the table, or the document, says to do next. */
  #next({ situation, answer, wait }: Answer): { readonly action: string; readonly pause: number } {
    const features = this.#kept.memory.learn(situation, answer, Date.now(), wait)
    const row = findRow(this.#table.situations, { situation, features })
    if (!row || row.action === null || row === this.#documentedRow)
      return documented[situation].next(features)
    return { action: row.action, pause: drawPause(row, features) }
  }

  async #perform(action: string): Promise<Answer> {
    if (action.startsWith('reads ')) return await this.#read(action.slice('reads '.length))
    const { memory, ids } = this.#kept
    if (action.startsWith('new ID') || (ids.length === 0 && action !== 'no ID')) ids.push(randomUUID())
    const transactionId =
      action === 'no ID' ? undefined : action.startsWith('earlier ID') ? ids[0] : ids.at(-1)
    this.#kept.isBegun = true
    memory.attempt(
      transactionId === undefined ? 0 : ids.indexOf(transactionId) + 1,
      Date.now(),
      this.#call.scheduleDate !== undefined,
    )
    const body = {
      transactionId,
      scheduleDate: this.#call.scheduleDate,
      ...(action.endsWith('other body') && { subject: randomUUID() }),
    }
    const first = this.#exchange('POST', `${this.#path}/sendings`, body)
    const early = this.#table.situations.find(({ name }) => name === 'still waiting')?.rows[0]
    if (!early?.pause || early === this.#documentedRow) return await first
    const delay = pause(early.pause.longest * 1_000)
    const answer = await Promise.race([first, delay])
    if (answer) return answer
    return await Promise.race([first, this.#exchange('POST', `${this.#path}/sendings`, body)])
  }

  async #read(what: string): Promise<Answer> {
    const query = what.includes('all states') ? '?includeAllStates=true' : ''
    const path = what.startsWith('listSendings') ? `${this.#path}/sendings${query}` : this.#path
    return { ...(await this.#exchange('GET', path)), situation: 'after a read' }
  }

  async #exchange(method: string, path: string, body?: object): Promise<Answer> {
    const leaving = new AbortController()
    const lost = (answer: string): Answer => ({ situation: 'no response', answer, wait: 0 })
    let hasHead = false
    const timer = setTimeout(() => leaving.abort(), this.#patience)
    const { url, user, password } = this.#call
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
          accept: halType,
          ...(body && { 'content-type': halType }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: leaving.signal,
      })
      hasHead = true
      const text = await response.text()
      const answer = method === 'GET' ? this.#shownBy(text, response) : this.#nameOf(text, response)
      const delay = parseRetryAfter(response.headers.get('retry-after') ?? undefined)
      const wait =
        delay === undefined ? 0 : 'seconds' in delay ? delay.seconds * 1_000 : delay.until - Date.now()
      return { situation: situationOf(answer), answer, wait: Math.max(0, wait) }
    } catch {
      const isLate = leaving.signal.aborted
      return lost(hasHead ? (isLate ? losses.stall : losses.cut) : isLate ? losses.none : losses.reset)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The name of the answer to a request for a sending. */
  #nameOf(text: string, { status, headers }: Response): string {
    const mediaType = headers.get('content-type')?.startsWith(halType) ? halType : 'another'
    const sending = mediaType === halType ? parseJson(text) : undefined
    const stateText = typeof sending?.state === 'string' ? sending.state : undefined
    const isForeign = stateText !== undefined && (sending?.transactionId ?? undefined) !== this.#latestId
    const isState = stateText !== undefined && states.includes(stateText)
    return answerName({
      status,
      mediaType,
      stateText,
      ...(isForeign && { foreignBy: 'transactionId' }),
      ...(isState && !isForeign && { state: stateText }),
    })
  }

  get #latestId(): string | undefined {
    return this.#kept.ids.at(-1)
  }

  /** What a read shows of the latest transaction. */
  #shownBy(text: string, { status }: Response): string {
    if (status >= 300) return `${status}`
    const embedded = parseJson(text)?._embedded as Record<string, unknown> | undefined
    const lists = Object.entries(embedded ?? {}).find(([name]) => name.endsWith('sendings'))
    if (!lists) return parseJson(text)?.readyForSending === undefined ? 'no such sending' : '200'
    const all = lists[1] as readonly { readonly transactionId?: string; readonly state?: string }[]
    return all.find(it => it.transactionId === this.#latestId)?.state ?? 'no such sending'
  }
}

const states: readonly string[] = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE']

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function drawPause({ pause: model }: PortraitRow, features: Features): number {
  if (!model) return 0
  const [least, most] = pauseRange(model, features)
  return least + (most - least) * Math.random()
}
