import { groupBy } from '../judge/grouping.ts'
import { harmName } from '../judge/harm.ts'
import { isRepeatRule } from '../judge/verdict-text.ts'
import { platformStatusWords, toldInMessage } from '../rig/words.ts'
import { type PlatformStatus, platformStatuses } from '../store/platform-status.ts'
import { shortId } from '../store/validation-messages.ts'
import type { SpaceControl } from './control-client.ts'
import type { ClientEnd, Finding, PlatformSending, RequestEntry, Verdict } from './control-types.ts'

/* What happened in a space, in words for the message of a failed test. */

/** Maximum number of lines of a kind; the rest is counted. */
const maxLines = 20
/** Of requests the last ones are shown. */
const maxRequests = 10

const formatList = (title: string, lines: readonly string[], none: string): string => {
  if (lines.length === 0) return `${title}\n  ${none}`
  const more = lines.length > maxLines ? [`and ${lines.length - maxLines} more`] : []
  return [title, ...[...lines.slice(0, maxLines), ...more].map(line => `  ${line}`)].join('\n')
}

const describeTransaction = (id: string | null): string =>
  id === null ? 'no transactionId' : `transactionId "${shortId(id)}"`

function describeSending({ startsAt, recipients, subject, cause, ...rest }: PlatformSending): string {
  const whose = `by request ${cause}, ${describeTransaction(rest.transactionId)}`
  return `${startsAt}  "${subject}" to ${recipients} recipients, of synchronization ${rest.synchronizationId ?? '(not on record any more)'}, ${whose}`
}

function describeRequest({ transactionId, told, delivered, decision }: RequestEntry): string {
  const fault = decision?.fault ? `, fault ${decision.fault}` : ''
  const by = decision ? ` (${decision.scenario}${fault})` : ''
  return `${describeTransaction(transactionId)}: ${toldInMessage(told, delivered)}${by}`
}

/** A line for each request, or for several in a row that say the same. */
function requestLines(requests: readonly RequestEntry[]): string[] {
  const runs: { readonly words: string; readonly first: string; count: number }[] = []
  for (const request of requests) {
    const words = describeRequest(request)
    const last = runs.at(-1)
    if (last?.words === words) last.count++
    else runs.push({ words, first: request.id, count: 1 })
  }
  return runs.map(
    ({ words, first, count }) => `${first}  ${words}${count === 1 ? '' : `, ${count} times in a row`}`,
  )
}

const describeFinding = ({ severity, rule, sentence, clause, evidence, known }: Finding): string =>
  `${severity} ${rule}: ${sentence} (${clause}; requests ${evidence.join(', ')})${known === undefined ? '' : ` Known: ${known}`}`

/** What was actually sent, and what is scheduled. */
export function describeSendings(sendings: readonly PlatformSending[]): string {
  const byStatus = groupBy(
    sendings.filter(({ kind }) => kind === 'list'),
    ({ status }) => status,
  )
  const listOf = (status: PlatformStatus) => {
    const { title, nothing } = platformStatusWords[status]
    const lines = (byStatus.get(status) ?? []).map(describeSending)
    return lines.length === 0 && nothing === undefined ? [] : [formatList(title, lines, nothing ?? '')]
  }
  return platformStatuses.flatMap(listOf).join('\n')
}

/** Which sendings clients requested, and what they were told. */
export async function describeRequests(space: SpaceControl): Promise<string> {
  const lines = requestLines(await space.requests({ operation: 'createSending' }))
  const last =
    lines.length <= maxRequests
      ? lines
      : [`${lines.length - maxRequests} earlier lines`, ...lines.slice(-maxRequests)]
  return formatList('What clients asked for, and were told:', last, 'no sending was asked for')
}

/** Findings of one rule: the first, how many more there are, and what to change in the client. */
const describeFirst = ([first, ...more]: readonly [Finding, ...Finding[]]): string =>
  [
    describeFinding(first),
    more.length === 0 ? '' : `; and ${more.length} more, the last at request ${more.at(-1)!.evidence.at(-1)}`,
    `\n    Do: ${first.remedy}`,
  ].join('')

/** Broken rules and the harm that they caused, which comes first. */
export function describeFindings({ findings, harm, hint, complete, suspicion }: Verdict): string {
  const harms = harm.findings.map(it => `${harmName([it], harm.expected)}: ${it.sentence}`)
  const isSuspected = (it: Finding) => suspicion !== null && isRepeatRule(it.rule)
  const isKnown = ({ known }: Finding) => known !== undefined
  const linesOf = (isOf: (it: Finding) => boolean) =>
    [...groupBy(findings.filter(isOf), ({ rule }) => rule).values()].map(describeFirst)
  const parts = [
    ['Harm:', harms],
    ['Rule violations:', linesOf(it => it.status === 'guilty' && !isKnown(it))],
    ['Suspected:', linesOf(it => it.status === 'open' && !isKnown(it) && isSuspected(it))],
    [
      'Open, the server cannot know:',
      linesOf(it => it.status === 'open' && !isKnown(it) && !isSuspected(it)),
    ],
    ['Known, so it does not count:', linesOf(isKnown)],
  ] as const
  const record = complete ? [] : ['(Requests are missing on the record: it cannot acquit anybody.)']
  return [
    ...(hint === undefined ? [] : [hint, '']),
    ...parts.flatMap(([title, lines]) => (lines.length > 0 ? [formatList(title, lines, '')] : [])),
    ...(findings.length + harms.length > 0 ? [] : [formatList('Rule violations:', [], 'none')]),
    ...record,
  ].join('\n')
}

/** The client of a test, unless the test says how many workers it had. */
export const ofOneWorker: ClientEnd = { workers: 1 }

/** Whether a verdict fails only since something armed met no request: of the client that says nothing. */
export const isOnlyUnfired = ({ failure, unstruck: [armed] }: Verdict): boolean =>
  armed !== undefined && (failure?.startsWith(`${armed.what} ${armed.name} was armed`) ?? false)

/** What is held against the client, for the second line of an assertion about something else; empty where nothing is. */
export const accusationLine = (verdict: Verdict): string =>
  verdict.failure === null || verdict.failure === verdict.suspicion || isOnlyUnfired(verdict)
    ? ''
    : `\n${verdict.failure}.`

/** Why an assertion that there is nothing fails; undefined where it passes. */
export function whyNotInnocent({ failure, outcome, hint }: Verdict): string | undefined {
  if (failure !== null) return failure
  if (outcome !== 'innocent') return `the verdict is ${outcome}`
  return hint === undefined ? undefined : 'nothing is proved'
}
