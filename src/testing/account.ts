import type { Finding, PlatformSending, RequestEntry, Verdict } from '../client/shapes.ts'
import type { SpaceControl } from '../client/space-control.ts'

/** What happened in a space, in words for whoever reads a failed test. */

/** So many lines of a kind are shown; the rest is counted. */
const mostLines = 20

const listed = (title: string, lines: readonly string[], none: string): string => {
  if (lines.length === 0) return `${title}\n  ${none}`
  const more = lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : []
  return [title, ...[...lines.slice(0, mostLines), ...more].map(line => `  ${line}`)].join('\n')
}

const idShown = (id: string | null): string => (id === null ? 'no transactionId' : `transactionId "${id}"`)

function sendingShown({ startsAt, recipients, subject, cause, ...rest }: PlatformSending): string {
  const whose = `by request ${cause}, ${idShown(rest.transactionId)}`
  return `${startsAt}  "${subject}" to ${recipients} recipients, of synchronization ${rest.synchronizationId ?? '(not on record any more)'}, ${whose}`
}

/** What a client got in place of its answer; undefined where that left whole. */
const withheld: Record<RequestEntry['delivered'], string | undefined> = {
  handed: undefined,
  open: 'it is not answered yet',
  cut: 'which broke off',
  none: 'which was withheld',
  aborted: 'but had left before',
  'server-stopped': 'but the mock was stopped',
}

function toldShown({ told, delivered, decision }: RequestEntry): string {
  const answer = told ? `told ${[told.status, told.state].filter(Boolean).join(' ')}` : 'told nothing'
  const by = decision
    ? [` (${decision.scenario}`, decision.fault ? `, fault ${decision.fault})` : ')'].join('')
    : ''
  return [answer, withheld[delivered]].filter(Boolean).join(', ') + by
}

const requestShown = (request: RequestEntry): string =>
  `${request.id}  ${idShown(request.transactionId)}: ${toldShown(request)}`

/** A finding in one line. */
export const findingShown = ({ severity, rule, sentence, clause, evidence, status }: Finding): string => {
  const standing = status === 'open' ? ', open: the server cannot know' : ''
  return `${severity} ${rule}: ${sentence} (${clause}; requests ${evidence.join(', ')}${standing})`
}

/** What truly went out, and what is yet to. */
export function sendingsShown(sendings: readonly PlatformSending[]): string {
  const toLists = sendings.filter(({ kind }) => kind === 'list')
  const gone = toLists.filter(({ status }) => status === 'sent')
  const due = toLists.filter(({ status }) => status === 'scheduled')
  const scheduled = due.length === 0 ? [] : [listed('Scheduled for later:', due.map(sendingShown), '')]
  return [listed('What truly went out:', gone.map(sendingShown), 'nothing'), ...scheduled].join('\n')
}

/** Which sendings clients asked for, and what they were told. @param synchronizationId only its own */
export async function requestsShown(space: SpaceControl, synchronizationId?: string): Promise<string> {
  const asked = await space.requests({
    operation: 'createSending',
    ...(synchronizationId !== undefined && { synchronizationId }),
  })
  return listed('What clients asked for, and were told:', asked.map(requestShown), 'no sending was asked for')
}

/** What was done against the rules, and what came of it. */
export function findingsShown({ findings, harm, complete }: Verdict): string {
  const harms = harm.findings.map(({ kind, sentence }) => `${kind}: ${sentence}`)
  const record = complete ? [] : ['(Requests are missing on the record: it cannot acquit anybody.)']
  return [
    listed('What clients did against the rules:', findings.map(findingShown), 'nothing that is known'),
    ...(harms.length > 0 ? [listed('What came of it:', harms, '')] : []),
    ...record,
  ].join('\n')
}
