import type { Tools } from '../../rig/control/route.ts'
import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import { realTime } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

interface Kept {
  readonly verdict: VerdictView
  /** Milliseconds since 1970, real time. */
  readonly at: number
}

/** What was judged stays with its space, and goes with it. */
const kept = new WeakMap<SpaceRig, Kept>()

/** While the clock goes on something may fall due without a word. Milliseconds of real time. */
const longest = 30_000

/**
 * The verdict on a space that somebody has used, judged anew only when something has happened in it since. The first
 * event ends the listening, so that a space in which nobody takes an interest any more is not held up.
 * @returns undefined where there is nothing to judge
 */
export async function verdictKept(
  { verdict }: Pick<Tools, 'verdict'>,
  rig: SpaceRig,
): Promise<VerdictView | undefined> {
  if (rig.journal.count === 0) return undefined
  const known = kept.get(rig)
  if (known && (rig.clock.isFrozen || realTime() - known.at < longest)) return known.verdict
  let isStale = false
  const stop = rig.events.listen(() => {
    isStale = true
    stop()
    kept.delete(rig)
  })
  const judged = await verdict(rig, undefined)
  // What happened while it was made may not be in it.
  if (!isStale) kept.set(rig, { verdict: judged.verdict, at: realTime() })
  return judged.verdict
}
