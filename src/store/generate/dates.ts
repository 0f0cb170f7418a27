import type { Faker } from '@faker-js/faker'
import type { Fixture } from '../rows.ts'

/** Generated content always ends here, whatever the machine's clock says: the same seed gives the same bytes. */
const reference = Date.parse('2026-10-01T00:00:00.000Z')
const beginning = Date.parse('2026-01-01T00:00:00.000Z')
const minute = 60_000

/** A stretch of time, in milliseconds. */
export type Span = Readonly<{ from: number; to: number }>

export const instant = (time: number): string => new Date(time).toISOString()

/** So many points of a span, in order. */
export const pointsIn = ({ from, to }: Span, count: number, faker: Faker): number[] =>
  Array.from({ length: count }, () => faker.number.int({ min: from, max: to })).sort((a, b) => a - b)

/**
 * When the generated rows are created: mailings first, then synchronizations, then what is requested of them, all
 * later than anything in the base. So each table stays chronological, with the base's rows on its first page.
 */
export function spansAfter(base: Fixture): { mailings: Span; synchronizations: Span; requests: Span } {
  const newest = newestDate(base)
  const from = Math.max(newest === undefined ? beginning : Date.parse(newest) + 1, 0)
  // A base that reaches beyond the reference date, such as a snapshot, gets a short span, not one in the future.
  const to = from < reference - minute ? reference : from + minute
  const third = Math.floor((to - from) / 3)
  return {
    mailings: { from, to: from + third - 1 },
    synchronizations: { from: from + third, to: from + 2 * third - 1 },
    requests: { from: from + 2 * third, to },
  }
}

/** When something last happened in the base. What is scheduled has not happened yet and does not count. */
function newestDate(base: Fixture): string | undefined {
  let newest: string | undefined
  const see = (date: string | null) => {
    if (date !== null && (newest === undefined || date > newest)) newest = date
  }
  for (const table of [base.mailings, base.synchronizations, base.mailingUploads, base.accessibleLists]) {
    for (const row of table) see(row.modificationDate)
  }
  for (const row of base.sendings) [row.creationDate, row.stepSince].forEach(see)
  for (const row of base.platformMailings) [row.createdAt, row.approvedAt].forEach(see)
  for (const row of base.platformSendings) see(row.requestedAt)
  return newest
}
