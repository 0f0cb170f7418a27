import { capitalize, countNoun, durationWords } from '../../rig/words.ts'
import { shorten } from '../../store/validation-messages.ts'
import type { ExamResult } from '../exam/exam-result.ts'
import { forMarkdown, onOneLine } from '../exam/report-text.ts'
import { type FeatureName, featureWords } from './decisions.ts'
import { pauseWords } from './pauses.ts'
import type { Change, Condition, Portrait, PortraitRow } from './portrait-shape.ts'

/** Times, of the features. */
const inSeconds: readonly FeatureName[] = ['retryAfter', 'sincePending', 'sinceFailed', 'idAge', 'sinceFirst']

function conditionWords({ feature, is, value }: Condition): string {
  const words = featureWords[feature]
  if (typeof value === 'object') {
    const listed = value.map(it => it || 'nothing').join(' or ')
    return `${words} ${is === 'none of' ? 'not ' : ''}${listed}`
  }
  const isMore = is === 'more than'
  if (feature === 'dated') return isMore ? words : 'without a date'
  if (!inSeconds.includes(feature))
    return isMore || value > 1 ? `${words} ${isMore ? '>' : '≤'} ${value}` : `${words} ${value}`
  if (value <= 0) return isMore ? `${words}: any` : `${words}: never`
  return `${words} ${is} ${durationWords(value * 1_000)}`
}

/** Actions in words, by how they begin. */
const actionStarts = {
  'same ID': 'repeats the same ID',
  'new ID': 'sends a new ID',
  'earlier ID': 'goes back to an earlier ID',
  'no ID': 'sends without an ID',
  'end: sent': 'ends: "sent"',
  'end: not-sent': 'ends: "not sent"',
  'end: unknown': 'ends: "unknown"',
}

export function actionWords(action: string): string {
  const [start, words] = Object.entries(actionStarts).find(([it]) => action.startsWith(it)) ?? ['', '']
  return words + action.slice(start.length)
}

/** What a client does in a row, with its pause. */
export function reactionWords({ action, pause }: Pick<PortraitRow, 'action' | 'pause'>): string {
  if (action === null) return 'no row explains it'
  return pause && !action.startsWith('reads')
    ? `${actionWords(action)}, ${pauseWords(pause)}`
    : actionWords(action)
}

/** Where a row holds: its situation, and what the client knows. */
const placeWords = (situation: string, { when = [] }: Pick<Change, 'when'>): string =>
  [situation, ...when.map(conditionWords)].join('; ')

/** The rows in words. `mark`: `≠` for what is not as the document wants, `?` where nothing is claimed. */
export const tableRows = ({ situations }: Pick<Portrait, 'situations'>) =>
  situations.flatMap(({ name, document, isExplained, decisions, rows }) =>
    rows.map(row => ({
      ...{ row, document },
      mark: row.action === null ? ('?' as const) : row.objection === null ? ('=' as const) : ('≠' as const),
      place: placeWords(name, row),
      reaction:
        row.action === null ? `${isExplained} (${countNoun(decisions, 'decision')})` : reactionWords(row),
    })),
  )

const percent = (share: number) => `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`

const predictionWords = ({ right, decisions, inRange }: NonNullable<Portrait['accuracy']>, where = '') =>
  `predicts ${percent(right)} of ${countNoun(decisions, 'decision')}${where}; ${percent(inRange)} of the pauses are in range`

/** Share of the next actions below which a portrait is not to be trusted. */
const fewestRight = 0.9

/** Whether a portrait predicts its own client badly. */
export const isNoisy = ({ accuracy }: Pick<Portrait, 'accuracy'>): boolean =>
  accuracy !== null && accuracy.right < fewestRight

/** The exam that a portrait was learned from. Without a time at which it began it was in virtual time, where nothing is noise. */
export type LearnedFrom = Pick<ExamResult, 'began' | 'depth' | 'exploration'>

/** What is said before anything else of a portrait that predicts its own client badly; nothing of a better one. */
export function noiseLines(portrait: Pick<Portrait, 'accuracy'>, exam?: LearnedFrom): string[] {
  const { accuracy } = portrait
  if (accuracy === null || !isNoisy(portrait)) return []
  const words = `it predicts ${percent(accuracy.right)} of ${countNoun(accuracy.decisions, 'decision')}`
  if (exam?.began === null)
    return [`Too few decisions: ${words}; --depth ${Math.max(2, exam.depth + 1)} shows more.`]
  const remedy = exam?.exploration?.realWaits
    ? 'It waits in real time for a response that comes late or never: give fewer --jobs, or a lower --speed.'
    : '--warm with waits, or --module, measures pauses exactly; with --speed on a busy machine they are noise.'
  return [`Too noisy to trust: ${words}. ${remedy}`]
}

/** How much a portrait knows, in sentences. */
export const honestyLines = (portrait: Portrait, exam?: LearnedFrom): string[] => {
  const isRealTime = exam !== undefined && exam.began !== null
  const { runs, decisions, accuracy, leftOut, stopped, unseen, patience } = portrait
  return [
    `Learned from ${countNoun(decisions, 'decision')} in ${countNoun(runs, 'run')}${leftOut > 0 ? `; ${countNoun(leftOut, 'run')} left out` : ''}.`,
    accuracy === null
      ? 'Too few runs to measure how well it predicts.'
      : `A table of four fifths of the runs ${predictionWords(accuracy, ' in the others')}.`,
    patience !== null &&
      `It waits ${isRealTime ? 'about ' : ''}${durationWords(patience * 1_000)} for a response${isRealTime ? ', as measured in real time' : ''}.`,
    stopped > 0 &&
      `In ${countNoun(stopped, 'run')} the client was stopped: what it would have done then is not known.`,
    unseen.length > 0 && `Never seen: ${unseen.join(', ')}.`,
  ].filter(it => it !== false)
}

