import {
  capitalize,
  countNoun,
  durationWords,
  sentClause,
  statusCountWords,
  toldWords,
  trueAnswer,
  truthWords,
  withoutControlCharacters,
} from '../rig/words.ts'
import { groupBy } from './grouping.ts'
import { excessName, expectedWords, type HarmFinding, harmName, statusCounts } from './harm.ts'
import { countWords } from './rules/finding-words.ts'
import type { Unfired } from './terms.ts'
import type { Finding, Verdict, VerdictAttempt, VerdictSending, VerdictView } from './verdict-shape.ts'

/** Maximum number of attempts shown at the start, and at the end, of a sending. */
const maxAttemptsPerEnd = 10
const maxSendings = 10

/** Rules that a client breaks when it asks for the same mailing again as if it were another one. */
const repeatRules: ReadonlySet<string> = new Set(['R01', 'R02', 'R03', 'R04', 'R22', 'R29'])

/** Whether a finding counts: it is no remark, and not accepted as known. */
export const isHeldAgainst = ({
  severity,
  known,
}: Pick<VerdictView['findings'][number], 'severity' | 'known'>): boolean =>
  severity !== 'information' && known === undefined

export const isRepeatRule = (rule: string): boolean => repeatRules.has(rule)

/** How many requests of a space were dropped or removed before they could be judged; undefined for none. */
export const unjudgedWords = (missing: number): string | undefined =>
  missing > 0 ? `${countNoun(missing, 'request')} not judged` : undefined

type Accusation = Pick<Finding, 'title' | 'severity' | 'status' | 'known'> & { readonly rule: string }

/** What a verdict says first is made of this. */
type Grounds = Pick<VerdictView, 'suspicion' | 'harm'> & { readonly findings: readonly Accusation[] }

/** What is held against a client, each rule once: what is proved, and what is merely suspected beside it. */
export function accusationsOf({ findings, suspicion }: Omit<Grounds, 'harm'>) {
  const held = findings.filter(isHeldAgainst)
  const ofEach = firstOfEachRule(held.filter(({ status }) => status === 'guilty'))
  // A rule whose breach can send a mailing twice comes before one whose breach did no harm.
  const proved = ofEach.toSorted((one, other) => +isRepeatRule(other.rule) - +isRepeatRule(one.rule))
  const doubted = suspicion === null ? [] : held.filter(it => it.status === 'open' && isRepeatRule(it.rule))
  const suspected = firstOfEachRule(doubted).filter(it => !proved.some(({ rule }) => rule === it.rule))
  return { proved, suspected }
}

const firstOfEachRule = (findings: readonly Accusation[]): Accusation[] =>
  [...groupBy(findings, ({ rule }) => rule).values()].map(([first]) => first)

/**
 * The gravest finding in the words that it has first in a verdict, in the reason of a failed test, in the report of a run, and on
 * pages: what is proved, else what is suspected; undefined where nothing is.
 */
export function accusationWords(grounds: Omit<Grounds, 'harm'>): string | undefined {
  const { proved, suspected } = accusationsOf(grounds)
  const [first, ...others] = proved.length > 0 ? proved : suspected
  if (!first) return undefined
  const [is, are, done] = proved.length > 0 ? ['was', 'were', 'broken'] : ['is', 'are', 'suspected']
  const rest = others.map(({ rule }) => rule).join(', ')
  const also = rest === '' ? '' : ` (so ${others.length === 1 ? is : are} ${rest})`
  return `${first.rule} ${is} ${done}: ${titleInside(first)}${also}`
}

/** Stands before what is suspected beside what is proved. */
export const besidesTitle = 'Also suspected:'

/** What is suspected beside what is proved; undefined where it is not so. */
export function besidesWords(grounds: Grounds): string | undefined {
  const { proved, suspected } = accusationsOf(grounds)
  if (proved.length === 0 || grounds.suspicion === null) return undefined
  const rules = suspected.map(it => `${it.rule}, ${titleInside(it)}`)
  const words = rules.join('; ') || excessWords(grounds.harm, 'open')
  return words && `${besidesTitle} ${words}`
}

/**
 * What was or may have been sent too often, where only its rule is in doubt and one that is proved has nothing to do with it: it is said
 * first. Undefined where it is not so.
 */
