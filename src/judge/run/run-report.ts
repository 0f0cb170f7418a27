import { getOrMake } from '../../store/maps.ts'
import { examFindings, isProvedError } from '../exam/exam-result.ts'
import { chancesOf } from '../explore/explore.ts'
import { modes, planName, troubles } from '../explore/plans.ts'
import { markKnown } from '../known/exam-gate.ts'
import { acceptingEntry, type KnownFindings } from '../known/known-findings.ts'
import { rules } from '../rules/registry.ts'
import { isHeldAgainst, isRepeatRule } from '../verdict-text.ts'
import type { NeverMet, RunReport, SpaceResult } from './run-result.ts'
import type { JudgedSpace } from './space-result.ts'

/** What there is to be met, by names. */
export type Catalogue = Readonly<
  Record<'operations' | 'refusals' | 'states' | 'phases' | 'faults' | 'scenarios', readonly string[]>
>

/** Kinds of trouble that one attempt shows; the others last longer, or end the client. */
const shownByOneAttempt = troubles.filter(({ isOpenEnded, kills }) => !isOpenEnded && !kills)

const means =
  'Kinds of trouble that met an attempt of a client, of those that one attempt shows. An exam plays all of them, and more'

/** Rules that some trouble gives a chance to be broken. Of the others no request shows whether there was one. */
const rulesWithChance: ReadonlySet<string> = new Set(modes.flatMap(mode => [...chancesOf(mode, troubles)]))

/**
 * The report on a run.
 * @param facts what does not follow from the spaces
 * @param spaces in the order in which they ended
 */
export function makeRunReport(
  facts: Pick<RunReport, 'label' | 'began' | 'at' | 'unused' | 'demonstrations' | 'leftOut'>,
  spaces: readonly JudgedSpace[],
  catalogue: Catalogue,
  accepted: KnownFindings | undefined,
): RunReport {
  const cases = worstFirst(numbered(spaces))
  const letters = lettersOf(spaces)
  const neverMet = findNeverMet(spaces, catalogue, letters)
  const met = shownByOneAttempt.filter(({ name }) => !neverMet.troubles.includes(name)).length
  const report: RunReport = {
    version: 1,
    ...facts,
    ...countsOf(cases, facts.leftOut),
    neverMet,
    share: { met, of: shownByOneAttempt.length, means },
    coverage: coverageOf(letters),
    cases,
  }
  return accepted ? acceptInRun(report, accepted) : report
}

/** The report without what is accepted for now. */
export function acceptInRun(report: RunReport, known: KnownFindings): RunReport {
  const cases = worstFirst(report.cases.map(it => acceptInSpace(it, known)))
  const accepted = { file: known.source, unmatched: unmatchedEntries(known, report.cases) }
  return { ...report, ...countsOf(cases, report.leftOut), accepted, cases }
}

function countsOf(cases: readonly SpaceResult[], leftOut: RunReport['leftOut']) {
  const count = (status: SpaceResult['status']) => cases.filter(it => it.status === status).length
  const sum = (member: 'requests' | 'open' | 'sent' | 'scheduled' | 'stopped') =>
    cases.reduce((before, it) => before + it[member], 0)
  const failed = count('failed')
  return {
    isPassed: cases.length > 0 && failed + leftOut.failed === 0,
    spaces: cases.length,
    passed: count('passed'),
    failed,
    warnings: count('warning'),
    unproved: count('unproved'),
    known: count('known'),
    requests: sum('requests'),
    open: sum('open'),
    sent: sum('sent'),
    scheduled: sum('scheduled'),
    stopped: sum('stopped'),
  }
}

/** By name, each with one of its own: a space that began anew is another case. */
function numbered(spaces: readonly JudgedSpace[]): SpaceResult[] {
  const lives = new Map<string, number>()
  const cases = spaces.map(({ result }) => result)
  return cases.sort(byName).map(it => {
    const life = (lives.get(it.space) ?? 0) + 1
    lives.set(it.space, life)
    return life === 1 ? it : { ...it, name: `${it.space} (${life})` }
  })
}

const byName = (one: SpaceResult, other: SpaceResult) =>
  one.space < other.space ? -1 : Number(one.space > other.space)

const gravestFirst = [
  'failed',
  'warning',
  'known',
  'unproved',
  'passed',
] as const satisfies SpaceResult['status'][]

/** What failed first, with harm before what is only suspected, and both before other mistakes; otherwise the order stays. */
const worstFirst = (cases: readonly SpaceResult[]): SpaceResult[] =>
  cases
    .map(result => ({ result, rank: gravestFirst.indexOf(result.status), ...harmOf(result) }))
    .sort((a, b) => a.rank - b.rank || b.proof - a.proof || b.times - a.times)
    .map(({ result }) => result)

