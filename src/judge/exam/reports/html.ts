import type { CaseResult, ExamResult } from '../../../rig/exam-shape.ts'
import { forHtml } from './escaped.ts'
import { caseHtml } from './html-case.ts'
import { style } from './html-style.ts'
import { summaryHtml, telling } from './html-summary.ts'
import { countsLine, whyNotPassed } from './sentences.ts'

/** One file that needs nothing else: no scripts, no fonts, no pictures; light and dark, fit for print. */
export function htmlReport(result: ExamResult): string {
  const { client, began, realSeconds, seed, speed } = result
  const title = result.failed > 0 ? `${result.failed} failed` : result.isPassed ? 'Passed' : 'Not passed'
  const why = whyNotPassed(result, false)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${forHtml(title)}: exam of a mailing synchronization client</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Exam of a mailing synchronization client</h1>
<p class="counts">${forHtml(countsLine(result))}</p>
${meter(result)}
<p class="note">Each case put the client into one situation, let it send one mailing, and held what it believed against what truly went out.</p>
<dl>
<div><dt>Client</dt><dd><code>${forHtml(client)}</code></dd></div>
<div><dt>Played</dt><dd>${forHtml(`${began.slice(0, 19).replace('T', ' ')} UTC, ${realSeconds.toFixed(1)} s`)}</dd></div>
<div><dt>Seed</dt><dd>${seed}</dd></div>
${speed === 1 ? '' : `<div><dt>Speed</dt><dd>${speed} times</dd></div>`}
</dl>
${why === undefined ? '' : `<p class="note">${forHtml(why)}</p>`}
</header>
<main>
${summaryHtml(result.cases)}
${section('Failed', 'failed', result.cases, telling(result.cases))}
${section('Proved nothing', 'inconclusive', result.cases, new Set())}
${section('Passed', 'passed', result.cases, new Set())}
</main>
</body>
</html>
`
}

/** A bar whose parts are as long as their shares. */
function meter({ failed, inconclusive, passed }: ExamResult): string {
  const part = (kind: string, count: number) =>
    count === 0 ? '' : `<span class="${kind}" style="flex-grow:${count}"></span>`
  return `<div class="meter" aria-hidden="true">${part('failed', failed)}${part('inconclusive', inconclusive)}${part('passed', passed)}</div>`
}

/** @param open names of the cases that are shown unfolded */
function section(
  title: string,
  status: CaseResult['status'],
  cases: readonly CaseResult[],
  open: ReadonlySet<string>,
): string {
  const found = cases.filter(it => it.status === status)
  if (found.length === 0) return ''
  const shown = found.map(it => caseHtml(it, open.has(it.name)))
  return `<section><h2>${title} (${found.length})</h2>\n${shown.join('\n')}\n</section>`
}
