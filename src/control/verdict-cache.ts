import type { KnownClient } from '../judge/terms.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { realTime } from '../rig/clock.ts'
import type { RigView } from '../rig/space-view.ts'
import { upcomingChanges } from '../service/sendings/lifecycle.ts'

/** Maximum age of a verdict while the clock runs: something may be due without an event. Real milliseconds. */
const maxAge = 30_000

type Judge = (rig: RigView, end: KnownClient) => Promise<{ readonly verdict: VerdictView }>

/** A verdict, and whether time alone, or something new said of the client, has made it wrong. */
interface CachedVerdict {
  readonly verdict: VerdictView
  readonly isFresh: () => boolean
}

/** The latest verdict on each space, for what was last said of its client. Kept as long as the space lives. */
export class VerdictCache {
  readonly #judge: Judge
  readonly #endOf: (rig: RigView) => KnownClient
  readonly #verdicts = new WeakMap<RigView, CachedVerdict>()

  /** @param endOf what was last said of a client, the same object until something else is said */
  constructor(judge: Judge, endOf: (rig: RigView) => KnownClient) {
    this.#judge = judge
    this.#endOf = endOf
  }

  /**
   * The verdict on a space, judged again only after something happened in it. The first event ends the subscription, so that a
   * space without viewers has no cost.
   * @returns undefined when there is nothing to judge
   */
  async get(rig: RigView): Promise<VerdictView | undefined> {
    if (rig.journal.count === 0) return undefined
    const cached = this.#verdicts.get(rig)
    if (cached?.isFresh()) return cached.verdict
    let isStale = false
    const unlisten = rig.events.listen(() => {
      isStale = true
      unlisten()
      this.#verdicts.delete(rig)
    })
    const due = nextChange(rig)
    const end = this.#endOf(rig)
    const { verdict } = await this.#judge(rig, end)
    const at = realTime()
    const isFresh = () =>
      this.#endOf(rig) === end && rig.clock.now() < due && (rig.clock.isFrozen || realTime() - at < maxAge)
    // Events during the computation may not be part of it.
    if (!isStale) this.#verdicts.set(rig, { verdict, isFresh })
    return verdict
  }
}

/** When time alone changes what is judged, in milliseconds on the space's clock. */
function nextChange({ space, clock }: RigView): number {
  let next = Number.POSITIVE_INFINITY
  for (const { at } of upcomingChanges(space, clock.now())) next = Math.min(next, at)
  return next
}
