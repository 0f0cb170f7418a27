import type { AttemptShown, CaseResult, EffectShown } from '../../../rig/exam-shape.ts'
import { forHtml } from './escaped.ts'

/** So many attempts are drawn of the beginning and of the end; after a flood those between look like them. */
const most = { first: 20, last: 10 }

/**
 * The attempts of a case against the truth: a row for each request with a bar as long as it took, what the client was
 * told, what was true, and a diamond where something really went out.
 */
export function timelineHtml({ attempts, attemptsLeftOut, effects }: CaseResult): string {
  if (attempts.length === 0) return '<p class="note">No request came.</p>'
  const isMuch = attempts.length + attemptsLeftOut > most.first + most.last
  const head = isMuch ? attempts.slice(0, most.first) : attempts
  const tail = isMuch ? attempts.slice(most.first).slice(-most.last) : []
  const span = Math.max(0.001, ...[...head, ...tail].map(({ at, until }) => Math.max(at, until ?? at)))
  const missing = attempts.length + attemptsLeftOut - head.length - tail.length
  const draw = { span, names: shortNames(attempts), effects }
  return `<div class="timeline" role="table" aria-label="Requests against truth">
<div class="row head" role="row"><span role="columnheader">Request</span><span role="columnheader" class="at">At</span><span role="columnheader">0 s to ${shown(span)}</span><span role="columnheader">Client was told</span><span role="columnheader">True</span></div>
${head.map((it, at) => row(it, at + 1, draw)).join('\n')}
${missing > 0 ? `<p class="gap">${missing} more requests are not drawn</p>` : ''}
${tail.map((it, at) => row(it, head.length + missing + at + 1, draw)).join('\n')}
</div>
${key(attempts, effects)}`
}

/** Transaction IDs are long: each gets a letter, in the order in which it came up. */
export function shortNames(attempts: readonly AttemptShown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { transactionId } of attempts)
    if (transactionId !== null && !names.has(transactionId))
      names.set(transactionId, names.size < 26 ? String.fromCharCode(65 + names.size) : `#${names.size + 1}`)
  return names
}

interface Drawing {
  /** Seconds from the left to the right end. */
  readonly span: number
  readonly names: ReadonlyMap<string, string>
  readonly effects: readonly EffectShown[]
}

function row(it: AttemptShown, number: number, { span, names, effects }: Drawing): string {
  const left = percent(it.at, span)
  const width = Math.max(0.6, percent(it.until ?? span, span) - left)
  const asked = it.isCreation
    ? `<b>${it.transactionId === null ? 'no ID' : `ID ${names.get(it.transactionId)!}`}</b>`
    : `<i>${forHtml(it.operation === null ? it.method : inWords(it.operation))}</i>`
  const title = `${it.method} ${it.path}${it.transactionId === null ? '' : `, transactionId ${it.transactionId}`}`
  const marks = effects.filter(({ cause }) => cause === it.id).map(effect => mark(effect, span))
  return `<div class="row" role="row"><span role="cell" class="who" title="${forHtml(title)}">${number}. ${asked} <small>${forHtml(it.id)}</small></span><span role="cell" class="at">${shown(it.at)}</span><span role="cell" class="track"><span class="bar ${kindOf(it)}" style="left:${left.toFixed(2)}%;width:${Math.min(width, 100 - left).toFixed(2)}%"></span>${marks.join('')}</span><span role="cell" class="told" data-label="told">${forHtml(it.told)}</span><span role="cell" class="truth" data-label="true">${forHtml(it.truth)}</span></div>`
}

const kindOf = ({ isDisturbed, isCreation }: AttemptShown) =>
  isDisturbed ? 'disturbed' : isCreation ? 'plain' : 'other'

/** `getMailingSynchronization`: get mailing synchronization. */
const inWords = (operation: string) => operation.replaceAll(/[A-Z]/g, it => ` ${it.toLowerCase()}`)

function mark({ at, what }: EffectShown, span: number): string {
  const isLater = at > span
  const text = `${what} at ${shown(at)}${isLater ? ', after the client had ended' : ''}`
  return `<span class="effect ${what === 'unsent mailing' ? 'orphan' : 'sent'}" style="left:${percent(at, span).toFixed(2)}%" title="${forHtml(text)}" role="img" aria-label="${forHtml(text)}"></span>`
}

/** What the signs mean, of those that stand there. */
function key(attempts: readonly AttemptShown[], effects: readonly EffectShown[]): string {
  const kinds = new Set(attempts.map(kindOf))
  const signs = [
    ...(kinds.has('plain') ? ['<i class="bar plain"></i> asks for a sending'] : []),
    ...(kinds.has('disturbed')
      ? ['<i class="bar disturbed"></i> asks for a sending, and the case disturbs it']
      : []),
    ...(kinds.has('other') ? ['<i class="bar other"></i> asks for something else'] : []),
    ...(effects.some(({ what }) => what !== 'unsent mailing')
      ? ['<i class="effect sent"></i> really sent, or will be']
      : []),
    ...(effects.some(({ what }) => what === 'unsent mailing')
      ? ['<i class="effect orphan"></i> a mailing on the platform that is never sent']
      : []),
  ]
  return `<p class="key">${signs.map(it => `<span>${it}</span>`).join(' ')}</p>`
}

const percent = (at: number, span: number) => Math.min(100, Math.max(0, (at / span) * 100))

const shown = (seconds: number) =>
  seconds >= 120
    ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
    : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
