import { madeRoomSentence } from '../rig/hints.ts'
import type { Ledger, LedgerMailing, LedgerSending } from '../rig/ledger.ts'
import type { RequestRecordView } from '../rig/request-record.ts'
import type { RigView, SpaceView } from '../rig/space-view.ts'
import {
  countNoun,
  toldAnswer,
  toldWords,
  trueAnswer,
  truthWords,
  withoutControlCharacters,
} from '../rig/words.ts'
import { type PlatformStatus, platformStatuses, statusOfSending } from '../store/platform-status.ts'
import { shorten, shortenId } from '../store/validation-messages.ts'
import { type Explanation, explanationParts } from './explain/explain.ts'

/* Answers of control calls as text: for a person at a command line. */

/** @param next address of the next page; undefined on the last page */
export function requestsText(
  rig: SpaceView & Pick<RigView, 'continues' | 'hasLostRecord'>,
  { count, views, next }: { count: number; views: readonly RequestRecordView[]; next: string | undefined },
): string {
  const { dropped } = rig.journal
  return textOf([
    `Requests in space ${rig.space.name}: ${views.length === count ? '' : `${views.length} of `}${count}`,
    ...(rig.hasLostRecord ? [`${madeRoomSentence(rig.continues)}.`] : []),
    ...(dropped > 0 ? [`${countNoun(dropped, 'request is', 'requests are')} no longer on record.`] : []),
    ...tableOf(
      requestColumns,
      views.map(it => requestCells(rig, it)),
    ),
    ...(next === undefined ? [] : ['', `More: ${next}`]),
  ])
}

export function requestText(rig: SpaceView, view: RequestRecordView, explanation: Explanation): string {
  const cells = requestCells(rig, view)
  const facts = requestColumns.map((title, column) => [title, cells[column]!])
  return textOf([
    `Request ${view.id} in space ${rig.space.name}`,
    explanation.summary,
    '',
    ...alignColumns([
      ...facts,
      ['Line', `${view.method} ${view.target}`],
      ['Body', bodyText(view.body)],
      ['Response', bodyText(view.told?.body)],
    ]),
    ...explanationParts.flatMap(([title, part]) =>
      explanation[part].length === 0 ? [] : ['', title, ...explanation[part].map(it => `  ${it}`)],
    ),
  ])
}

export function platformText(space: string, ledger: Ledger & { readonly complete: boolean }): string {
  const { summary, mailings, sendings, complete } = ledger
  const counts = platformStatuses.map(it => `${summary[it]} ${it}`).join(', ')
  const whose = ({ transactionId, cause }: LedgerSending | LedgerMailing) => [
    transactionId === null ? 'none' : quoteShort(transactionId),
    cause,
  ]
  const rows = [
    ...sendings.map(it => {
      const to = it.addresses ? shorten(it.addresses.join(' '), 60) : countNoun(it.recipients, 'recipient')
      const status = statusWords(it.kind, it.status)
      return [it.startsAt, status, String(it.platformSendingId), quoteShort(it.subject), to, ...whose(it)]
    }),
    ...mailings
      .filter(({ isOrphan }) => isOrphan)
      .map(it => [it.createdAt, 'never sent', '', quoteShort(it.subject), '', ...whose(it)]),
  ]
  return textOf([
    `Platform of space ${space}: ${counts}, ${countNoun(summary.orphans, 'mailing')} made for a sending and never sent`,
    ...(complete ? [] : ['Only the latest ones are listed; the counts include all.']),
    ...tableOf(platformColumns, rows),
  ])
}

const requestColumns = ['Time', 'Request', 'Asked', 'Told', 'True', 'Scenario']

function requestCells(rig: SpaceView, view: RequestRecordView): string[] {
  const { id, arrived, operation, method, target, transactionId, delivered, decision } = view
  const fault = decision?.fault ? `, fault ${decision.fault}` : ''
  const by = decision ? `${decision.scenario}${fault}` : 'none'
  return [
    arrived.clock,
    id,
    `${operation ?? `${method} ${shorten(target, 60)}`}${transactionId === null ? '' : ` ${quoteShort(transactionId)}`}`,
    toldWords(toldAnswer(view), delivered),
    [truthWords(trueAnswer(view, decision !== null)), ...effectWords(rig, view)].join(', '),
    view.twinOf === null ? by : `${by}, second delivery of ${view.twinOf}`,
  ]
}

/** What a request sent. */
const effectWords = ({ space, clock }: SpaceView, { effects }: RequestRecordView): string[] =>
  effects.flatMap(effect => {
    if (effect.what === 'mailing') return []
    const sending = space.data.tables.platformSendings.get(effect.platformSendingId)!
    return [statusWords(sending.kind, statusOfSending(sending, clock.now()))]
  })

/** Lists count, as in the verdict; test sendings are named. */
const statusWords = (kind: LedgerSending['kind'], status: PlatformStatus): string =>
  kind === 'test' ? `test ${status}` : status

const bodyText = (body: { readonly text: string } | null | undefined) =>
  body ? shorten(body.text, 1_000) : 'none'

const platformColumns = ['Time', 'Status', 'Sending', 'Subject', 'To', 'Transaction ID', 'Request']

const quoteShort = (id: string) => shortenId(JSON.stringify(id))

/** Rows with their cells in columns, two blanks apart. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')
  return rows.map(row => line(row).trimEnd())
}

/** A table with its head, behind an empty line; nothing without rows. */
const tableOf = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? [] : ['', ...alignColumns([columns, ...rows])]

const textOf = (lines: readonly string[]) => `${lines.map(withoutControlCharacters).join('\n')}\n`
