import { type CaseFinding, type CaseResult, isWarning } from '../../../rig/exam-shape.ts'
import { forHtml } from './escaped.ts'
import { shortNames, timelineHtml } from './html-timeline.ts'
import { expectedPhrase, reachedPhrase } from './sentences.ts'
import { titleOf } from './titles.ts'

/** One case, to be unfolded. */
export function caseHtml(it: CaseResult, isOpen: boolean): string {
  const { name, status, realSeconds, description, tags, findings, harm, reason, reproduce } = it
  return `<details class="case ${status}" id="${forHtml(name)}"${isOpen ? ' open' : ''}>
<summary><span class="mark" aria-hidden="true">${marks[status]}</span><span class="name">${forHtml(name)}</span><span class="badges">${badges(findings)}</span><span class="took">${realSeconds.toFixed(1)} s</span></summary>
<p>${forHtml(description)}</p>
${outcome(it)}
${reason === null ? '' : `<p class="note">${status === 'failed' ? 'Note' : 'It proved nothing'}: ${forHtml(reason)}.</p>`}
${findings.length === 0 ? '' : `<ul class="findings">${findings.map(found => findingHtml(found, it)).join('')}</ul>`}
${harm === null ? '' : `<p><strong>What came of it:</strong> ${forHtml(harm)}</p>`}
${broken(it)}
${timelineHtml(it)}
${reproduce === null ? '' : `<p class="reproduce">Play it again:</p><pre>${forHtml(reproduce)}</pre>`}
${output(it)}
<p class="tags">${tags.map(tag => `<span>${forHtml(tag)}</span>`).join(' ')}</p>
</details>`
}

const marks = { passed: '✓', failed: '✗', inconclusive: '–' } as const

/** What was found, at a glance. */
const badges = (findings: readonly CaseFinding[]): string =>
  findings.filter(isHeldAgainst).map(badge).join(' ')

const isHeldAgainst = (it: CaseFinding) =>
  isWarning(it) || (it.severity === 'error' && it.status === 'guilty')

const badge = (it: CaseFinding): string => `<span class="badge ${kindOf(it)}">${forHtml(it.rule)}</span>`

const kindOf = ({ severity, status }: CaseFinding) => (status === 'open' ? 'open' : severity)

function outcome(it: CaseResult): string {
  const expected = expectedPhrase(it)
  const { expected: wanted, reached, status } = it
  const differs = status === 'failed' && (wanted?.sent !== reached.sent || wanted?.belief !== reached.belief)
  return `<dl class="outcome">${
    expected === undefined ? '' : `<div><dt>Expected</dt><dd>${forHtml(expected)}</dd></div>`
  }<div${differs ? ' class="differs"' : ''}><dt>Reached</dt><dd>${forHtml(reachedPhrase(it))}</dd></div></dl>`
}

function findingHtml(found: CaseFinding, { attempts }: CaseResult): string {
  const { status, sentence, clause, evidence, times } = found
  const notes = [
    ...(times > 1 ? [`And ${times - 1} more like it`] : []),
    ...(clause === null ? [] : [`Document: ${clause}`]),
    ...(evidence.length === 0 ? [] : [`Requests: ${evidence.join(', ')}`]),
  ]
  const note = notes.length === 0 ? '' : `<small>${forHtml(notes.join('. '))}</small>`
  const doubt = status === 'open' ? ' (it cannot be known)' : ''
  return `<li class="${kindOf(found)}">${badge(found)} <strong>${forHtml(titleOf(found))}${doubt}</strong><br>${named(sentence, attempts)} ${note}</li>`
}

/** With the names that the timeline gives to transaction IDs, which are long and tell people nothing. */
function named(sentence: string, attempts: CaseResult['attempts']): string {
  let text = forHtml(sentence)
  for (const [id, name] of shortNames(attempts))
    text = text.replaceAll(forHtml(`transactionId "${id}"`), () => `<b>ID ${name}</b>`)
  return text
}

function broken({ brokenConnections: count }: CaseResult): string {
  if (count === 0) return ''
  const which = count === 1 ? '1 connection' : `${count} connections`
  return `<p class="note">${which} met the trouble of this case before a request could come over ${count === 1 ? 'it' : 'them'}.</p>`
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