/** Which row to mend first, by what a client made of the table did in the failed plans. */
export function adviceLines({ advice, situations }: Portrait): string[] {
  return advice.slice(0, 3).map(({ situation, row, mends, replayed, met, failed }) => {
    const { rows, document } = situations.find(({ name }) => name === situation)!
    const sample = replayed === met ? '' : ` of ${replayed} replayed`
    const words = `explains ${mends}${sample} of the ${met} failed plans in which it is met (${failed} failed)`
    return `"${placeWords(situation, rows[row]!)}" ${words}: ${reactionWords(rows[row]!)}; wanted: ${document}`
  })
}

const maxLines = 30

/** The table for a terminal, in at most 30 lines. */
export function portraitLines(portrait: Portrait, exam?: LearnedFrom): string[] {
  const rows = tableRows(portrait)
  const changes = changeLines(portrait)
  const ends = [
    ...adviceLines(portrait),
    ...honestyLines(portrait, exam),
    ...(changes.length === 0 ? [] : [changesTitle, ...changes.map(it => `  ${it}`)]),
  ]
  const noise = noiseLines(portrait, exam)
  const room = Math.max(5, maxLines - noise.length - ends.length - 2)
  // What differs from the document is shown in any case, and so is what is not explained.
  const right = rows.filter(({ mark }) => mark === '=')
  const kept = Math.max(0, right.length + room - rows.length - 1)
  const dropped = rows.length <= room ? [] : right.slice(kept)
  const shown = rows.filter(it => !dropped.includes(it))
  const width = Math.min(52, Math.max(...shown.map(({ place }) => place.length)))
  const unclaimed = rows.some(({ mark }) => mark === '?') ? '; ?: nothing is claimed' : ''
  return [
    ...noise,
    `What it does (≠: not what the document wants${unclaimed})`,
    ...shown.map(({ place, reaction, row, mark }) => {
      const seen =
        row.decisions > 2 || mark === '?' ? '' : ` (seen ${row.decisions === 1 ? 'once' : 'twice'})`
      const words = `${mark === '=' ? ' ' : mark} ${place.padEnd(width)}  ${reaction}${seen}`
      return mark === '≠' ? `${words}; ${row.objection}` : words
    }),
    ...(dropped.length > 0 ? [`  ${countNoun(dropped.length, 'more row')} as the document wants`] : []),
    ...ends,
  ].map(onOneLine)
}

/** What an earlier portrait says of a situation that it has no row for. */
export const neverSeen = 'never seen'

/** Stands above what `changeLines` says. */
export const changesTitle = 'What changed since the earlier portrait:'

/** What changed since the portrait that it was compared with, if there is one. */
export function changeLines({ changes, predicted, accuracy, isCoarse }: Portrait): string[] {
  if (changes === null || predicted === null) return []
  const noisy = isNoisy({ accuracy }) ? 'this portrait' : 'the earlier portrait'
  const lines = changes.map(({ situations, when, before, now }) => {
    const place = capitalize(placeWords(situations.join(', '), { when }))
    return before === neverSeen
      ? `${place}: the earlier portrait has not seen it, now it is "${now}"`
      : `${place}: it was "${before}", it is "${now}"`
  })
  return [
    ...(lines.length === 0 ? ['Nothing changed in what it does.'] : lines),
    ...(isCoarse
      ? [
          `The comparison is coarse, since ${noisy} predicts its own client badly: it shows only actions that are new in a situation, or gone from it.`,
        ]
      : []),
    `The earlier portrait ${predictionWords(predicted)}.`,
  ]
}

/** For a pull request. */
export function portraitMarkdown(portrait: Portrait, exam?: LearnedFrom): string {
  const itemsOf = (lines: readonly string[]) => lines.map(it => `- ${forMarkdown(it)}`)
  const changes = itemsOf(changeLines(portrait))
  const advice = itemsOf(adviceLines(portrait))
  const rows = tableRows(portrait).map(({ place, reaction, document, row, mark }) => {
    const verdict = mark === '≠' ? `≠ ${row.objection}` : mark
    const cells = [place, reaction, document, verdict, `${row.decisions}`, row.shownBy.name]
    return `| ${cells.map(forMarkdown).join(' | ')} |`
  })
  return [
    `# What ${forMarkdown(shorten(portrait.client, 200))} does`,
    '',
    ...noiseLines(portrait, exam).flatMap(it => [`**${forMarkdown(it)}**`, '']),
    ...(changes.length > 0 ? [changesTitle, '', ...changes, ''] : []),
    ...(advice.length > 0 ? [...advice, ''] : []),
    '| Situation | It does | The document | | Seen | Shown by |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...honestyLines(portrait, exam).map(forMarkdown),
    '',
    portrait.rule,
    '',
  ].join('\n')
}
