import { setImmediate } from 'node:timers'
import type { Appender } from './files.ts'

/** Changes that become safe together. */
interface Batch {
  lines: string
  /** What takes the changes back, in their order. */
  readonly undo: (() => void)[]
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function newBatch(): Batch {
  let resolve = () => {}
  let reject: Batch['reject'] = () => {}
  const done = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Everybody who waits hears of a failure; that nobody does is no accident.
  done.catch(() => {})
  return { lines: '', undo: [], done, resolve, reject }
}

/**
 * Group commit. All changes that come within one turn of the event loop, and while a sync is under way all that come
 * until it is over, go to the log in one piece and are safe at the same moment. They show in memory before that, so that
 * the next request finds them; where the disk then refuses, they are taken back, the last one first, and everybody who
 * waits for them is told.
 */
export class Commits {
  #log: Appender | undefined
  #waiting: Batch | undefined
  #securing: Batch | undefined

  /** When all changes until now are safe; undefined when they are. It rejects where they had to be taken back. */
  get pending(): Promise<void> | undefined {
    return (this.#waiting ?? this.#securing)?.done
  }

  /**
   * @param undo takes the change back, which shows from now on
   * @returns when it is safe
   */
  add(log: Appender, line: string, undo: () => void): Promise<void> {
    this.#log = log
    if (!this.#waiting) {
      this.#waiting = newBatch()
      if (!this.#securing) setImmediate(() => this.#commit())
    }
    this.#waiting.lines += line
    this.#waiting.undo.push(undo)
    return this.#waiting.done
  }

  /**
   * Makes all changes safe before it returns.
   * @throws StorageError when they had to be taken back
   */
  finishNow(): void {
    const waiting = this.#waiting
    const securing = this.#securing
    if (!waiting && !securing) return
    if (waiting) this.#append(waiting)
    try {
      this.#log!.secureNow()
    } catch (error) {
      this.#fail([securing, waiting], error)
      throw error
    }
    this.#waiting = undefined
    this.#securing = undefined
    securing?.resolve()
    waiting?.resolve()
  }

  /** @throws StorageError; then the batch is taken back. One whose sync is under way is in the log, and stays. */
  #append(batch: Batch): void {
    try {
      this.#log!.append(batch.lines)
    } catch (error) {
      this.#fail([batch], error)
      throw error
    }
  }

  #commit(): void {
    const batch = this.#waiting
    if (!batch || this.#securing) return
    try {
      this.#append(batch)
    } catch {
      return // whoever waits has been told
    }
    this.#waiting = undefined
    const securing = this.#log!.secure()
    if (!securing) {
      batch.resolve()
      return
    }
    this.#securing = batch
    // Where they were made safe at once meanwhile, nobody waits for this any more; the log itself knows if it failed.
    const isOver = () => this.#securing !== batch
    securing.then(
      () => {
        if (isOver()) return
        this.#securing = undefined
        batch.resolve()
        this.#commit()
      },
      error => {
        if (!isOver()) this.#fail([batch, this.#waiting], error)
      },
    )
  }

  #fail(batches: readonly (Batch | undefined)[], error: unknown): void {
    const failed = batches.filter(batch => batch !== undefined)
    if (failed.includes(this.#waiting!)) this.#waiting = undefined
    if (failed.includes(this.#securing!)) this.#securing = undefined
    for (const { undo } of failed.toReversed()) for (const takeBack of undo.toReversed()) takeBack()
    for (const { reject } of failed) reject(error)
  }
}