export function graverHarm(grounds: Grounds): string | undefined {
  const { proved, suspected } = accusationsOf(grounds)
  if (proved.length === 0 || suspected.length === 0 || proved.some(({ rule }) => isRepeatRule(rule)))
    return undefined
  const excess = excessWords(grounds.harm, 'open')
  return excessWords(grounds.harm, 'certain') ?? (excess && `it looks as if ${excess}`)
}

/** A title inside a sentence. "Retry-After" and "Mailing-upload" stay as they are. */
const titleInside = ({ title }: Accusation): string =>
  title.replace(/^[A-Z](?=[a-z]* )/, letter => letter.toLowerCase())

/** What a finding that is not proved is called. */
export const unprovedWord = (rule: string, isSuspected: boolean): 'suspected' | 'open' =>
  isSuspected && isRepeatRule(rule) ? 'suspected' : 'open'

const beyondKnown = ', except as is known'

/** The result in a word and a sentence: what is proved first, but for graver harm, and harm and suspicion before an acquittal. */
export function resultOf(verdict: VerdictView) {
  const { outcome, suspicion, hint, findings, harm, sendings, complete } = verdict
  const harmed = harm.findings.find(({ status }) => status === 'certain')
  const isHarm = harmed !== undefined
  const doubt = outcome === 'guilty' ? null : isHarm ? 'harm' : suspicion !== null ? 'suspected' : null
  const word = doubt ?? (outcome === 'innocent' && hint !== undefined ? 'unproved' : outcome)
  const unproved =
    sendings.length > 0 || isHarm
      ? 'no rule could be proved broken'
      : 'no sending was accepted, so there is nothing to judge'
  const isKnown = findings.some(({ known }) => known !== undefined)
  const isQuestion = !complete || findings.some(isHeldAgainst)
  const words = {
    innocent: isHarm || hint !== undefined ? unproved : `no rule was broken${isKnown ? beyondKnown : ''}`,
    guilty: '',
    open: isQuestion ? 'it cannot be known whether a rule was broken' : unproved,
  }[outcome]
  const certain =
    harmed && (excessWords(harm, 'certain') ?? `there is harm (${harmName([harmed], harm.expected)})`)
  const excess = excessWords(harm, 'open')
  const suspected = excess ? `it looks as if ${excess}` : 'one mailing can be sent twice in this way'
  const isAccused = word === 'guilty' || suspicion !== null
  const accusation = isAccused ? accusationWords(verdict) : undefined
  const rest = word === 'suspected' ? suspected : accusation ? '' : words
  const effect = certain && rest ? `${certain}, and ${rest}` : (certain ?? rest)
  const graver = graverHarm(verdict)
  const last = effect && effect !== graver && capitalize(effect)
  const sentences = accusation ? [graver, accusation, last] : [effect]
  const sentence = sentences
    .map(it => it && `${it}.`)
    .filter(Boolean)
    .join(' ')
  return { word, sentence, besides: besidesWords(verdict) } as const
}

/**
 * How many mailings must have been meant for an innocent client to have done no harm; undefined where that is no
 * question. Only a person knows whether one synchronization was meant to be sent more than once.
 */
export function fineCount({ outcome, suspicion, harm, sendings, earlier }: VerdictView): number | undefined {
  const targets = new Set(sendings.map(it => it.synchronizationId)).size
  const isUnsuspected = outcome === 'innocent' || (earlier > 0 && suspicion === null)
  const isQuestion = isUnsuspected && harm.expected === null && harm.findings.length === 0
  return isQuestion && harm.sent > 1 && targets < sendings.length + earlier ? harm.sent : undefined
}

/**
 * Whether an acquittal is in doubt since several mailings were sent without a transactionId: only the client can tell a
 * repeat from a new mailing then.
 */
export const isDoubtful = (verdict: VerdictView): boolean =>
  fineCount(verdict) !== undefined &&
  verdict.sendings.filter(({ sent, transactionIds }) => sent > 0 && transactionIds.includes(null)).length > 1

