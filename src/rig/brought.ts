import { isSent } from '../service/sendings/lifecycle.ts'
import type { PlatformSending } from '../store/rows.ts'
import type { Entry } from './entry.ts'
import { toldState } from './entry-reader.ts'
import type { SpaceRig } from './space-rig.ts'

/** What came of a request after it was over. */
export interface Later<Row> {
  readonly row: Row
  /** The further attempt at which it was; undefined where the space's clock brought it about. */
  readonly at: Entry | undefined
}

/** A row of the platform as far as it tells when it was made, and for whom. */
type Sent = Pick<PlatformSending, 'cause' | 'requestedAt'>

/**
 * What was brought about at which request. All that comes of a sending is put down to the request that made it; but a
 * sending that stays PENDING at first goes out at a later attempt, or by the clock. Made for one reading.
 */
export class Brought<Row extends Sent> {
  readonly #during = new Map<string, Row[]>()
  readonly #later = new Map<string, Later<Row>[]>()
  readonly #rig: SpaceRig
  #attempts: Map<string, Entry[]> | undefined

  constructor(rig: SpaceRig, rows: Iterable<Row>) {
    this.#rig = rig
    const entries = new Map(rig.journal.entries().map(it => [it.id, it]))
    for (const row of rows) {
      const cause = entries.get(row.cause)
      if (!cause || isAtOnce(cause, row)) {
        put(this.#during, row.cause, row)
        continue
      }
      const at = this.#attemptAt(cause, row)
      put(this.#later, row.cause, { row, at })
      if (at) put(this.#during, at.id, row)
    }
  }

  /** What the platform was told to send while the request was worked on. */
  during(id: string): readonly Row[] {
    return this.#during.get(id) ?? []
  }

  /** What came of the request later. */
  later(id: string): readonly Later<Row>[] {
    return this.#later.get(id) ?? []
  }

  /** The attempt that took the sending to the step in which it went out. */
  #attemptAt(cause: Entry, { requestedAt }: Sent): Entry | undefined {
    const plan = cause.decision!.plan
    const before = plan[plan.findIndex(isSent) - 1]
    // Then only time leads on.
    if (before?.times === undefined) return undefined
    const at = Date.parse(requestedAt)
    const there = this.#sameAs(cause).filter(
      it =>
        it.number > cause.number &&
        it.truth &&
        Math.floor(it.arrived.clock) <= at &&
        at <= (it.ended?.clock ?? Number.POSITIVE_INFINITY),
    )
    // Where the clock stands they all have the same time, and the state tells.
    return there.find(it => toldState(it.truth!) !== 'PENDING') ?? there[0]
  }

  #sameAs(cause: Entry): readonly Entry[] {
    const { reader, journal } = this.#rig
    const keyOf = (entry: Entry) => `${reader.synchronizationId(entry)} ${reader.transactionId(entry)}`
    if (!this.#attempts) {
      this.#attempts = new Map()
      for (const entry of journal.entries())
        if (reader.operation(entry) === 'createSending' && reader.transactionId(entry) !== undefined)
          put(this.#attempts, keyOf(entry), entry)
    }
    return this.#attempts.get(keyOf(cause)) ?? []
  }
}

/** Whether the platform was told while the request was worked on that made the sending. */
function isAtOnce({ decision, ended }: Entry, { requestedAt }: Sent): boolean {
  const plan = decision?.plan ?? []
  const first = plan.findIndex(isSent)
  if (first <= 0) return true
  const isByTime = plan.slice(0, first).every(({ times }) => times === undefined)
  return isByTime && Date.parse(requestedAt) <= (ended?.clock ?? Number.POSITIVE_INFINITY)
}

function put<It>(map: Map<string, It[]>, key: string, it: It): void {
  const known = map.get(key)
  if (known) known.push(it)
  else map.set(key, [it])
}
