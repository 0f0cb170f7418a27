import { hash } from 'node:crypto'
import { losses, noNews, type RunTrace, type TraceStart, type TraceStep } from './trace.ts'

/**
 * The situations that the service's document tells apart, in the order of a portrait. A client may tell more apart: then a
 * situation has several rows.
 */
export const situations = [
  'first attempt',
  'next mailing',
  'started again',
  'still waiting',
  'no response',
  '5xx',
  '429',
  'another 4xx',
  'redirect',
  'damaged',
  'PENDING',
  'CREATED',
  'FAILED',
  'INDETERMINATE_FAILURE',
  'after a read',
] as const
export type Situation = (typeof situations)[number]

/**
 * What a client can know at a decision, with its words, in the order in which questions about it are preferred. Seconds are of
 * the service's clock, and -1 where there is nothing to count from.
 */
export const featureWords = {
  answer: 'it got',
  previous: 'before that',
  previousAnswer: 'before that it got',
  attempts: 'attempts with this ID',
  ids: 'IDs used',
  times: 'times here',
  requests: 'attempts in all',
  unanswered: 'attempts with this ID without a whole answer',
  retryAfter: 'Retry-After',
  mailing: 'mailing',
  dated: 'with a date to send at',
  sincePending: 'since PENDING',
  sinceFailed: 'since FAILED',
  idAge: 'since the first attempt with this ID',
  sinceFirst: 'since the first attempt',
} as const
export type FeatureName = keyof typeof featureWords
export const featureNames = Object.keys(featureWords) as FeatureName[]

type WordFeature = 'answer' | 'previous' | 'previousAnswer'
export type Features = Readonly<
  Record<WordFeature, string> & Record<Exclude<FeatureName, WordFeature>, number>
>

/** What a client did next. */
export interface Decision {
  readonly situation: Situation
  readonly features: Features
  /** Such as `same ID`, `new ID`, `end: unknown`, `reads listSendings`. */
  readonly action: string
  /** Seconds from the end of the exchange, or while it waits from its beginning; undefined where no pause is its own. */
  readonly pause: number | undefined
  /** What the client had done and got before, as far as the table tells it apart. */
  readonly history: string
  /** What it did from the moment when it was there, with reads that show nothing new before the action. */
  readonly moves: readonly Move[]
  /** Index of the run. */
  readonly run: number
}

interface Move {
  readonly action: string | undefined
  /** A digest of all that the client could see before: every byte that it got, and when. */
  readonly seen: string
}

const unheard: readonly string[] = Object.values(losses)

export function situationOf(answer: string): Situation {
  if (unheard.includes(answer)) return 'no response'
  const state = (['PENDING', 'CREATED', 'INDETERMINATE_FAILURE', 'FAILED'] as const).find(it =>
    answer.endsWith(` ${it}`),
  )
  if (state) return state
  const status = Number.parseInt(answer, 10)
  if (status < 300) return 'damaged'
  if (status < 400) return 'redirect'
  // 408 and 425 say "not now", as 429 does.
  if (status < 500) return status === 429 || status === 425 || status === 408 ? '429' : 'another 4xx'
  return '5xx'
}

/** What a client can remember of its attempts. A client that is made of a portrait remembers the same. */
export class Memory {
  readonly #ids = new Map<number, { attempts: number; answers: number; first: number; pending?: number }>()
  readonly #times = new Map<Situation, number>()
  readonly #mailing: number
  #requests = 0
  #current = 0
  #first: number | undefined
  #failed: number | undefined
  #isDated = false
  #latest = { situation: '', answer: '' }

  /** @param mailing its number */
  constructor(mailing: number) {
    this.#mailing = mailing
  }

  /** A request for a sending. @param id 0 without a transaction ID */
  attempt(id: number, at: number, isDated: boolean): void {
    const own = this.#ids.get(id) ?? { attempts: 0, answers: 0, first: at }
    own.attempts++
    this.#ids.set(id, own)
    this.#requests++
    this.#current = id
    this.#first ??= at
    this.#isDated = isDated
  }

