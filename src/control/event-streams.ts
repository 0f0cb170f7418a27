import { redactTarget } from '../rig/redaction.ts'
import type { RequestRecord } from '../rig/request-record.ts'
import type { RigEvent } from '../rig/space-events.ts'
import { problems } from '../service/problem.ts'
import { atOnce, nextTurn } from '../store/turns.ts'

/** Maximum number of streams of all spaces: each request of a client is told to those of its space three times. */
const maxStreams = 1_000
const tooManyStreams = `${maxStreams} streams of events are already open, and no more are allowed; close some of them first`

/** The open streams of events. What is told to many is written once, and passed on to a few of them in each turn of the event loop. */
export class EventStreams {
  /** The JSON of the data of events. */
  readonly #texts = new WeakMap<RigEvent, string>()
  /** Those that have something to pass on. */
  readonly #waiting = new Set<() => void>()
  #isPassingOn = false
  #count = 0

  /** Counts a stream. @returns no longer counts it @throws Problem 503 when there are as many as may be */
  open(): () => void {
    this.refuseWhenFull()
    this.#count++
    return () => {
      this.#count--
    }
  }

  /** @throws Problem 503 when there are as many streams as may be */
  refuseWhenFull(): void {
    if (this.#count >= maxStreams) throw problems.noRoom(tooManyStreams)
  }

  /** The data of an event as JSON, as it was when this was first called. @param space put in front of it */
  textOf(event: RigEvent, space?: string): string {
    let text = this.#texts.get(event)
    if (text === undefined) {
      text = JSON.stringify(eventData(event))
      this.#texts.set(event, text)
    }
    if (space === undefined) return text
    return `{"space":${JSON.stringify(space)}${text === '{}' ? '' : ','}${text.slice(1)}`
  }

  /** Calls `pass` in one of the next turns, once, however often this is called until then. */
  passOn(pass: () => void): void {
    this.#waiting.add(pass)
    if (!this.#isPassingOn) void this.#passAll()
  }

  async #passAll(): Promise<void> {
    this.#isPassingOn = true
    while (this.#waiting.size > 0) {
      await nextTurn()
      let left = atOnce
      for (const pass of this.#waiting) {
        this.#waiting.delete(pass)
        pass()
        if (--left === 0) break
      }
    }
    this.#isPassingOn = false
  }
}

function eventData({ type, data }: RigEvent): unknown {
  if (type !== 'request') return data
  const { what, record } = data as { what: string; record: RequestRecord }
  const { id, number, user, method, target, decision, response, delivered } = record
  return {
    what,
    id,
    number,
    user,
    method,
    target: redactTarget(target),
    status: response?.status ?? null,
    scenario: decision?.scenario ?? null,
    delivered,
  }
}