/** Whether something was sent twice or lost, or the client is mistaken of it: 2 for proved, 1 for suspected; and how often. */
function harmOf({ findings, causes, sent }: SpaceResult): { readonly proof: number; readonly times: number } {
  const harmful = findings.filter(
    it => (isRepeatRule(it.rule) || it.rule in examFindings) && isHeldAgainst(it) && causes.includes(it.rule),
  )
  const isProved = harmful.some(({ status }) => status === 'guilty')
  return {
    // Nothing is sent twice yet where one mailing was sent at most.
    proof: isProved ? 2 : Number(harmful.length > 0 && sent > 1),
    times: harmful.reduce((sum, { times }) => sum + times, 0),
  }
}

/** The result without what is accepted for now. A space is named as a case of an exam is. */
function acceptInSpace(result: SpaceResult, known: KnownFindings): SpaceResult {
  const place = { kind: 'case', name: result.space } as const
  // A suspicion fails a test as well, and is no accusation in an exam.
  const findings = markKnown(result.findings, known, place).map(it => {
    const reason = result.causes.includes(it.rule) ? acceptingEntry(known, it.rule, place)?.reason : undefined
    return it.known === undefined && reason !== undefined ? { ...it, known: reason } : it
  })
  const isAccepted = (rule: string) =>
    acceptingEntry(known, rule, place) !== undefined ||
    findings.some(it => it.rule === rule && it.known !== undefined)
  // What was sent twice follows from the repeat.
  const isRepeatAccepted = findings.some(it => it.known !== undefined && isRepeatRule(it.rule))
  const rest = result.causes.filter(
    rule => !isAccepted(rule) && !(rule === 'sent-too-often' && isRepeatAccepted),
  )
  if (rest.length > 0 || result.causes.length === 0) return { ...result, findings }
  return { ...result, findings, status: findings.some(isProvedError) ? result.status : 'known' }
}

/** Entries of a known-file that accept nothing in these spaces. Which of them are stale a run cannot know. */
function unmatchedEntries({ source, entries }: KnownFindings, cases: readonly SpaceResult[]): string[] {
  const accepted = cases.flatMap(({ space, findings, causes }) =>
    [...findings.map(({ rule }) => rule), ...causes].map(rule => ({ space, rule })),
  )
  return entries
    .filter(entry => {
      const only = { entries: [entry] }
      const isOf = ({ space, rule }: { space: string; rule: string }) =>
        acceptingEntry(only, rule, { kind: 'case', name: space }) !== undefined
      return entry.rule !== undefined && !entry.isExpired && !accepted.some(isOf)
    })
    .map(({ line, rule }) => `${source}:${line}: ${rule}`)
}

const letterOf = { failed: 'f', warning: 'w', unproved: 'i', known: 'f', passed: 'p' } as const

/** By the name of a plan, a letter for the gravest of the spaces that met the same. */
function lettersOf(spaces: readonly JudgedSpace[]): ReadonlyMap<string, string> {
  const letters = new Map<string, string>()
  for (const { met, result } of spaces)
    for (const plan of met.plans) {
      const both = [letterOf[result.status], letters.get(plan)]
      letters.set(plan, ['f', 'w', 'i', 'p'].find(it => both.includes(it))!)
    }
  return letters
}

const coverageOf = (letters: ReadonlyMap<string, string>): string[] =>
  troubles.map(first =>
    [
      ...modes.map(mode => planName({ mode, troubles: [first] })),
      ...troubles.map(second => planName({ mode: 'once', troubles: [first, second] })),
    ]
      .map(plan => letters.get(plan) ?? '-')
      .join(''),
  )

function findNeverMet(
  spaces: readonly JudgedSpace[],
  catalogue: Catalogue,
  letters: ReadonlyMap<string, string>,
): NeverMet {
  const met = new Map<string, Set<string>>()
  const of = (kind: string) => getOrMake(met, kind, () => new Set<string>())
  for (const space of spaces)
    for (const [kind, names] of Object.entries(space.met)) for (const name of names) of(kind).add(name)
  const missing = (kind: keyof Catalogue) => catalogue[kind].filter(name => !of(kind).has(name))
  const kinds = new Set([...letters.keys()].flatMap(plan => plan.replace(/^.*:/, '').split('+')))
  return {
    operations: missing('operations'),
    refusals: missing('refusals'),
    states: missing('states'),
    phases: missing('phases'),
    faults: missing('faults'),
    scenarios: missing('scenarios'),
    rules: rules
      .filter(({ id }) => rulesWithChance.has(id) && !of('rules').has(id))
      .map(({ id, title }) => ({ id, title })),
    troubles: shownByOneAttempt.map(({ name }) => name).filter(name => !kinds.has(name)),
  }
}
