import { type Decision, type FeatureName, type Features, featureNames } from './decisions.ts'
import type { Condition, PauseModel } from './portrait-shape.ts'

/** What a client does where some conditions hold. */
export interface TableRow {
  readonly when: readonly Condition[]
  /** Null where nothing is claimed. */
  readonly action: string | null
  readonly pause?: PauseModel | null | undefined
}

/** A row with the decisions that it was learned from. */
export interface LearnedRow extends TableRow {
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

/** How decisions are divided into actions. */
function countActions(decisions: readonly Decision[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { action } of decisions) counts.set(action, (counts.get(action) ?? 0) + 1)
  return counts
}

function toRow(when: readonly Condition[], decisions: readonly Decision[]): LearnedRow {
  const [[action] = ['']] = [...countActions(decisions)].sort(([, one], [, other]) => other - one)
  return { when, decisions, action }
}

/** How many decisions in a row are others than it says. */
export const countOthers = ({ decisions, action }: Pick<LearnedRow, 'decisions' | 'action'>): number =>
  decisions.filter(it => it.action !== action).length

/** Twice the decisions that a random pair of the same side would not explain: unlike the plain count it rewards a step on the way. */
const impurity = (counts: ReadonlyMap<string, number>, all: number) =>
  all === 0 ? 0 : all - [...counts.values()].reduce((sum, count) => sum + count * count, 0) / all

interface Split {
  readonly sides: readonly [Condition, Condition]
  readonly rest: number
}

/** The best question about one feature; undefined if none divides the decisions. */
function bestSplit(decisions: readonly Decision[], feature: FeatureName): Split | undefined {
  const all = countActions(decisions)
  const sorted = decisions.toSorted((one, other) =>
    one.features[feature] < other.features[feature] ? -1 : 1,
  )
  let best: Split | undefined
  let inside = new Map<string, number>()
  let begin = 0
  for (let at = 0; at < sorted.length; at++) {
    const { features, action } = sorted[at]!
    const value = features[feature]
    const next = sorted[at + 1]?.features[feature]
    inside.set(action, (inside.get(action) ?? 0) + 1)
    if (next === value || (next === undefined && begin === 0)) continue
    const outside = new Map([...all].map(([it, count]) => [it, count - (inside.get(it) ?? 0)]))
    const count = at + 1 - begin
    const rest = impurity(inside, count) + impurity(outside, sorted.length - count)
    const isBetter = !best || rest < best.rest - 1e-9
    if (typeof value === 'string') {
      const words = [value]
      if (isBetter)
        best = {
          sides: [
            { feature, is: 'one of', value: words },
            { feature, is: 'none of', value: words },
          ],
          rest,
        }
      inside = new Map()
      begin = at + 1
    } else if (next !== undefined && isBetter) {
      const isWhole = Number.isInteger(value) && Number.isInteger(next)
      const limit = isWhole ? value : (value + Number(next)) / 2
      best = {
        sides: [
          { feature, is: 'at most', value: limit },
          { feature, is: 'more than', value: limit },
        ],
        rest,
      }
    }
  }
  return best
}

/**
 * The rows of one situation, by the rule above; undefined where they do not explain it.
 * @param preferred what is asked first where several questions explain the same
 */
export function growRows(
  decisions: readonly Decision[],
  preferred: readonly FeatureName[] = [],
): readonly LearnedRow[] | undefined {
  let rows: readonly LearnedRow[] = [toRow([], decisions)]
  while (rows.length < splitRule.maxRows) {
    const worst = rows.reduce((one, other) => (countOthers(other) > countOthers(one) ? other : one))
    const before = impurity(countActions(worst.decisions), worst.decisions.length)
    const asked = preferred.flatMap(name => bestSplit(worst.decisions, name) ?? [])
    const best = [
      ...asked.filter(it => !isShortTime(it.sides[0])),
      ...featureNames.flatMap(name => bestSplit(worst.decisions, name) ?? []),
    ].reduce<Split | undefined>(
      (one, other) => (one && one.rest <= other.rest + 1e-9 ? one : other),
      undefined,
    )
    if (!best || best.rest > before - 1e-9) break
    const parts = best.sides.map(question =>
      toRow(
        [...worst.when, question],
        worst.decisions.filter(({ features }) => holds(question, features)),
      ),
    )
    rows = rows.flatMap(row => (row === worst ? parts : [row]))
  }
  rows = withoutIdleSplits(rows)
  const left = rows.reduce((sum, row) => sum + countOthers(row), 0)
  const isExplained = left <= decisions.length * (1 - splitRule.explained)
  const isSupported = rows.length === 1 || decisions.length >= splitRule.support * rows.length
  return isExplained && isSupported
    ? rows.map(row => ({ ...row, when: simplify(row.when, row.decisions) }))
    : undefined
}

/** Whether it asks for a few seconds: a client that ends so early counts its attempts. */
const isShortTime = ({ feature, value }: Condition) => feature.startsWith('since') && Number(value) < 10

/** Joins two sides of a question on which the client does the same. */
function withoutIdleSplits(rows: readonly LearnedRow[]): readonly LearnedRow[] {
  const at = rows.findIndex(({ when, action }, nth) => {
    const other = rows[nth + 1]
    const areSides = (one: Condition, two: Condition) =>
      one.feature === two.feature && one.value === two.value
    return (
      other?.action === action &&
      when.length > 0 &&
      when.length === other.when.length &&
      when.every((it, place) => it === other.when[place] || place === when.length - 1) &&
      areSides(when.at(-1)!, other.when.at(-1)!)
    )
  })
  if (at < 0) return rows
  const [one, other] = [rows[at]!, rows[at + 1]!]
  const joined = toRow(one.when.slice(0, -1), [...one.decisions, ...other.decisions])
  return withoutIdleSplits([...rows.slice(0, at), joined, ...rows.slice(at + 2)])
}

/** The same conditions, one for each feature and side. What a client got is named: of another answer the row says nothing. */
function simplify(when: readonly Condition[], decisions: readonly Decision[]): Condition[] {
  const last = new Map(when.map(it => [`${it.feature} ${it.is}`, it]))
  return [...last.values()].flatMap((it): Condition[] => {
    if (typeof it.value === 'number') return [it]
    const { feature } = it
    if (it.is === 'none of' && last.has(`${feature} one of`)) return []
    const seen = [...new Set(decisions.map(({ features }) => String(features[feature])))].sort()
    if (it.is === 'one of' || feature === 'answer') return [{ feature, is: 'one of', value: seen }]
    const others = when.flatMap(other =>
      other.is === 'none of' && other.feature === feature ? other.value : [],
    )
    return [{ feature, is: 'none of', value: others }]
  })
}
