import { matchesGlob } from '../../store/glob.ts'
import { getOrMake } from '../../store/maps.ts'
import { causesOf } from '../exam/causes.ts'
import {
  brokenClient,
  type CaseFinding,
  type CaseResult,
  type Cause,
  type ExamResult,
  type Exploration,
  isProvedError,
  type KnownEntryResult,
} from '../exam/exam-result.ts'
import type { Found, Reviewed } from '../exam/run-exam.ts'
import { describeRule, isAccusation } from '../exam/text-reports.ts'
import { modes, planOfName, rankOf } from '../explore/plans.ts'
import { isOrderPlanName } from '../orders/order-plans.ts'
import {
  acceptingEntry,
  type KnownEntry,
  type KnownFindings,
  missingReason,
  type Place,
} from './known-findings.ts'
import { knownText, toWritten, type WrittenEntry } from './known-text.ts'

/** A case or plan that was played, with what was found in it. */
export interface PlayedPlace extends Place {
  readonly findings: readonly CaseFinding[]
  /** Whether it says something of the client. */
  readonly isProved: boolean
  /** Whether a right client may never meet what happens there, so that nothing is missing where it proved nothing. */
  readonly mayProveNothing: boolean
}

/**
 * Marks the findings that are accepted. They count no more: neither as errors nor as warnings. What only followed from accepted ones is
 * accepted with them.
 */
export function markKnown(
  findings: readonly CaseFinding[],
  known: KnownFindings,
  place: Place,
): CaseFinding[] {
  const causes = causesOf({ findings: [...findings] })
  const reasonOf = ({ rule }: CaseFinding) => acceptingEntry(known, rule, place)?.reason
  const accepted = findings.filter(it => isAccusation(it) && reasonOf(it) !== undefined)
  const isWhole = [...causes].every(
    ([rule, severity]) => severity !== 'error' || accepted.some(it => it.rule === rule),
  )
  const [first] = accepted.filter(isProvedError)
  return findings.map(finding => {
    const isConsequence = isWhole && first && isProvedError(finding) && !causes.has(finding.rule)
    const reason = isAccusation(finding)
      ? (reasonOf(finding) ?? (isConsequence ? `follows from ${first.rule}` : undefined))
      : undefined
    return reason === undefined ? finding : { ...finding, known: reason }
  })
}

/** The same in the result of a case or plan, which does not fail if all for which it would is accepted. */
export function acceptInCase(
  result: CaseResult,
  known: KnownFindings,
  kind: Place['kind'] = 'case',
): CaseResult {
  const findings = markKnown(result.findings, known, { kind, name: result.name })
  const isAccepted = result.status === 'failed' && !findings.some(isProvedError)
  return { ...result, findings, status: isAccepted ? 'known' : result.status }
}

const playedCase = ({ name, findings, status, mayProveNothing }: CaseResult): PlayedPlace => ({
  ...{ kind: 'case', name, findings, mayProveNothing },
  // Of a client that does not work at all nothing else is proved.
  isProved:
    status !== 'inconclusive' && !findings.some(it => it.status === 'guilty' && brokenClient.has(it.rule)),
})

type FoundInExam = Found & { readonly exploration: Exploration | null } & Pick<ExamResult, 'orders'>

/**
 * What an exam shows without what is known, and what became of each entry.
 * @param names of all cases that its settings play where no names and tags are given
 */
export function acceptKnown(found: FoundInExam, known: KnownFindings, names: readonly string[]): Reviewed {
  const cases = found.cases.map(it => acceptInCase(it, known))
  const isKnown = (it: Cause) =>
    rulesOf(it).some(rule => acceptingEntry(known, rule, { kind: 'plan', name: it.plan!.name }) !== undefined)
  return {
    cases,
    ofPlans: found.ofPlans.filter(it => !isKnown(it)),
    known: {
      file: known.source,
      cases: cases.filter(({ status }) => status === 'known').length,
      entries: judgeEntries(known, { ...found, cases }, names),
    },
  }
}

/**
 * What became of each name of each entry of a rule. It is stale only if all that it names was played and proved something: a choice of
 * cases, and a case that proved nothing, say nothing of it.
 */
