import { expect } from 'vitest'
import type { Json } from '../../mock.ts'
import { type Acknowledged, spaces } from './traffic.ts'

/**
 * Compares what a mock has after its end with what clients were told before: none missing, none doubled, and sendings,
 * platform and ledger of one mind. What nobody was told of may be there or not, but whole.
 */
export async function compare(url: string, told: readonly Acknowledged[]): Promise<void> {
  for (const space of spaces) {
    const mine = told.filter(it => it.space === space)
    const kept = await read(url, space, '/snapshot')
    // A copy that nobody was told anything of may not have come to be.
    if (!kept && mine.length === 0) continue
    const byId = new Map<string, Json>()
    for (const row of [...kept.sendings, ...kept.mailingUploads]) byId.set(row.id, row)
    const missing = mine.filter(
      ({ id, transactionId, kind }) =>
        !byId.has(id) || (kind === 'sending' && byId.get(id).transactionId !== transactionId),
    )
    expect(missing, `acknowledged in ${space}, and lost`).toEqual([])

    const transactions = kept.sendings
      .map((it: Json) => it.transactionId)
      .filter((it: unknown) => it !== null)
    expect(new Set(transactions).size, `transaction IDs in ${space}`).toBe(transactions.length)
    for (const table of ['sendings', 'mailingUploads', 'platformMailings', 'platformSendings'])
      expect(new Set(kept[table].map((it: Json) => it.id)).size, `${table} of ${space}`).toBe(
        kept[table].length,
      )

    // Of this test's sendings each has its platform mailing and its platform sending, and no two share one.
    const ours = kept.sendings.filter((it: Json) => it.transactionId?.startsWith('crash-'))
    const platform = await read(url, space, '/platform?limit=10000')
    expect(platform.complete).toBe(true)
    const pairs = (rows: Json[], sending: string) =>
      rows.map(row => [row[sending], row.platformMailingId, row.platformSendingId].join(' ')).sort()
    const lists = platform.sendings.filter((it: Json) => it.transactionId?.startsWith('crash-'))
    expect(pairs(lists, 'sendingId'), `ledger of ${space}`).toEqual(pairs(ours, 'id'))
    const count = ({ sent, scheduled, orphans }: Json) => [sent, scheduled, orphans]
    for (const of of platform.summary.byTransaction)
      if (of.transactionId?.startsWith('crash-')) expect(count(of), of.transactionId).toEqual([1, 0, 0])
    const uploads = new Set(kept.mailingUploads.map((it: Json) => it.platformMailingId))
    for (const { origin, platformMailingId } of platform.mailings)
      if (origin === 'mailing-upload') expect(uploads.has(platformMailingId)).toBe(true)
  }
}

async function read(url: string, space: string, rest: string): Promise<Json> {
  const answer = await fetch(`${url}/_mock/spaces/${encodeURIComponent(space)}${rest}`)
  if (answer.status === 404) return undefined
  expect(answer.status, await answer.clone().text()).toBe(200)
  return answer.json()
}
