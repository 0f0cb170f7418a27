import type { ClauseResult, Status, VerifyResult } from '../result.ts'
import { failures } from '../result.ts'

/** What verifying came to, in one sentence; a run that ended early is never told as whole. */
export function verdictLine(result: VerifyResult): string {
  const { verdict, incomplete, counts, target } = result
  const differing = failures(result).length
  switch (verdict) {
    case 'incomplete':
      return `INCOMPLETE: ${incomplete}. ${counts['not run']} clauses were not looked at${differing > 0 ? `, and ${counted(differing, 'difference was', 'differences were')} found before` : ''}.`
    case 'differs':
      return `NOT FAITHFUL: ${target.url} differs from the document in ${counted(differing, 'clause', 'clauses')}.`
    case 'faithful':
      return `FAITHFUL: ${target.url} holds all ${counts.holds} clauses that ${result.filter.length > 0 ? 'were chosen and ' : ''}could be looked at${result.allowWrites ? '' : ' by reading'}.`
  }
}

const words: Record<Status, string> = {
  holds: 'hold',
  differs: 'differ',
  otherwise: 'chosen otherwise',
  'not testable': 'not testable here',
  outside: 'out of sight',
  skipped: 'skipped',
  'not run': 'not run',
}

/** Such as `280 hold, 1 differ, 30 out of sight`. */
export const countsLine = ({ counts }: VerifyResult): string =>
  (Object.keys(words) as Status[])
    .filter(status => counts[status] > 0 || status === 'holds')
    .map(status => `${counts[status]} ${words[status]}`)
    .join(', ')

/** What to do about a choice, if anything can be done. */
export function advice({ turn, seen }: ClauseResult): string {
  if (turn === null) return `here the target does: ${seen}; no dial of the mock does the same`
  const { name, value, isDial } = turn
  const what = isDial ? `dial ${name}=${value}` : `--${name} ${value}`
  return `here the target does: ${seen}; set ${what}`
}

/** The exchange in which something was seen, on one line. */
export function evidenceLine({ number, method, url, status }: ClauseResult['evidence'][number]): string {
  return `request ${number}: ${method} ${url} -> ${status}`
}

export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`