/** What an acquittal depends on, as a sentence; undefined if on nothing. */
export function conditionOf(verdict: VerdictView): string | undefined {
  const count = fineCount(verdict)
  if (count === undefined) return undefined
  return isDoubtful(verdict)
    ? `${sentClause(count - verdict.harm.scheduled, verdict.harm.scheduled)}, several without a transactionId. If fewer were meant, a repeat was sent again: the service cannot recognise it without a transactionId, spelt exactly so.`
    : `Fine if ${count} mailings were meant.`
}

/** What was sent too often, for certain or perhaps. */
function excessWords({ findings, expected, scheduled }: VerdictView['harm'], wanted: HarmFinding['status']) {
  const doubles = findings.filter(({ kind, status }) => kind === 'DOUBLE' && status === wanted)
  if (doubles.length === 0) return undefined
  const { evidence, surplus } = doubles[0]!
  if (expected !== null && (expected !== 1 || surplus !== undefined || scheduled > 0)) {
    const count = surplus === undefined ? evidence.length : expected + surplus
    const later = Math.min(scheduled, count)
    return `${sentClause(count - later, later)}, where ${expectedWords(expected)} meant`
  }
  const mailings = doubles.length === 1 ? 'one mailing was' : `${doubles.length} mailings were`
  return `${mailings} ${excessName(doubles, expected)}`
}

/** How a person tells the end of the client to who has printed the text: a control call, or the command `judge`. */
const endForms = {
  query: 'append ?believes=sent&expected=1',
  furtherQuery: 'append &believes=sent&expected=1',
  flags: 'add --believes sent --expected 1',
} as const

/** The text of a verdict for a person who has it from the command line. */
export const forCommandLine = (text: string): string => text.replace(endForms.query, endForms.flags)

/** The same for one whose request had a query. */
export const forFurtherQuery = (text: string): string => text.replace(endForms.query, endForms.furtherQuery)

const isEndUnknown = ({ believes, expected }: VerdictView['harm']) => believes === null || expected === null

/** Most open questions depend on facts that only the person who ran the client knows. The kits replace the first line's end. */
const howToClose = [
  `Tell the judge how the client ended: ${endForms.query}`,
  '  believes: sent, not-sent or unknown; expected: how many mailings it was to send; workers: how many it had, if several.',
]

export function asText(verdict: Verdict): string {
  const { space, outcome, suspicion, hint, note, findings, harm, sendings, unstruck, complete, loss } =
    verdict
  const { word, sentence, besides } = resultOf(verdict)
  const counts = `${statusCountWords(statusCounts(harm))}${harm.expected === null ? '' : ` of ${harm.expected} meant`}`
  // Where no sending was asked for, nothing depends on the client's end.
  const mayBeClosed = sendings.length > 0 || !complete
  const belief = harm.believes === null ? '' : `, the client reports: ${harm.believes}`
  const lines = [
    `Verdict on space ${space}`,
    `${word.toUpperCase()}: ${sentence}`,
    conditionOf(verdict),
    besides && `${besides}.`,
    suspicion,
    hint,
    note && `Note: ${note}`,
    loss,
    ...((outcome === 'open' || suspicion !== null) && isEndUnknown(harm) && mayBeClosed ? howToClose : []),
    ...section(
      `Harm (${counts}${belief})`,
      inKinds(
        harm.findings,
        it => `${it.kind} ${it.status}`,
        kind => [`  ${harmName(kind, harm.expected)}: ${kind[0].sentence}`],
      ),
      complete ? 'none' : 'none that is on record',
    ),
    ...section(
      'Findings',
      inKinds(findings, it => `${it.rule} ${it.status}`, findingLines(suspicion !== null)),
      'none',
    ),
    ...(unstruck.length === 0 ? [] : ['', 'Never fired', ...unstruck.map(unfiredLine)]),
    ...toldFirst(sendings, findings)
      .slice(0, maxSendings)
      .flatMap(it => ['', ...sendingLines(it)]),
    ...(sendings.length > maxSendings ? ['', `and ${sendings.length - maxSendings} more sendings`] : []),
  ]
  // Names, IDs and bodies are what clients and scenarios say: nothing of them is for a terminal to obey.
  return `${lines
    .filter(line => typeof line === 'string')
    .map(withoutControlCharacters)
    .join('\n')}\n`
}

