import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyJson } from '../../rig/recorded-response.ts'
import { type Belief, beliefs } from '../../rig/scenarios/terms.ts'
import { parseRetryAfter } from '../../store/retry-after.ts'
import { halType, readCreation } from '../attempt.ts'
import type { ClientCall, ClientFunction } from '../exam/client.ts'
import { Memory, type Situation, situationOf } from './decisions.ts'
import { documented } from './document.ts'
import { pauseRange } from './pauses.ts'
import type { Portrait, PortraitRow } from './portrait-shape.ts'
import { findRow } from './rows.ts'
import { answerName, losses, noNews } from './trace.ts'

/** Seconds for which it waits for a response where the table does not say. */
const usualPatience = 30

/** What a request comes to: an answer, or what comes in its place. */
interface Outcome {
  readonly situation: Situation
  readonly answer: string
  /** Milliseconds that it asks to wait. */
  readonly wait: number
}

/**
 * A client that does what a portrait says, and in one row what the document wants. In situations of which the portrait says
 * nothing it keeps to the document.
 * @param documentedRow the row that is replaced
 */
export function clientOfTable(
  { situations, patience }: Portrait,
  documentedRow?: PortraitRow,
): ClientFunction {
  /** What it keeps across a restart: the transaction IDs are numbered from 1 on. */
  const kept = new Map<string, { readonly memory: Memory; readonly ids: string[] }>()
  const seconds = patience ?? usualPatience
  const early = situations.find(({ name }) => name === 'still waiting')?.rows[0]
  return async call => {
    const before = kept.get(call.state)
    const { memory, ids } = before ?? { memory: new Memory(kept.size + 1), ids: [] }
    kept.set(call.state, { memory, ids })
    const earlierIds = [...kept.values()].flatMap(it => (it.ids === ids ? [] : it.ids))
    const path = `/integrations/mailing-platform/mailing-synchronizations/${call.synchronizationId}`
    const situation = before ? 'started again' : kept.size > 1 ? 'next mailing' : 'first attempt'
    for (let outcome: Outcome = { situation, answer: 'start', wait: 0 }; ; ) {
      const { situation, answer, wait } = outcome
      const features = memory.learn(situation, answer, Date.now(), wait)
      const row = findRow(situations, { situation, features })
      const isDocumented = !row || row.action === null || row === documentedRow
      const { action, pause: length } = isDocumented
        ? documented[situation].next(features)
        : { action: row.action!, pause: row.pause ? drawn(pauseRange(row.pause, features)) : 0 }
      const belief: Belief | undefined = beliefs.find(it => action === `end: ${it}`)
      if (belief) return belief
      if (action === 'waits for ever') return await new Promise<Belief>(() => {})
      await pause(length * 1_000)
      outcome = await perform(action)
    }

    async function perform(action: string): Promise<Outcome> {
      if (action.startsWith('reads ')) {
        const query = action.includes('all states') ? '?includeAllStates=true' : ''
        const target = action.startsWith('reads listSendings') ? `${path}/sendings${query}` : path
        return { ...(await exchange(call, target, seconds, ids.at(-1))), situation: 'after a read' }
      }
      // Of one mailing an earlier ID is its first one, of the next mailing those of the mailing before, in turn.
      if (action.startsWith('earlier ID')) ids.push(earlierIds[ids.length] ?? ids[0] ?? randomUUID())
      else if (action.startsWith('new ID') || (ids.length === 0 && action !== 'no ID')) ids.push(randomUUID())
      const transactionId = action === 'no ID' ? undefined : ids.at(-1)
      const { scheduleDate } = call
      const subject = action.endsWith('other body') ? randomUUID() : undefined
      memory.attempt(ids.indexOf(transactionId ?? '') + 1, Date.now(), scheduleDate !== undefined)
      const send = () =>
        exchange(call, `${path}/sendings`, seconds, transactionId, { transactionId, scheduleDate, subject })
      const first = send()
      if (!early?.pause || early === documentedRow) return await first
      return (
        (await Promise.race([first, pause(early.pause.longest * 1_000)])) ??
        (await Promise.race([first, send()]))
      )
    }
  }
}

const drawn = ([least, most]: readonly [number, number]) => least + (most - least) * Math.random()

/** Sends a body or reads, and names what a client can learn of a transaction from what comes. */
async function exchange(
  { url, user, password, synchronizationId }: ClientCall,
  path: string,
  patience: number,
  transactionId: string | undefined,
  body?: object,
): Promise<Outcome> {
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), patience * 1_000)
  let isBegun = false
  try {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        accept: halType,
        ...(body && { 'content-type': halType }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: leaving.signal,
    })
    isBegun = true
    const text = await response.text()
    const { status, headers } = response
    const recorded = { status, headers: Object.fromEntries(headers), body: Buffer.from(text) }
    const answer = body
      ? answerName(readCreation(recorded, { transactionId, synchronizationId }, false))
      : nameSight(text, status, transactionId)
    const delay = parseRetryAfter(headers.get('retry-after') ?? undefined)
    const wait = !delay ? 0 : 'seconds' in delay ? delay.seconds * 1_000 : delay.until - Date.now()
    return { situation: situationOf(answer), answer, wait: Math.max(0, wait) }
  } catch {
    const isLate = leaving.signal.aborted
    const loss = isBegun ? (isLate ? 'stall' : 'cut') : isLate ? 'none' : 'reset'
    return { situation: 'no response', answer: losses[loss], wait: 0 }
  } finally {
    clearTimeout(timer)
  }
}

/** What a read shows of a transaction. */
function nameSight(text: string, status: number, transactionId: string | undefined): string {
  if (status >= 300) return `${status}`
  const shown = bodyJson({ body: text })
  const [, sendings] =
    Object.entries(shown?._embedded ?? {}).find(([name]) => name.endsWith('sendings')) ?? []
  if (!sendings) return shown?.readyForSending === undefined ? 'no such sending' : noNews
  const own = (sendings as Record<string, string>[]).find(it => it.transactionId === transactionId)
  return own?.state ?? 'no such sending'
}
