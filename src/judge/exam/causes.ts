import { groupBy } from '../grouping.ts'
import { rules } from '../rules/registry.ts'
import { severities } from '../terms.ts'
import { type CaseFinding, type CaseResult, type Cause, isProvedError } from './exam-result.ts'
import { consequences } from './outcome.ts'

const conductRules: ReadonlySet<string> = new Set(rules.map(({ id }) => id))

/**
 * The rules that a run broke for certain, each with its severity. What the exam finds by itself is a consequence where a
 * rule of conduct was broken, too. What is known is none.
 */
export function causesOf({
  findings,
}: Pick<CaseResult, 'findings'>): ReadonlyMap<string, CaseFinding['severity']> {
  const certain = findings.filter(({ status, known }) => status === 'guilty' && known === undefined)
  const isConduct = certain.some(it => isProvedError(it) && conductRules.has(it.rule))
  const causes = certain.filter(({ rule }) => !isConduct || conductRules.has(rule))
  return new Map(causes.map(({ rule, severity }) => [rule, severity]))
}

/**
 * Plans whose run shows only what follows from a mistake, and leaves the mistake open that another run proves, as of two mailings
 * nothing says which requests mean the same one: they become further plans of that mistake.
 * @param ofPlans as in `gatherCauses`
 */
export function attachConsequences(ofPlans: readonly Cause[], cases: readonly CaseResult[]): Cause[] {
  const proved = new Set([
    ...cases.flatMap(it =>
      [...causesOf(it)].flatMap(([rule, severity]) => (severity === 'error' ? rule : [])),
    ),
    ...ofPlans.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
  ])
  return ofPlans.map(it => {
    if (it.severity !== 'error' || !consequences.includes(it.rule)) return it
    const open = it.case.findings.find(
      ({ rule, severity, status }) =>
        status === 'open' && severity === 'error' && conductRules.has(rule) && proved.has(rule),
    )
    return open ? { ...it, rule: open.rule } : it
  })
}

/** Whether its plan shows only what followed. */
const isAttached = ({ rule, finding }: Cause) => finding.rule !== rule

/** How many runs show a cause. */
export const weightOf = ({ cases, plan }: Cause): number => cases.length + (plan?.found ?? 0)

/** A case shows a mistake the better, the more harm came of it, and the fewer requests there are to read. */
const obscurityOf = ({ reached, expected, harm, attempts }: CaseResult) =>
  attempts.length + (reached.sent > Math.max(1, expected?.sent ?? 1) ? 0 : harm === null ? 2_000 : 1_000)

/**
 * What was found in cases and in plans, each once: a case is named with the smallest plan that shows the same, or else
 * the one that shows it best stands for all that do. What explains most comes first.
 * @param ofPlans one for each rule and smallest plan
 */
export function gatherCauses(cases: readonly CaseResult[], ofPlans: readonly Cause[]): Cause[] {
  const found = cases.flatMap(it =>
    [...causesOf(it)].map(([rule, severity]) => ({ key: `${severity} ${rule}`, rule, severity, it })),
  )
  const byKind = groupBy(found, ({ key }) => key)
  const causes = ofPlans.toSorted((one, other) => weightOf(other) - weightOf(one))
  for (const group of byKind.values()) {
    const [{ rule, severity }] = group
    const names = group.map(({ it }) => it.name)
    const at = causes.findIndex(it => it.rule === rule && it.severity === severity && !isAttached(it))
    if (at >= 0) causes[at] = { ...causes[at]!, cases: names }
    else {
      const [shown] = group.map(({ it }) => it).sort((one, other) => obscurityOf(one) - obscurityOf(other))
      const finding = shown!.findings.find(
        it => it.rule === rule && it.severity === severity && it.status === 'guilty' && !it.known,
      )!
      causes.push({ rule, severity, finding, case: shown!, cases: names, plan: null })
    }
  }
  const isConsequence = (it: Cause) => Number(consequences.includes(it.rule) || isAttached(it))
  return causes.sort(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      isConsequence(one) - isConsequence(other) ||
      weightOf(other) - weightOf(one) ||
      (nameOf(one) < nameOf(other) ? -1 : 1),
  )
}

const nameOf = ({ rule, plan, case: { name } }: Cause) => `${rule} ${plan?.name ?? name}`
