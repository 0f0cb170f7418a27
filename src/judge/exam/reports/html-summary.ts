import type { CaseResult } from '../../../rig/exam-shape.ts'
import { byRule, type Found } from './by-rule.ts'
import { forHtml } from './escaped.ts'
import { titleOf } from './titles.ts'

/** Up to so many failed cases are all shown unfolded. */
const few = 5

/** What is wrong with the client in all, each thing once, for whoever reads nothing else. */
export function summaryHtml(cases: readonly CaseResult[]): string {
  const found = byRule({ cases: failedFirst(cases) })
  if (found.length === 0) return ''
  return `<section class="summary"><h2>What is wrong</h2>\n<ul class="findings">${found.map(foundHtml).join('\n')}</ul>\n</section>`
}

/** Names of the failed cases that are worth reading first: for each thing that is wrong, the first that shows it. */
export function telling(cases: readonly CaseResult[]): ReadonlySet<string> {
  const failed = cases.filter(({ status }) => status === 'failed')
  return new Set(
    failed.length <= few
      ? failed.map(({ name }) => name)
      : byRule({ cases: failed }).map(({ cases: [name] }) => name!),
  )
}

/** A case that failed shows more than one that passed with a warning. */
const failedFirst = (cases: readonly CaseResult[]) => [
  ...cases.filter(({ status }) => status === 'failed'),
  ...cases.filter(({ status }) => status !== 'failed'),
]

function foundHtml({ rule, severity, title, clause, more, cases }: Found): string {
  const [first = ''] = cases
  const count = cases.length === 1 ? '1 case' : `${cases.length} cases`
  const meaning = more === null ? `That is: ${title}.` : `${more.detection} Document: ${clause}.`
  return `<li class="${severity}"><a href="#${forHtml(first)}" class="badge ${severity}">${forHtml(rule)}</a> <strong>${forHtml(titleOf({ rule }))}</strong> <span class="note">in ${count}, first in <a href="#${forHtml(first)}">${forHtml(first)}</a></span><small>${forHtml(meaning)}</small></li>`
}
