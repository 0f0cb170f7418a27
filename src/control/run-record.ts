import type { CaseResult } from '../judge/exam/exam-result.ts'
import type { JudgedSpace } from '../judge/run/space-result.ts'
import type { KnownClient } from '../judge/terms.ts'
import { realTime } from '../rig/clock.ts'
import type { Rigs } from '../rig/rigs.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { type RigView, viewAtEnd } from '../rig/space-view.ts'
import { type MemoryShare, type Reclaimable, weigh } from '../store/memory-budget.ts'
import type { SpaceEnd } from '../store/spaces.ts'
import { nextTurn } from '../store/turns.ts'
import { isDemonstration } from './demonstrations.ts'

/** A space that is gone and not judged yet. */
interface GoneSpace {
  readonly rig: RigView
  readonly state: Exclude<SpaceEnd, 'closed'>
  readonly end: KnownClient
  readonly exam: CaseResult | undefined
  readonly bytes: number
}

/** Up to so many spaces that are gone wait to be judged, until a report is asked for: judging each as it goes would slow a reset down. */
const mostWaiting = { spaces: 250, bytes: 8 << 20 }
/** Bytes of one of them besides its rows and requests, roughly. */
const goneBytes = 20_000
/** Spaces that go faster than they can be judged are not judged. */
const mostBehind = 4
/** Spaces that are gone and judged; the bytes are also at most this part of the memory limit. */
const mostKept = { spaces: 10_000, bytes: 16 << 20, part: 16 }

const nothingSaid: KnownClient = {}
const saysSomething = (end: KnownClient) => Object.values(end).some(it => it !== undefined)

/** Real milliseconds of judging in one turn of the event loop. */
const longestTurn = 10

/**
 * What a run report says of spaces that are gone: their verdict is taken when they go, or soon after. Bounded in count and
 * bytes, and the first to go when memory is short: the oldest ones are left out and counted, those that passed first.
 */
export class RunRecord implements Reclaimable {
  readonly #rigs: Rigs
  readonly #memory: MemoryShare
  #waiting: GoneSpace[] = []
  #waitingBytes = 0
  #judging: Promise<void> = Promise.resolve()
  #isJudging = false
  readonly #kept = new Set<JudgedSpace & { readonly bytes: number }>()
  readonly #ends = new WeakMap<RigView, KnownClient>()
  readonly #exams = new WeakMap<RigView, CaseResult>()
  readonly began = realTime()
  /** How many spaces have ended since, by why they did, and how many requests came to them. */
  readonly ended: Record<GoneSpace['state'], number> = { 'made room': 0, reset: 0, removed: 0 }
  requests = 0
  /** Spaces that are gone, to which no request came and in which nothing was armed, by name. */
  #unused: string[] = []
  #leftOut = { spaces: 0, failed: 0, unjudged: 0 }

  constructor(rigs: Rigs) {
    this.#rigs = rigs
    this.#memory = rigs.budget.share('caches')
    rigs.budget.addSource(this)
  }

  /** What the last call for the verdict said of the client counts for the report, the capsule and the pages, too. */
  noteEnd(rig: RigView, end: KnownClient): void {
    if (saysSomething(end)) this.#ends.set(rig, end)
  }

  /** The result of an exam's case stands in the report for its space, also once that is gone: an exam knows what was expected. */
  noteExam(rig: RigView, end: KnownClient, result: CaseResult): void {
    this.noteEnd(rig, end)
    this.#exams.set(rig, result)
  }