function judgeEntries(
  known: KnownFindings,
  { cases, ofPlans, exploration, orders }: FoundInExam,
  names: readonly string[],
): KnownEntryResult[] {
  const played = cases.map(playedCase)
  const unplayed = names.filter(name => !cases.some(it => it.name === name))
  const ofRule = (rule: string) => ofPlans.filter(it => rulesOf(it).includes(rule))
  return known.entries.flatMap(({ line, rule, places, reason, expires, isExpired }) => {
    if (rule === undefined) return []
    return (places?.globs ?? [undefined]).map((glob): KnownEntryResult => {
      const isNamed = (kind: Place['kind']) => (name: string) =>
        glob === undefined || (kind === places!.kind && matchesGlob(glob, name))
      const named = played.filter(({ name }) => isNamed('case')(name))
      // What is open, or not held against the client, may be the same thing.
      const showing = named.filter(({ findings }) => findings.some(it => it.rule === rule))
      const plans = ofRule(rule).flatMap(({ plan }) => (isNamed('plan')(plan!.name) ? [plan!.name] : []))
      const decisive = named.filter(({ isProved, mayProveNothing }) => isProved || !mayProveNothing)
      const areCasesDecided =
        decisive.length > 0 && decisive.every(({ isProved }) => isProved) && !unplayed.some(isNamed('case'))
      const arePlansDecided =
        places?.kind === 'plan'
          ? orders
            ? areOrdersDecided(orders, glob!)
            : exploration !== null &&
              (hasPassed(exploration, glob!) || (isComplete(exploration) && ofRule(rule).length === 0))
          : places !== undefined || exploration === null || isComplete(exploration)
      const isDecided = (places?.kind === 'plan' || areCasesDecided) && arePlansDecided
      const shown = [
        ...showing
          .filter(({ findings }) => findings.some(it => it.rule === rule && it.known !== undefined))
          .map(({ name }) => name),
        ...plans,
      ]
      const isHappening = showing.length + plans.length > 0
      return {
        ...{ line, rule, reason },
        place: glob === undefined ? null : { kind: places!.kind, glob },
        expires: expires ?? null,
        state: isExpired ? 'expired' : isHappening ? 'happens' : isDecided ? 'stale' : 'undecided',
        places: isExpired ? [] : shown,
      }
    })
  })
}

/** The mistake, and what followed from it, if a plan shows that alone: either can be accepted. */
const rulesOf = ({ rule, finding }: Cause) => [rule, finding.rule]

/** Whether every plan that was asked for was played or is covered, and proved something. */
const isComplete = ({ levels, inconclusive }: Exploration) =>
  levels.length > 0 && levels.every(it => it.isComplete) && inconclusive === 0

/** Whether every order of the plans that a name stands for was played, and proved something. */
function areOrdersDecided({ plans, divergence }: NonNullable<ExamResult['orders']>, glob: string): boolean {
  const named = plans.filter(
    ({ plan }) => matchesGlob(glob, plan) || matchesGlob(glob, `${plan}@`) || glob.startsWith(`${plan}@`),
  )
  return named.length > 0 && divergence === null && named.every(it => it.isComplete && it.inconclusive === 0)
}

/** Whether a plan was played and nothing was found in it. Of plans of more than two troubles that is not on record. */
function hasPassed({ coverage }: Exploration, name: string): boolean {
  const plan = planOfName(name)
  const [first, second, ...more] = plan?.troubles ?? []
  if (!plan || !first || more.length > 0 || (second && plan.mode !== 'once')) return false
  const column = second ? modes.length + rankOf(second) : modes.indexOf(plan.mode)
  return coverage[rankOf(first)]?.[column] === 'p'
}

/** The next change of a client may make another order the smallest one: all of them are meant. */
const everyOrderOf = (name: string): string => (isOrderPlanName(name) ? name.replace(/@.*/, '@*') : name)

/**
 * The text of a known-file for all that was found.
 * @param earlier the entries of the file as it was: those that still happen, or about which this run says nothing, stay as they are
 * @param names as in `acceptKnown`
 */
export function writeKnown(found: FoundInExam, earlier: KnownFindings, names: readonly string[]): string {
  const states = judgeEntries(earlier, found, names)
  const isGone = ({ line, rule }: KnownEntry, glob: string | null) =>
    states.some(
      it => it.state === 'stale' && it.line === line && it.rule === rule && (it.place?.glob ?? null) === glob,
    )
  const kept = earlier.entries.flatMap((entry): KnownEntry[] => {
    if (!entry.places) return isGone(entry, null) ? [] : [entry]
    const globs = entry.places.globs.filter(glob => !isGone(entry, glob))
    return globs.length === 0 ? [] : [{ ...entry, places: { ...entry.places, globs } }]
  })
  const severities = new Map<string, CaseFinding['severity']>()
  const added = new Map<string, { readonly rule: string; readonly kind: Place['kind']; names: string[] }>()
  // An entry that has expired is to be renewed, or to go.
  const entries = kept.map(it => ({ ...it, isExpired: false }))
  const add = (rule: string, severity: CaseFinding['severity'], place: Place) => {
    if (severity === 'information') return
    if (severities.get(rule) !== 'error') severities.set(rule, severity)
    if (acceptingEntry({ entries }, rule, place)) return
    const { kind, name } = place
    getOrMake(added, `${kind} ${rule}`, () => ({ rule, kind, names: [] })).names.push(name)
  }
  for (const it of found.cases)
    for (const [rule, severity] of causesOf(it)) add(rule, severity, { kind: 'case', name: it.name })
  for (const it of found.ofPlans) {
    const place = { kind: 'plan', name: everyOrderOf(it.plan!.name) } as const
    if (!acceptingEntry({ entries }, it.finding.rule, place)) add(it.rule, it.severity, place)
  }
  const all = [
    ...kept.map(toWritten),
    ...[...added.values()].map(
      ({ rule, kind, names }): WrittenEntry => ({ rule, [kind]: names.sort(), reason: missingReason }),
    ),
  ]
  return knownText(all, ({ rule }) =>
    rule === undefined
      ? undefined
      : [severities.get(rule), describeRule(rule).title].filter(Boolean).join(': '),
  )
}
