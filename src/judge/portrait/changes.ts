import { groupBy, groupsBySize } from '../grouping.ts'
import type { Decision } from './decisions.ts'
import { isExpectedPause } from './pauses.ts'
import type { Change, Portrait, PortraitSituation } from './portrait-shape.ts'
import { isNoisy, reactionWords } from './portrait-text.ts'
import { findRow } from './rows.ts'

/** Share of the decisions of a row that may differ, since no table is exact, and of its pauses, whose range is an estimate. */
const allowance = { actions: 0.05, pauses: 0.4 }

/** Decisions on which one of several rows of a situation rests at least, if the portrait predicts its own client badly. */
const fewestOfNoisy = 5

/**
 * What changed since an earlier portrait: each decision of today is held against what that portrait predicts. So rows that
 * are merely worded otherwise, or whose limits lie a little elsewhere, are no change. Nor is what a portrait that predicts its
 * own client badly claims in a row that rests on few decisions: its limits are guessed.
 */
export function changesSince(
  earlierPortrait: Pick<Portrait, 'accuracy' | 'situations'>,
  now: readonly PortraitSituation[],
  decisions: readonly Decision[],
): Change[] {
  const before = earlierPortrait.situations
  const guessed = new Set(
    isNoisy(earlierPortrait)
      ? before.flatMap(({ rows }) =>
          rows.filter(it => it.action === null || (rows.length > 1 && it.decisions < fewestOfNoisy)),
        )
      : [],
  )
  const pairs = decisions.flatMap(decision => {
    const row = findRow(now, decision)
    const earlier = findRow(before, decision)
    const isOther = earlier?.action !== decision.action
    const isOff = !isOther && earlier.pause !== null && !isExpectedPause(earlier.pause, decision)
    return row && !(earlier && guessed.has(earlier)) ? [{ decision, row, earlier, isOther, isOff }] : []
  })
  // What is asked to wait is compared by itself.
  const groups = [...groupBy(pairs, ({ row }) => row).values()].flatMap(own => [
    ...groupBy(own, ({ decision }) => decision.features.retryAfter > 0).values(),
  ])
  const changes = groups.flatMap(own => {
    const others = own.filter(({ isOther }) => isOther)
    const off = own.filter(({ isOff }) => isOff)
    const areOff = off.length > own.length * allowance.pauses
    const wrong = others.length > own.length * allowance.actions ? others : areOff ? off : []
    const [most] = groupsBySize(wrong, ({ earlier }) => earlier)
    if (!most) return []
    const [earlier, [{ decision, row }]] = most
    const words = { before: earlier ? reactionWords(earlier) : 'never seen', now: reactionWords(row) }
    return words.before === words.now ? [] : [{ situation: decision.situation, ...words }]
  })
  return [...groupBy(changes, ({ before, now }) => `${before}\n${now}`).values()].map(same => ({
    situations: [...new Set(same.map(({ situation }) => situation))],
    before: same[0].before,
    now: same[0].now,
  }))
}
