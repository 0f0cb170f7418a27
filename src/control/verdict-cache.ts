import type { VerdictView } from '../judge/verdict-shape.ts'
import { realTime } from '../rig/clock.ts'
import type { RigView } from '../rig/space-view.ts'
import { upcomingChanges } from '../service/sendings/lifecycle.ts'

/** Maximum age of a verdict while the clock runs: something may be due without an event. Real milliseconds. */
const maxAge = 30_000

/** A verdict, and whether time alone has made it wrong. */
interface CachedVerdict {
  readonly verdict: VerdictView
  readonly isFresh: () => boolean
}

/** The latest verdict on each space, as long as it is not known how its client ended. Kept as long as the space lives. */
export class VerdictCache {
  readonly #judge: (rig: RigView) => Promise<{ readonly verdict: VerdictView }>
  readonly #verdicts = new WeakMap<RigView, CachedVerdict>()

  constructor(judge: (rig: RigView) => Promise<{ readonly verdict: VerdictView }>) {
    this.#judge = judge
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
    const { verdict } = await this.#judge(rig)
    const at = realTime()
    const isFresh = () => rig.clock.now() < due && (rig.clock.isFrozen || realTime() - at < maxAge)
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
