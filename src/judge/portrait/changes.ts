import { groupBy } from '../grouping.ts'
import type { Decision } from './decisions.ts'
import { findRow } from './lookup.ts'
import { isExpectedPause } from './pauses.ts'
import type { Change, PortraitRow, PortraitSituation } from './portrait-shape.ts'
import { reactionWords } from './portrait-text.ts'

/** Share of the decisions of a row that may differ, since no table is exact. */
const allowance = 0.05

/**
 * What changed since an earlier portrait: each decision of today is held against what that portrait predicts. So rows that
 * are merely worded otherwise, or whose limits lie a little elsewhere, are no change.
 */
export function changesSince(
  before: readonly PortraitSituation[],
  now: readonly PortraitSituation[],
  decisions: readonly Decision[],
): Change[] {
  const pairs = decisions.flatMap(decision => {
    const row = findRow(now, decision)
    return row ? [{ decision, row, earlier: findRow(before, decision) }] : []
  })
  const found = [...groupBy(pairs, ({ row }) => row).values()].flatMap(own => {
    const [{ decision, row }] = own
    const wrong = own.filter(it => isOtherwise(it.decision, it.earlier))
    if (wrong.length === 0 || wrong.length < own.length * allowance) return []
    const earlier = [...groupBy(wrong, it => it.earlier)].sort(
      ([, one], [, other]) => other.length - one.length,
    )[0]![0]
    return [
      {
        situation: decision.situation,
        before: earlier ? reactionWords(earlier) : 'never seen',
        now: reactionWords(row),
      },
    ]
  })
  return [...groupBy(found, it => `${it.before}\n${it.now}`).values()].map(same => ({
    situations: [...new Set(same.map(({ situation }) => situation))],
    before: same[0].before,
    now: same[0].now,
  }))
}

function isOtherwise(decision: Decision, earlier: PortraitRow | undefined): boolean {
  if (!earlier || earlier.action !== decision.action) return true
  return earlier.pause !== null && !isExpectedPause(earlier.pause, decision)
}
