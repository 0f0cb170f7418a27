import { type CaseFinding, type ExamResult, isWarning } from '../../../rig/exam-shape.ts'
import { rules } from '../../rules/registry.ts'
import { ownFindings } from '../own-findings.ts'

/** What was found of one kind, in all cases. */
export interface Found {
  readonly rule: string
  readonly severity: CaseFinding['severity']
  /** What it means to have broken it. */
  readonly title: string
  /** Of the service's document; null for what the exam finds itself. */
  readonly clause: string | null
  /** How it is seen, and what is not held against anybody; null for what the exam finds itself. */
  readonly more: { readonly detection: string; readonly spared: string } | null
  /** Where to read on: a page of the documentation, and the place in it. */
  readonly reading: { readonly page: string; readonly anchor: string }
  /** Names of the cases, in the order in which they were played. */
  readonly cases: readonly string[]
}

export const isAccusation = (found: CaseFinding): boolean =>
  isWarning(found) || (found.severity === 'error' && found.status === 'guilty')

/** Everything that is certain, the gravest and most frequent first. */
export function byRule({ cases }: Pick<ExamResult, 'cases'>): Found[] {
  const all = new Map<string, { found: CaseFinding; cases: Set<string> }>()
  for (const { name, findings } of cases)
    for (const found of findings.filter(isAccusation)) {
      const key = kindOf(found)
      const known = all.get(key) ?? { found, cases: new Set() }
      known.cases.add(name)
      all.set(key, known)
    }
  return [...all.values()]
    .map(({ found, cases }) => ({
      ...described(found.rule),
      severity: found.severity,
      cases: [...cases],
    }))
    .sort(
      (one, other) =>
        Number(one.severity === 'warning') - Number(other.severity === 'warning') ||
        other.cases.length - one.cases.length,
    )
}

/** Findings of one kind are told in full once. */
export const kindOf = ({ rule, severity }: CaseFinding): string => `${severity} ${rule}`

const ofRules = new Map<string, (typeof rules)[number]>(rules.map(rule => [rule.id, rule]))
const ofExam: Readonly<Record<string, string>> = ownFindings

function described(id: string): Omit<Found, 'severity' | 'cases'> {
  const rule = ofRules.get(id)
  if (!rule)
    return {
      rule: id,
      title: ofExam[id] ?? id,
      clause: null,
      more: null,
      reading: { page: 'exam.md', anchor: 'what-comes-out' },
    }
  const { title, clause, detection, spared } = rule
  return {
    rule: id,
    title,
    clause,
    more: { detection, spared },
    reading: { page: 'conduct.md', anchor: id.toLowerCase() },
  }
}