  /** What is said of the client: by `end`, or else by the last call for its verdict. The same object until another one says it. */
  endOf(rig: RigView, end: KnownClient = nothingSaid): KnownClient {
    return saysSomething(end) ? end : (this.#ends.get(rig) ?? nothingSaid)
  }

  /** A space goes. Called before its rig ends. */
  take(rig: SpaceRig, state: GoneSpace['state']): void {
    this.ended[state]++
    this.requests += rig.journal.count - rig.earlierRequests
    if (rig.earlierRequests > 0) this.#forget(rig.space.name)
    if (isDemonstration(rig.space.name)) return
    if (isUnused(rig)) {
      if (this.#unused.length < mostKept.spaces) this.#unused.push(rig.space.name)
      return
    }
    const bytes = goneBytes + rig.journal.bytes + rig.space.data.tables.changed.bytes
    // What is due by now is done at once: the files of a space that makes room are closed next.
    void rig.advancePlatform().catch(() => {})
    const [end, exam] = [this.endOf(rig), this.#exams.get(rig)]
    this.#waiting.push({ rig: viewAtEnd(rig), state, end, exam, bytes })
    this.#countWaiting(bytes)
    if (this.#waiting.length > mostBehind * mostWaiting.spaces) this.#dropWaiting()
    const isMuch = this.#waitingBytes > Math.min(mostWaiting.bytes, this.#mostBytes)
    if ((isMuch || this.#waiting.length > mostWaiting.spaces) && !this.#isJudging)
      void this.#judgeDownTo(isMuch ? 0 : mostWaiting.spaces / 2)
  }

  get reclaimableBytes(): number {
    return this.#memory.bytes
  }

  /** Gives back memory: first what waits to be judged, which is more for each space. */
  reclaim(): void {
    const rest = this.#memory.bytes / 2
    while (this.#memory.bytes > rest && this.#waiting.length > 0) this.#dropWaiting()
    while (this.#memory.bytes > rest && this.#kept.size > 0) this.#dropKept()
  }

  get #mostBytes(): number {
    return Math.min(mostKept.bytes, this.#rigs.budget.limit / mostKept.part)
  }

  /** What was taken when a space made room is in what it has become, since its journal was kept on disk. */
  #forget(name: string): void {
    for (const it of this.#waiting)
      if (it.state === 'made room' && it.rig.space.name === name) this.#countWaiting(-it.bytes)
    this.#waiting = this.#waiting.filter(it => it.state !== 'made room' || it.rig.space.name !== name)
    for (const it of this.#kept)
      if (it.result.state === 'made room' && it.result.space === name) {
        this.#kept.delete(it)
        this.#memory.add(-it.bytes)
      }
  }

  #dropWaiting(): void {
    this.#countWaiting(-this.#waiting.shift()!.bytes)
    this.#leftOut.spaces++
    this.#leftOut.unjudged++
  }

  #countWaiting(bytes: number): void {
    this.#waitingBytes += bytes
    this.#memory.add(bytes)
  }

  /** The spaces that are gone, the oldest first, once all of them are judged. What happens later is not in it. */
  async gone() {
    while (this.#waiting.length > 0 || this.#isJudging) await this.#judgeDownTo(0)
    return { spaces: [...this.#kept], unused: [...this.#unused], leftOut: { ...this.#leftOut } }
  }

  #judgeDownTo(most: number): Promise<void> {
    this.#judging = this.#judging.then(async () => {
      this.#isJudging = true
      try {
        let turn = realTime()
        while (this.#waiting.length > most) {
          await this.#judgeNext()
          if (realTime() - turn < longestTurn) continue
          await nextTurn()
          turn = realTime()
        }
      } finally {
        this.#isJudging = false
      }
    })
    return this.#judging
  }

  async #judgeNext(): Promise<void> {
    const { rig, state, end, exam, bytes } = this.#waiting.shift()!
    this.#countWaiting(-bytes)
    try {
      this.#keep(await this.judge(rig, state, end, exam))
    } catch {
      // Its rows were undone by a disk that fails, for example.
      this.#leftOut.spaces++
      this.#leftOut.unjudged++
    }
  }

  async judge(
    rig: RigView,
    state: JudgedSpace['result']['state'],
    end: KnownClient,
    exam = this.#exams.get(rig),
  ): Promise<JudgedSpace> {
    const { judgeForRun, asInExam } = await import('../judge/run/space-result.ts')
    const judgeView = (view: RigView) => judgeForRun(view, state, end, this.#rigs.rejectedLogins)
    // The files of a space that makes room meanwhile are closed.
    const judged = await judgeView(rig).catch(() => judgeView(viewAtEnd(rig)))
    return exam ? asInExam(judged, exam) : judged
  }

  /** The oldest that passed, or else the oldest. */
  #leastTelling() {
    for (const it of this.#kept) if (it.result.status === 'passed') return it
    return [...this.#kept][0]!
  }

  #keep(judged: JudgedSpace): void {
    const bytes = weigh(judged)
    this.#kept.add({ ...judged, bytes })
    this.#memory.add(bytes)
    const isMuch = () => this.#memory.bytes - this.#waitingBytes > this.#mostBytes
    while (this.#kept.size > 0 && (this.#kept.size > mostKept.spaces || isMuch())) this.#dropKept()
  }

  #dropKept(): void {
    const dropped = this.#leastTelling()
    this.#kept.delete(dropped)
    this.#memory.add(-dropped.bytes)
    this.#leftOut.spaces++
    if (dropped.result.status === 'failed') this.#leftOut.failed++
  }
}

/** Whether no request came to a space and nothing was armed in it. */
export const isUnused = ({ journal, scenarios, faults }: RigView): boolean =>
  journal.count === 0 &&
  faults.live.size === 0 &&
  scenarios.all.every(({ scenario, isContinued }) => isContinued || scenario.rules.length === 0)
