import { type CaseFinding, type CaseResult, type ExamResult, isWarning } from '../../../rig/exam-shape.ts'
import { forHtml } from './escaped.ts'
import { style } from './html-style.ts'
import { timelineHtml } from './html-timeline.ts'
import { countsLine, outcomeLine } from './sentences.ts'

/** One file that needs nothing else: no scripts, no fonts, no pictures; light and dark, fit for print. */
export function htmlReport(result: ExamResult): string {
  const { client, began, realSeconds, seed, speed, isWhole } = result
  const title = result.failed > 0 ? `${result.failed} failed` : 'Passed'
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
<dl>
<div><dt>Client</dt><dd><code>${forHtml(client)}</code></dd></div>
<div><dt>Played</dt><dd>${forHtml(`${began.slice(0, 19).replace('T', ' ')} UTC, ${realSeconds.toFixed(1)} s`)}</dd></div>
<div><dt>Seed</dt><dd>${seed}</dd></div>
${speed === 1 ? '' : `<div><dt>Speed</dt><dd>${speed} times</dd></div>`}
</dl>
${isWhole ? '' : '<p class="note">The exam was interrupted: not all cases were played.</p>'}
</header>
<main>
${section('Failed', 'failed', result.cases, true)}
${section('Proved nothing', 'inconclusive', result.cases, false)}
${section('Passed', 'passed', result.cases, false)}
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

function section(
  title: string,
  status: CaseResult['status'],
  cases: readonly CaseResult[],
  isOpen: boolean,
): string {
  const found = cases.filter(it => it.status === status)
  if (found.length === 0) return ''
  return `<section><h2>${title} (${found.length})</h2>\n${found.map(it => caseHtml(it, isOpen)).join('\n')}\n</section>`
}

function caseHtml(it: CaseResult, isOpen: boolean): string {
  const { name, status, realSeconds, description, tags, findings, harm, reason, reproduce } = it
  const warnings = findings.filter(isWarning).length
  const badges = warnings > 0 && status !== 'failed' ? '<span class="badge warning">warning</span>' : ''
  return `<details class="case ${status}" id="${forHtml(name)}"${isOpen ? ' open' : ''}>
<summary><span class="mark" aria-hidden="true">${marks[status]}</span><span class="name">${forHtml(name)}</span>${badges}<span class="took">${realSeconds.toFixed(1)} s</span></summary>
<p>${forHtml(description)}</p>
<p class="outcome">${forHtml(outcomeLine(it))}</p>
${reason === null ? '' : `<p class="note">It proved nothing: ${forHtml(reason)}.</p>`}
${findings.length === 0 ? '' : `<ul class="findings">${findings.map(findingHtml).join('')}</ul>`}
${harm === null ? '' : `<p class="harm"><strong>Harm:</strong> ${forHtml(harm)}</p>`}
${timelineHtml(it)}
${reproduce === null ? '' : `<p class="reproduce">Play it again:</p><pre>${forHtml(reproduce)}</pre>`}
${output(it)}
<p class="tags">${tags.map(tag => `<span>${forHtml(tag)}</span>`).join(' ')}</p>
</details>`
}

const marks = { passed: '✓', failed: '✗', inconclusive: '–' } as const

function findingHtml({ rule, severity, status, sentence, clause, evidence }: CaseFinding): string {
  const kind = status === 'open' ? 'open' : severity
  const notes = [
    ...(clause === null ? [] : [`Document: ${clause}`]),
    ...(evidence.length === 0 ? [] : [`Requests: ${evidence.join(', ')}`]),
  ]
  return `<li class="${kind}"><span class="badge ${kind}">${forHtml(rule)}</span> ${forHtml(sentence)}${
    notes.length === 0 ? '' : ` <small>${forHtml(notes.join('. '))}</small>`
  }</li>`
}

function output({ client }: CaseResult): string {
  const { exitCode, signal, error, output } = client
  const end =
    exitCode !== null
      ? `exit code ${exitCode}`
      : signal !== null
        ? `ended by ${signal}`
        : error !== null
          ? 'it threw'
          : ''
  if (output === '' && error === null)
    return end === '' ? '' : `<p class="took">The client: ${forHtml(end)}.</p>`
  return `<details class="output"><summary>What the client printed${end === '' ? '' : ` (${forHtml(end)})`}</summary><pre>${forHtml(
    [output, error ?? ''].filter(Boolean).join('\n'),
  )}</pre></details>`
}