  /** What is known when something has come. @param answer to an attempt, or what a read shows */
  learn(situation: Situation, answer: string, at: number, wait: number): Features {
    const own = this.#ids.get(this.#current) ?? { attempts: 0, answers: 0, first: at }
    const isAnswer = !['still waiting', 'started again', 'after a read', 'no response'].includes(situation)
    if (isAnswer) own.answers++
    if (situation === 'PENDING') own.pending ??= at
    if (situation === 'FAILED') this.#failed ??= at
    this.#times.set(situation, (this.#times.get(situation) ?? 0) + 1)
    const previous = this.#latest
    this.#latest = { situation, answer }
    const since = (time: number | undefined) => (time === undefined ? -1 : (at - time) / 1_000)
    return {
      answer,
      previous: previous.situation,
      previousAnswer: previous.answer,
      attempts: own.attempts,
      requests: this.#requests,
      times: this.#times.get(situation)!,
      ids: this.#ids.size,
      retryAfter: wait / 1_000,
      mailing: this.#mailing,
      unanswered: own.attempts - own.answers,
      dated: this.#isDated ? 1 : 0,
      sincePending: since(own.pending),
      sinceFailed: since(this.#failed),
      idAge: since(own.attempts > 0 ? own.first : undefined),
      sinceFirst: since(this.#first),
    }
  }
}

/** Milliseconds within which it is noticed that a client has left an exchange. */
const departure = 50

/** The decisions of a run, in turn. */
export function decisionsOf(trace: RunTrace, run: number): Decision[] {
  const decisions: Decision[] = []
  const ids = new Set<number>()
  let memory = new Memory(1)
  let history = ''
  let seen = trace.wish
  let isBegun = false
  let current = 0
  /** Whether a request since the last known ID came without its body: an ID that is new here may be the one of that request. */
  let isIdLost = false
  /** What the situation is that the next request, or the end, answers. */
  let open:
    | (Pick<Decision, 'situation' | 'features'> & { from: number | undefined; moves: Move[] })
    | undefined

  const see = (...facts: unknown[]) => {
    seen = hash('sha256', JSON.stringify([seen, ...facts]))
  }
  const sinceBegin = (time: number | null) => time !== null && time - trace.starts[0]!.at
  const decide = (action: string | undefined, at?: number) => {
    if (!open) return
    const { from, ...place } = open
    open = undefined
    const pause = from === undefined || at === undefined ? undefined : Math.max(0, at - from) / 1_000
    place.moves.push({ action, seen })
    if (action !== undefined) decisions.push({ ...place, action, pause, history, run })
    history += ` ${action ?? '?'}`
  }
  const meet = (situation: Situation, answer: string, at: number, from: number | undefined, wait = 0) => {
    open = { situation, features: memory.learn(situation, answer, at, wait), from, moves: [] }
    history += ` ${answer}`
  }
  /** Undefined where it cannot be told. */
  const actionOf = ({ id, reads, isChanged }: TraceStep): string | undefined => {
    if (id === undefined) return `reads ${reads}`
    if (id === 0) return 'no ID'
    if (id === null || (isIdLost && !ids.has(id))) return undefined
    const which = !ids.has(id) ? 'new ID' : id === current ? 'same ID' : 'earlier ID'
    return isChanged ? `${which}, other body` : which
  }

  for (const [nth, start] of trace.starts.entries()) {
    const isFresh = nth === 0 || trace.isTwoMailings
    if (isFresh) {
      memory = new Memory(nth + 1)
      current = 0
      isIdLost = false
    }
    see(sinceBegin(start.at))
    // It was killed while a request was under way; without one it begins anew.
    const isAgain = !isFresh && isBegun
    const situation = isAgain ? 'started again' : isFresh && nth > 0 ? 'next mailing' : 'first attempt'
    meet(situation, 'start', start.at, undefined)
    for (const [at, step] of start.steps.entries()) {
      const isNews = step.got !== noNews
      const action = actionOf(step)
      // A look at anything else but sendings is no decision: most of them say nothing new, and are no step.
      const isDecision = step.reads === undefined || step.reads.startsWith('listSendings')
      if (isNews) decide(isDecision ? action : undefined, step.at)
      else open?.moves.push({ action, seen })
      see(action, sinceBegin(step.at), sinceBegin(step.until), step.bytes ?? run)
      if (!isNews) continue
      isBegun = true
      if (step.id === null) {
        isIdLost = true
        // It counts as an attempt with the ID that the client uses next.
        const next = start.steps.slice(at).find(it => typeof it.id === 'number')
        memory.attempt(next?.id ?? current, step.at, next?.isDated ?? false)
      } else if (step.id !== undefined) {
        isIdLost = false
        memory.attempt(step.id, step.at, step.isDated ?? false)
        ids.add(step.id)
        current = step.id
      }
      const isLast = at === start.steps.length - 1
      // It was killed before it could do anything about this one.
      if (isLast && start.end === 'killed') break
      if (step.isDoubtful) {
        history += ' ?'
        continue
      }
      const next = start.steps[at + 1]?.at ?? start.until
      const isOver = step.until !== null && step.until <= next + departure
      const until = Math.min(step.until ?? next, next)
      if (!isOver && !(isLast && start.end === null)) meet('still waiting', 'nothing yet', next, step.at)
      else meet(step.reads ? 'after a read' : situationOf(step.got), step.got, until, until, step.wait)
    }
    // Of a client that was stopped while it paused nothing is known.
    if (start.end === null && isStuck(start)) decide('waits for ever')
    else if (start.end !== null && start.end !== 'killed') decide(`end: ${start.end}`)
    open = undefined
  }
  return decisions
}

/** Milliseconds after which a response that a stopped client waits for is no longer just on its way. */
const longWait = 10_000

/** Whether a client that was stopped had waited long for the end of a response. */
const isStuck = ({ steps, until }: TraceStart) => {
  const last = steps.at(-1)
  return last !== undefined && until - last.at >= longWait && (last.until ?? until) >= until - departure
}
