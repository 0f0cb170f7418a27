import type { CaseFile } from './case-file.ts'
import { rules } from './rules/registry.ts'
import type { Rule, Severity, Suspicion } from './rules/rule.ts'
import type { Finding } from './verdict.ts'

/** So many requests are named as evidence: more would prove no more. */
const named = 12

const weight: Record<Severity, number> = { error: 0, warning: 1, information: 2 }

/** What all rules find, the gravest first. */
export function findingsIn(file: CaseFile): Finding[] {
  const findings = rules.flatMap(rule => [...rule.find(file)].map(it => finding(rule, it, file)))
  const rank = ({ status, severity }: Finding) => weight[severity] * 2 + (status === 'open' ? 1 : 0)
  return findings.sort((one, other) => rank(one) - rank(other))
}

function finding(rule: Rule, suspicion: Suspicion, file: CaseFile): Finding {
  return {
    rule: rule.id,
    title: rule.title,
    severity: suspicion.severity ?? rule.severity,
    status: isProved(rule, suspicion, file) ? 'guilty' : 'open',
    sentence: suspicion.sentence,
    evidence: suspicion.evidence.slice(0, named).map(({ id }) => id),
    clause: rule.clause,
  }
}

/** Whether nothing else can explain it. */
function isProved({ rests, survivesLoss }: Rule, suspicion: Suspicion, file: CaseFile): boolean {
  const { isOpen, sending, told } = suspicion
  if (isOpen) return false
  if (!survivesLoss && (!file.isComplete || sending?.isWhole === false)) return false
  if (rests === 'end') return file.end !== undefined
  if (rests === 'intent' && sending?.basis !== 'declared') return false
  if (rests === 'request') return true
  return told ? file.isSameWorker(told.answer, told.later) : file.hasOneWorker
}
