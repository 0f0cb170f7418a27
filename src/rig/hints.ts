import type { Answer } from '../service/answer.ts'
import type { Space } from '../store/spaces.ts'

const longest = 300

/**
 * What a developer would like to know of a refusal: what was expected, and what exists nearby. Names things of the
 * caller's own space only.
 * @param target path and query of the request
 */
export function hint(answer: Answer, target: string, space: Space): string {
  const { status, problem } = answer
  const isUnknown = problem ? problem.name === 'not-found' : status === 404
  const sentences = [problem?.detail ?? `Status ${status}`, ...(isUnknown ? nearby(target, space) : [])]
  return headerText(sentences.filter(Boolean).join('. '))
}

/** A few IDs that would have been found in the place of the one that was not. */
function nearby(target: string, { data: { tables } }: Space): string[] {
  if (target.includes('chronizations/')) {
    const ready = [...first(tables.synchronizations.rows(), 3)].map(({ id }) => id)
    return ready.length > 0 ? [`Mailing synchronizations there are: ${ready.join(', ')}`] : []
  }
  if (target.includes('/accessible-customers/')) {
    const names = [...first(tables.customers.rows(), 5)].map(({ name }) => encodeURIComponent(name))
    return names.length > 0 ? [`Customers there are: ${names.join(', ')}`] : []
  }
  if (target.startsWith('/mailings/')) {
    const mailings = [...first(tables.mailings.rows(), 3)].map(({ id }) => id)
    return mailings.length > 0 ? [`Mailings there are: ${mailings.join(', ')}`] : []
  }
  return []
}

function* first<Row>(rows: Iterable<Row>, count: number): Generator<Row> {
  let taken = 0
  for (const row of rows) {
    if (taken++ >= count) return
    yield row
  }
}

/** What may stand in a header: printable ASCII, not too long. */
function headerText(text: string): string {
  const ascii = text.replaceAll('…', '...').replaceAll(/[^\x20-\x7e]/g, '?')
  return ascii.length > longest ? `${ascii.slice(0, longest - 3)}...` : ascii
}
