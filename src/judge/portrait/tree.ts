import type { Decision, FeatureName, Features } from './decisions.ts'

/** A question about what a client knows. Numbers are asked with `at most` and `more than`, words with `is` and `is not`. */
export type Condition =
  | { readonly feature: FeatureName; readonly is: 'at most' | 'more than'; readonly value: number }
  | { readonly feature: FeatureName; readonly is: 'is' | 'is not'; readonly value: string }

/** What a client does where some conditions hold. */
export interface Leaf {
  readonly when: readonly Condition[]
  readonly decisions: readonly Decision[]
  /** What it does most often there. */
  readonly action: string
}

/** In the order in which they are preferred, where several explain the same. */
export const featureNames = [
  'answer',
  'previous',
  'attempts',
  'ids',
  'times',
  'requests',
  'unanswered',
  'retryAfter',
  'dated',
  'sincePending',
  'sinceFailed',
  'idAge',
  'sinceFirst',
] as const satisfies readonly FeatureName[]

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
  if (is === 'is' || is === 'is not') return (own === value) === (is === 'is')
  return Number(own) <= Number(value) === (is === 'at most')
}

/** How decisions are divided into actions. */
function countActions(decisions: readonly Decision[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { action } of decisions) counts.set(action, (counts.get(action) ?? 0) + 1)
  return counts
}

function toLeaf(when: readonly Condition[], decisions: readonly Decision[]): Leaf {
  const [[action] = ['']] = [...countActions(decisions)].sort(([, one], [, other]) => other - one)
  return { when, decisions, action }
}

export const unexplained = ({ decisions, action }: Pick<Leaf, 'decisions' | 'action'>): number =>
  decisions.reduce((count, it) => count + (it.action === action ? 0 : 1), 0)

/** Twice the decisions that a random pair of the same side would not explain: unlike the plain count it rewards a step on the way. */
const impurity = (counts: ReadonlyMap<string, number>, all: number) =>
  all === 0 ? 0 : all - [...counts.values()].reduce((sum, count) => sum + count * count, 0) / all

interface Split {
  readonly yes: Condition
  readonly no: Condition
  readonly rest: number
}

/** The best question about one feature; undefined if none divides the decisions. */
function bestSplit(decisions: readonly Decision[], feature: FeatureName): Split | undefined {
  const all = countActions(decisions)
  const sorted = decisions.toSorted((one, other) =>
    one.features[feature] < other.features[feature] ? -1 : 1,
  )
  let best: Split | undefined
  const consider = (
    inside: Map<string, number>,
    count: number,
    questions: () => Pick<Split, 'yes' | 'no'>,
  ) => {
    const outside = new Map([...all].map(([action, number]) => [action, number - (inside.get(action) ?? 0)]))
    const rest = impurity(inside, count) + impurity(outside, decisions.length - count)
    if (!best || rest < best.rest - 1e-9) best = { ...questions(), rest }
  }
  let inside = new Map<string, number>()
  let begin = 0
  for (let at = 0; at < sorted.length; at++) {
    const { features, action } = sorted[at]!
    const value = features[feature]
    const next = sorted[at + 1]?.features[feature]
    inside.set(action, (inside.get(action) ?? 0) + 1)
    if (next === value || (next === undefined && begin === 0)) continue
    if (typeof value === 'string') {
      consider(inside, at + 1 - begin, () => ({
        yes: { feature, is: 'is', value },
        no: { feature, is: 'is not', value },
      }))
      inside = new Map()
      begin = at + 1
    } else if (next !== undefined) {
      const middle = (value + (next as number)) / 2
      const limit = Number.isInteger(value) && Number.isInteger(next) ? value : middle
      consider(inside, at + 1, () => ({
        yes: { feature, is: 'at most', value: limit },
        no: { feature, is: 'more than', value: limit },
      }))
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
): readonly Leaf[] | undefined {
  let leaves: Leaf[] = [toLeaf([], decisions)]
  while (leaves.length < splitRule.maxRows) {
    const worst = leaves.reduce((one, other) => (unexplained(other) > unexplained(one) ? other : one))
    if (unexplained(worst) === 0) break
    const before = impurity(countActions(worst.decisions), worst.decisions.length)
    const splits = [...preferred, ...featureNames].flatMap(name => bestSplit(worst.decisions, name) ?? [])
    const best = splits.reduce<Split | undefined>(
      (one, other) => (one && one.rest <= other.rest + 1e-9 ? one : other),
      undefined,
    )
    if (!best || best.rest > before - 1e-9) break
    const parts = [best.yes, best.no].map(question =>
      toLeaf(
        [...worst.when, question],
        worst.decisions.filter(({ features }) => holds(question, features)),
      ),
    )
    leaves = leaves.flatMap(leaf => (leaf === worst ? parts : [leaf]))
  }
  leaves = withoutIdleSplits(leaves)
  const left = leaves.reduce((sum, leaf) => sum + unexplained(leaf), 0)
  const isExplained = left <= decisions.length * (1 - splitRule.explained)
  const isSupported = leaves.length === 1 || decisions.length >= splitRule.support * leaves.length
  return isExplained && isSupported ? leaves : undefined
}

/** Joins two sides of a question on which the client does the same. */
function withoutIdleSplits(leaves: readonly Leaf[]): Leaf[] {
  for (const [at, one] of leaves.entries()) {
    const other = leaves[at + 1]
    const depth = one.when.length
    const areSides =
      other?.when.length === depth &&
      depth > 0 &&
      one.when.slice(0, -1).every((it, nth) => it === other.when[nth]) &&
      one.when.at(-1)!.feature === other.when.at(-1)!.feature &&
      one.when.at(-1)!.value === other.when.at(-1)!.value
    if (areSides && one.action === other.action)
      return withoutIdleSplits([
        ...leaves.slice(0, at),
        toLeaf(one.when.slice(0, -1), [...one.decisions, ...other.decisions]),
        ...leaves.slice(at + 2),
      ])
  }
  return [...leaves]
}
