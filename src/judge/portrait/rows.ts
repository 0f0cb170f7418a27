import { groupBy, groupsBySize } from '../grouping.ts'
import { type Decision, type FeatureName, type Features, featureNames } from './decisions.ts'
import type { Condition, PauseModel } from './portrait-shape.ts'

/** What a client does where some conditions hold. */
export interface TableRow {
  readonly when: readonly Condition[]
  /** Null where nothing is claimed. */
  readonly action: string | null
  readonly pause: PauseModel | null
}

/** A row with the decisions that it was learned from. */
export interface LearnedRow extends Omit<TableRow, 'pause'> {
  readonly action: string
  readonly decisions: readonly Decision[]
}

export const splitRule = {
  /** Rows of one situation. */
  maxRows: 6,
  /** Share of the decisions that they must explain. */
  explained: 0.98,
  /** Decisions on which each row rests, on average. */
  support: 2,
}

export const splitRuleWords = `A situation is split in two by the question about what the client knows that leaves the fewest decisions unexplained, again and again, into ${splitRule.maxRows} rows at most. The rows stand if they explain ${splitRule.explained * 100} % of its decisions, and ${splitRule.support} decisions or more for each of them; otherwise nothing is claimed of the situation.`

export function holds({ feature, is, value }: Condition, features: Features): boolean {
  const own = features[feature]
  return typeof value === 'number'
    ? Number(own) <= value === (is === 'at most')
    : value.includes(String(own)) === (is === 'one of')
}

/** The row of a table that holds for a decision; undefined if there is none. */
export const findRow = <Row extends TableRow>(
  table: readonly { readonly name: string; readonly rows: readonly Row[] }[],
  { situation, features }: Pick<Decision, 'situation' | 'features'>,
): Row | undefined =>
  table.find(({ name }) => name === situation)?.rows.find(({ when }) => when.every(it => holds(it, features)))

type Counts = ReadonlyMap<string, number>

/** How decisions are divided into actions. @param counts those of other decisions, which are added */
function countActions(decisions: readonly Decision[], counts: Counts = new Map()): Counts {
  const sums = new Map(counts)
  for (const { action } of decisions) sums.set(action, (sums.get(action) ?? 0) + 1)
  return sums
}

/** How many decisions in a row are others than it says. */
const countOthers = ({ decisions, action }: LearnedRow): number =>
  decisions.filter(it => it.action !== action).length

/** Twice the decisions that a random pair of the same side would not explain: unlike the plain count it rewards a step on the way. */
function impurity(counts: Counts): number {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return all - [...counts.values()].reduce((sum, count) => sum + count * count, 0) / Math.max(1, all)
}

/** A question, as what holds on its two sides, and what it leaves unexplained. */
interface Split {
  readonly sides: readonly [Condition, Condition]
  readonly rest: number
}

/** Every question about one feature that divides the decisions. */
function splitsBy(feature: FeatureName, decisions: readonly Decision[]): Split[] {
  const all = countActions(decisions)
  const groups = [...groupBy(decisions, ({ features }) => features[feature])].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
  let below: Counts = new Map()
  return groups.flatMap(([value, own], at): Split[] => {
    const inside = countActions(own, typeof value === 'number' ? below : undefined)
    below = inside
    const outside = new Map([...all].map(([action, count]) => [action, count - (inside.get(action) ?? 0)]))
    const rest = impurity(inside) + impurity(outside)
    if (typeof value === 'string') {
      const is = { feature, value: [value] }
      const sides = [
        { ...is, is: 'one of' },
        { ...is, is: 'none of' },
      ] as const
      return groups.length > 1 ? [{ sides, rest }] : []
    }
    const next = groups[at + 1]?.[0]
    if (typeof next !== 'number') return []
    const isWhole = Number.isInteger(value) && Number.isInteger(next)
    const limit = { feature, value: isWhole ? value : (value + next) / 2 }
    return [
      {
        sides: [
          { ...limit, is: 'at most' },
          { ...limit, is: 'more than' },
        ],
        rest,
      },
    ]
  })
}

/** The first of the best questions; undefined if none explains anything. */
function bestSplit(decisions: readonly Decision[], preferred: readonly FeatureName[]): Split | undefined {
  const counts = countActions(decisions)
  if (counts.size === 1) return undefined
  const wanted = preferred
    .flatMap(name => splitsBy(name, decisions))
    .filter(({ sides: [{ feature, value }] }) => !(feature.startsWith('since') && Number(value) < shortTime))
  let least = impurity(counts)
  let best: Split | undefined
  for (const split of [...wanted, ...featureNames.flatMap(name => splitsBy(name, decisions))]) {
    if (split.rest >= least - 1e-9) continue
    least = split.rest
    best = split
  }
  return best
}

/** Seconds for which a limit does not ask: a client that ends so early counts its attempts. */
const shortTime = 10

/** Decisions, and the two parts into which a question divides them. */
interface Branch extends LearnedRow {
  parts?: readonly Branch[]
}

function branchOf(when: readonly Condition[], decisions: readonly Decision[]): Branch {
  const [[action] = ['']] = groupsBySize(decisions, it => it.action)
  return { when, decisions, action }
}

/** The rows of a branch: one, if the client does the same on both sides of its question. */
function rowsOf({ parts, ...row }: Branch): LearnedRow[] {
  const rows = parts?.flatMap(rowsOf) ?? []
  return new Set(rows.map(({ action }) => action)).size > 1 ? rows : [row]
}

/**
 * The rows of one situation, by the rule above; undefined where they do not explain it.
 * @param preferred what is asked first where several questions explain the same
 */
export function growRows(
  decisions: readonly Decision[],
  preferred: readonly FeatureName[] = [],
): LearnedRow[] | undefined {
  const root = branchOf([], decisions)
  let leaves: readonly Branch[] = [root]
  while (leaves.length < splitRule.maxRows) {
    const worst = leaves.reduce((one, other) => (countOthers(other) > countOthers(one) ? other : one))
    const split = bestSplit(worst.decisions, preferred)
    if (!split) break
    worst.parts = split.sides.map(side =>
      branchOf(
        [...worst.when, side],
        worst.decisions.filter(({ features }) => holds(side, features)),
      ),
    )
    leaves = leaves.flatMap(it => it.parts ?? [it])
  }
  const rows = rowsOf(root)
  const left = rows.reduce((sum, row) => sum + countOthers(row), 0)
  const isExplained = left <= decisions.length * (1 - splitRule.explained)
  const isSupported = rows.length === 1 || decisions.length >= splitRule.support * rows.length
  return isExplained && isSupported
    ? rows.map(row => ({ ...row, when: simplifyConditions(row.when, row.decisions) }))
    : undefined
}

/** The same conditions, one for each feature and side: the narrowest limit. What a client got is named: of another answer the row says nothing. */
export function simplifyConditions(when: readonly Condition[], decisions: readonly Decision[]): Condition[] {
  const groups = groupBy(when, it => (typeof it.value === 'number' ? `${it.feature} ${it.is}` : it.feature))
  return [...groups.values()].map((same): Condition => {
    const [{ feature, is, value }] = same
    if (typeof value === 'number')
      return same.reduce((one, other) => (one.value < other.value === (is === 'at most') ? one : other))
    const seen = [...new Set(decisions.map(({ features }) => String(features[feature])))].sort()
    return feature === 'answer' || same.some(({ is }) => is === 'one of')
      ? { feature, is: 'one of', value: seen }
      : {
          feature,
          is: 'none of',
          value: same.flatMap(({ value }) => (typeof value === 'object' ? value : [])),
        }
  })
}
