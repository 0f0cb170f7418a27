import { groupBy, groupsBySize } from '../grouping.ts'
import type { Decision, Situation } from './decisions.ts'
import { isExpectedPause } from './pauses.ts'
import type { Change, Portrait, PortraitRow, PortraitSituation } from './portrait-shape.ts'
import { isNoisy, neverSeen, reactionWords } from './portrait-text.ts'
import { findRow, simplifyConditions } from './rows.ts'

/** Share of the decisions of a row that may differ, since no table is exact, and of its pauses, whose range is an estimate. */
const allowance = { actions: 0.05, pauses: 0.4 }

/** Decisions on which one of several rows of a situation rests at least, if a portrait predicts its own client badly. */
const fewestOfNoisy = 5

type Compared = Pick<Portrait, 'accuracy' | 'situations'>
type ChangeHere = Omit<Change, 'situations'> & { readonly situation: Situation }

/** What changed since an earlier portrait. @param decisions those of today */
export function changesSince(
  earlier: Compared,
  today: Compared,
  decisions: readonly Decision[],
): Pick<Portrait, 'changes' | 'isCoarse'> {
  const isCoarse = isNoisy(earlier) || isNoisy(today)
  const changes = isCoarse
    ? changedActions(earlier.situations, today.situations)
    : changedReactions(earlier.situations, today.situations, decisions)
  return {
    isCoarse,
    changes: [...groupBy(changes, ({ situation: _, ...change }) => JSON.stringify(change)).values()].map(
      same => {
        const [{ situation: _, ...change }] = same
        return { situations: [...new Set(same.map(({ situation }) => situation))], ...change }
      },
    ),
  }
}

/** Only which actions a situation has: the limits between the rows of a noisy portrait, and its pauses, are guessed. */
function changedActions(
  before: readonly PortraitSituation[],
  now: readonly PortraitSituation[],
): ChangeHere[] {
  const onlyIn = (rows: readonly PortraitRow[], others: readonly PortraitRow[]) =>
    rows.filter(
      ({ action, decisions }) =>
        (rows.length === 1 || decisions >= fewestOfNoisy) && !others.some(it => it.action === action),
    )
  const listed = (rows: readonly PortraitRow[]) =>
    [...new Set(rows.map(({ action }) => reactionWords({ action, pause: null })))].join(' or ')
  return now.flatMap(({ name: situation, rows }) => {
    const earlier = before.find(({ name }) => name === situation)?.rows ?? []
    // Of what nothing is claimed nothing has changed.
    if ([...earlier, ...rows].some(({ action }) => action === null)) return []
    const gone = onlyIn(earlier, rows)
    const added = onlyIn(rows, earlier)
    if (gone.length + added.length === 0) return []
    const words = { before: listed(gone.length > 0 ? gone : earlier) || neverSeen }
    return [{ situation, ...words, now: listed(added.length > 0 ? added : rows) }]
  })
}

/**
 * Each decision of today is held against what the earlier portrait predicts. So rows that are merely worded otherwise, or
 * whose limits lie a little elsewhere, are no change.
 */
function changedReactions(
  before: readonly PortraitSituation[],
  now: readonly PortraitSituation[],
  decisions: readonly Decision[],
): ChangeHere[] {
  const pairs = decisions.flatMap(decision => {
    const row = findRow(now, decision)
    const earlier = findRow(before, decision)
    const isOther = earlier?.action !== decision.action
    const isOff = !isOther && earlier.pause !== null && !isExpectedPause(earlier.pause, decision)
    return row ? [{ decision, row, earlier, isOther, isOff }] : []
  })
  // What is asked to wait is compared by itself.
  const groups = [...groupBy(pairs, ({ row }) => row).values()].flatMap(own => [
    ...groupBy(own, ({ decision }) => decision.features.retryAfter > 0).values(),
  ])
  return groups.flatMap(own => {
    const others = own.filter(({ isOther }) => isOther)
    const off = own.filter(({ isOff }) => isOff)
    const areOff = off.length > own.length * allowance.pauses
    const wrong = others.length > own.length * allowance.actions ? others : areOff ? off : []
    const [most] = groupsBySize(wrong, ({ earlier }) => earlier)
    if (!most) return []
    const [earlier, differing] = most
    const [{ decision, row }] = differing
    const words = { before: earlier ? reactionWords(earlier) : neverSeen, now: reactionWords(row) }
    const when = simplifyConditions(
      [...(earlier?.when ?? []), ...row.when],
      differing.map(it => it.decision),
    )
    const change = { situation: decision.situation, ...(when.length > 0 && { when }), ...words }
    return words.before === words.now ? [] : [change]
  })
}
