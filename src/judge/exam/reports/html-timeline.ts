import type { AttemptShown, CaseResult, EffectShown } from '../../../rig/exam-shape.ts'
import { forHtml } from './escaped.ts'

/** So many attempts are drawn; after a flood the rest looks like them. */
const most = 60

/**
 * The attempts of a case against the truth: a row for each request with a bar as long as it took, what the client was
 * told, what was true, and a diamond where something really went out.
 */
export function timelineHtml({ attempts, attemptsLeftOut, effects }: CaseResult): string {
  if (attempts.length === 0) return '<p class="note">No request came.</p>'
  const drawn = attempts.slice(0, most)
  const span = Math.max(0.001, ...drawn.map(({ at, until }) => Math.max(at, until ?? at)))
  const missing = attempts.length - drawn.length + attemptsLeftOut
  const names = shortNames(attempts)
  const rows = drawn.map((it, at) =>
    row(
      it,
      at + 1,
      span,
      names,
      effects.filter(({ cause }) => cause === it.id),
    ),
  )
  return `<div class="timeline" role="table" aria-label="Requests against truth">
<div class="row head" role="row"><span role="columnheader">Request</span><span role="columnheader">0 s to ${shown(span)} <span class="key"><i class="effect sent"></i> really sent</span></span><span role="columnheader">Client was told</span><span role="columnheader">True</span></div>
${rows.join('\n')}
</div>
${missing > 0 ? `<p class="note">${missing} more requests are not drawn.</p>` : ''}`
}

/** Transaction IDs are long: each gets a letter, in the order in which it came up. */
function shortNames(attempts: readonly AttemptShown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { transactionId } of attempts)
    if (transactionId !== null && !names.has(transactionId))
      names.set(transactionId, names.size < 26 ? String.fromCharCode(65 + names.size) : `#${names.size + 1}`)
  return names
}

function row(
  it: AttemptShown,
  number: number,
  span: number,
  names: ReadonlyMap<string, string>,
  effects: readonly EffectShown[],
): string {
  const left = percent(it.at, span)
  const width = Math.max(0.6, percent(it.until ?? span, span) - left)
  const kind = it.isDisturbed ? 'disturbed' : it.isCreation ? 'plain' : 'other'
  const asked = it.isCreation
    ? `<b>${it.transactionId === null ? 'no ID' : `ID ${names.get(it.transactionId)!}`}</b>`
    : `<i>${forHtml(it.operation ?? it.method)}</i>`
  const title = `${it.method} ${it.path}${it.transactionId === null ? '' : `, transactionId ${it.transactionId}`}`
  return `<div class="row" role="row"><span role="cell" class="who" title="${forHtml(title)}">${number}. ${asked} <small>${forHtml(it.id)}, ${shown(it.at)}</small></span><span role="cell" class="track"><span class="bar ${kind}" style="left:${left.toFixed(2)}%;width:${Math.min(width, 100 - left).toFixed(2)}%"></span>${effects.map(effect => mark(effect, span)).join('')}</span><span role="cell" class="told" data-label="told">${forHtml(it.told)}</span><span role="cell" class="truth" data-label="true">${forHtml(it.truth)}</span></div>`
}

function mark({ at, what }: EffectShown, span: number): string {
  const isLater = at > span
  const text = `${what} at ${shown(at)}${isLater ? ', after the client had ended' : ''}`
  return `<span class="effect ${what === 'unsent mailing' ? 'orphan' : 'sent'}" style="left:${percent(at, span).toFixed(2)}%" title="${forHtml(text)}" role="img" aria-label="${forHtml(text)}"></span>`
}

const percent = (at: number, span: number) => Math.min(100, Math.max(0, (at / span) * 100))

const shown = (seconds: number) =>
  seconds >= 120
    ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
    : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