/** Those that a finding cites come first: of many sendings the others say nothing. */
function toldFirst(sendings: readonly VerdictSending[], findings: readonly Finding[]): VerdictSending[] {
  const cited = new Set(findings.flatMap(({ evidence }) => evidence))
  const isCited = ({ attempts }: VerdictSending) => attempts.some(it => cited.has(it.requestId))
  return [...sendings.filter(isCited), ...sendings.filter(it => !isCited(it))]
}

/** One line where there is nothing to tell. */
const section = (title: string, lines: readonly string[], none: string): string[] =>
  lines.length === 0 ? ['', `${title}: ${none}`] : ['', title, ...lines]

/** The first of each kind as a whole, and how many more there are. */
const inKinds = <T>(
  all: readonly T[],
  kindOf: (one: T) => string,
  linesOf: (kind: readonly [T, ...T[]]) => string[],
): string[] =>
  [...groupBy(all, kindOf).values()].flatMap(kind => [
    ...linesOf(kind),
    ...(kind.length === 1 ? [] : [`      And ${kind.length - 1} more of the kind.`]),
  ])

const findingLines = (isSuspected: boolean) => (kind: readonly [Finding, ...Finding[]]) => {
  const { rule, severity, status, title, sentence, clause, evidence, remedy, known } = kind[0]
  const word = status === 'guilty' || severity === 'information' ? severity : unprovedWord(rule, isSuspected)
  return [
    `  ${rule} ${word}: ${title} [${clause}]`,
    `      ${sentence}`,
    ...(known === undefined ? [] : [`      Known: ${known}`]),
    `      requests: ${evidence.slice(0, shownEvidence).join(', ') || 'none'}${moreEvidence(evidence)}`,
    `      Do: ${remedy}`,
  ]
}

const unfiredLine = ({ what, name, rule }: Unfired) =>
  what === 'fault'
    ? `  one-shot fault ${name}`
    : `  ${rule === null ? 'scenario' : `rule ${rule} of scenario`} ${name}`

function sendingLines(sending: VerdictSending): string[] {
  const { synchronizationId, transactionIds, basis, sent, scheduled, attempts } = sending
  const ids = transactionIds.map(id => id ?? 'none')
  const start = Date.parse(attempts[0]!.arrived.clock)
  const hidden = attempts.length - 2 * maxAttemptsPerEnd
  const rows =
    hidden > 0
      ? [...attempts.slice(0, maxAttemptsPerEnd), undefined, ...attempts.slice(-maxAttemptsPerEnd)]
      : attempts
  const more = ids.length > 8 ? ` and ${ids.length - 8} more` : ''
  const result =
    scheduled === 0
      ? `sent ${countWords(sent)}`
      : statusCountWords({ sent: sent - scheduled, scheduled, stopped: 0 })
  const times = `${result}${basis === 'inferred' ? ' (taken for one mailing)' : ''}`
  return [
    `Synchronization ${synchronizationId ?? 'unknown'}, ${ids.length === 1 ? 'transactionId' : 'transactionIds'} ${ids.slice(0, 8).join(', ')}${more}: ${times}`,
    ...rows.map(it => (it ? attemptLine(it, start) : `  ... ${hidden} more attempts`)),
  ]
}

function attemptLine(attempt: VerdictAttempt, start: number): string {
  const { requestId, by, told, delivered, effects, disturbance, arrived, clockMoved } = attempt
  const at = `+${durationWords(Date.parse(arrived.clock) - start)}`
  const parts = [
    `  ${at.padStart(14)}  ${requestId.padEnd(8)} told ${toldWords(told, delivered)}`,
    `true ${truthWords(trueAnswer(attempt, disturbance !== null))}${effects.length > 0 ? ', sent' : ''}`,
    disturbance?.fault,
    by === 'rig' && 'delivered twice by the scenario',
    by === 'transport' && 'perhaps resent by transport',
    clockMoved && 'the clock was moved before',
  ]
  return parts.filter(Boolean).join(' | ')
}

/** Maximum number of requests that a finding cites. */
export const maxEvidence = 100
/** Maximum number of them that a text or a page shows with the finding. */
export const shownEvidence = 12

export const moreEvidence = ({ length }: readonly unknown[]): string =>
  length <= shownEvidence ? '' : `, the first of ${length}${length < maxEvidence ? '' : ' or more'}`
