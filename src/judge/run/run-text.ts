import { basename } from 'node:path'
import { countNoun, statusCountWords } from '../../rig/words.ts'
import type { CaseFinding } from '../exam/exam-result.ts'
import {
  codeForMarkdown,
  forHtml,
  forMarkdown,
  forTerminal,
  junitXml,
  onOneLine,
  quoteForShell,
  xmlElement,
} from '../exam/report-text.ts'
import { programWords } from '../exam/reproduce.ts'
import { findingLine, isAccusation, readingPath, titleOf } from '../exam/text-reports.ts'
import { statusCounts } from '../harm.ts'
import type { NeverMet, RunReport, SpaceResult } from './run-result.ts'

/** How many spaces and requests there were, and what became of them: one line. */
export function runHeadline(report: RunReport): string {
  const { isPassed, spaces, passed, failed, warnings, unproved, known, label, leftOut } = report
  const counts = [
    [failed, 'failed'],
    [passed, 'passed'],
    [warnings, warnings === 1 ? 'with a warning' : 'with warnings'],
    [unproved, 'unproved'],
    [known, 'known'],
  ] as const
  const of = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  if (spaces === 0)
    return `Not passed: no request came to a space${label === null ? '' : ` whose name matches ${label}`}`
  const others = [
    ...(leftOut.failed > 0 ? [`${leftOut.failed} failed that are not listed`] : []),
    ...(leftOut.unjudged > 0 ? [`${leftOut.unjudged} not judged`] : []),
  ]
  return [
    `${isPassed ? 'Passed' : 'Not passed'}: ${countNoun(spaces, 'space')}: ${of.join(', ')}`,
    ...others,
  ].join('; ')
}

/** What else the counts say, a sentence each. */
export function runNotes(report: RunReport): string[] {
  const { requests, open, unused, demonstrations, leftOut, accepted, label } = report
  const counts = statusCounts(report)
  const { spaces, failed, unjudged } = leftOut
  return [
    ...(requests > 0
      ? [
          `${countNoun(requests, 'request')}, ${statusCountWords(counts, `${countNoun(counts.sent, 'mailing')} sent`)}.`,
        ]
      : []),
    ...(open > 0 ? [`${countNoun(open, 'request is', 'requests are')} still under way.`] : []),
    ...(unused > 0
      ? [`To ${countNoun(unused, 'further space')}${label === null ? '' : ' of this label'} no request came.`]
      : []),
    ...(demonstrations > 0
      ? [
          `${countNoun(demonstrations, 'space of “Break it” is', 'spaces of “Break it” are')} left out: a demonstration, and no client under test.`,
        ]
      : []),
    ...(spaces > 0
      ? [
          `${countNoun(spaces, 'space that is gone is', 'spaces that are gone are')} not listed, since only so many are kept: ${failed} failed${unjudged > 0 ? `, ${unjudged} went too fast to be judged` : ''}.`,
        ]
      : []),
    ...(accepted?.unmatched ?? []).map(it => `Accepts nothing here: ${it}.`),
  ]
}

/** Whether a result counts as failed for what is asked for. */
export const failsOn = (
  { failed, warnings, spaces, leftOut }: RunReport,
  gravity: 'error' | 'warning' | 'never',
): boolean =>
  gravity !== 'never' &&
  (spaces === 0 || failed + leftOut.failed > 0 || (gravity === 'warning' && warnings + leftOut.unjudged > 0))

const endings = { open: '', 'made room': 'made room for others', reset: 'was reset', removed: 'was removed' }

/** Whether a finding is a reason to fail although it is not proved. */
export const isSuspicion = (
  { status, rule }: CaseFinding,
  { causes }: Pick<SpaceResult, 'causes'>,
): boolean => status === 'open' && causes.includes(rule)

/** What a person reads of one space. */
export const spaceLines = (result: SpaceResult): string[] => [
  ...storyLines(result),
  ...spaceFindings(result).flatMap(({ line, remedy, reading }) => [line, remedy, `Read: ${reading}`]),
]

/** What was found in a space, what to do, and where to read more. */
export function spaceFindings(result: SpaceResult) {
  const isSuspected = result.findings.some(it => isSuspicion(it, result))
  return result.findings.map(it => ({
    finding: it,
    line: findingLine(it, isSuspected),
    remedy: `Do: ${it.remedy}`,
    reading: readingPath(it),
  }))
}

/** What happened in a space. */
export function storyLines(result: SpaceResult): string[] {
  const { state, requests, missing, timeline } = result
  return [
    [
      `${countNoun(requests, 'request')}, ${statusCountWords(statusCounts(result))}`,
      ...(endings[state] === '' ? [] : [`it ${endings[state]}`]),
      ...(missing > 0 ? [`${countNoun(missing, 'request is', 'requests are')} no longer on record`] : []),
    ].join('; '),
    ...timeline,
  ]
}

/** The report as JUnit XML: a test case for each space. */
export function runJunit(report: RunReport): string {
  const { cases, failed, unproved, known, leftOut, began, at, label } = report
  const isLeftOut = leftOut.spaces > 0
  const names = lastingNames(cases)
  return junitXml(
    {
      name: 'mailing-sync-mock run',
      tests: cases.length + (isLeftOut ? 1 : 0),
      failures: failed + (leftOut.failed > 0 ? 1 : 0),
      errors: 0,
      skipped: unproved + known + (isLeftOut && leftOut.failed === 0 ? 1 : 0),
      time: Math.round(Date.parse(at) - Date.parse(began)) / 1_000,
    },
    { timestamp: began.slice(0, 19) },
    label === null ? {} : { label },
    [
      ...cases.map(it => ({
        attributes: { classname: 'space', name: names.get(it)!, time: it.seconds },
        inside: outcomeElements(it, names.get(it) === it.name ? [] : [`Space: ${it.name}`]),
      })),
      ...(isLeftOut
        ? [
            {
              attributes: { classname: 'space', name: 'spaces that are not listed' },
              inside: [
                xmlElement(leftOut.failed > 0 ? 'failure' : 'skipped', {
                  message: `${countNoun(leftOut.spaces, 'space')}, ${leftOut.failed} failed`,
                }),
              ],
            },
          ]
        : []),
    ],
  )
}

/** What kits, the vitest fixture and `connect()` add to the name of a space, so that runs do not share one. */
const randomPart = /\.[\da-f]{8}(?= |$)|([.+])[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}(?= |$)/

/** Names that are the same in each run, since build servers follow a test by its name. Of equal ones the later get numbers. */
function lastingNames(cases: readonly SpaceResult[]): ReadonlyMap<SpaceResult, string> {
  const names = new Map<string, SpaceResult>()
  for (const it of [...cases].sort((one, other) => one.began.localeCompare(other.began))) {
    const base = it.name.replace(randomPart, (_, sign) => (sign === '+' ? '+unnamed' : ''))
    let name = base
    for (let count = 2; names.has(name); count++) name = `${base} (${count})`
    names.set(name, it)
  }
  return new Map([...names].map(([name, it]) => [it, name]))
}

/** @param more lines to begin with */
function outcomeElements(it: SpaceResult, more: readonly string[]): string[] {
  const { status, reason, causes, findings } = it
  const text = [...more, ...spaceLines(it), ...capsuleLines(it)].join('\n')
  switch (status) {
    case 'failed':
      return [xmlElement('failure', { type: causes.join(' ') || 'in vain', message: reason ?? '' }, text)]
    case 'unproved':
      return [xmlElement('skipped', { message: reason ?? '' })]
    case 'known':
      return [
        xmlElement('skipped', {
          message: `known: ${findings.flatMap(({ rule, known }) => (known === undefined ? [] : [`${rule}: ${known}`])).join('; ')}`,
        }),
      ]
    default:
      return findings.length === 0 ? [] : [xmlElement('system-out', {}, text)]
  }
}

/** How many spaces a page for people has in full: a job summary may have one MiB. */
const mostShown = 50
/** How many names of one kind are listed where nothing was met. */
const mostNames = 100

export const neverMetTitles: Readonly<Record<keyof NeverMet, string>> = {
  operations: 'Operations',
  refusals: 'Refusals',
  states: 'States',
  phases: 'Phases',
  faults: 'Faults',
  troubles: 'Kinds of trouble',
  rules: 'Rules of conduct without a chance to be broken',
  scenarios: 'Scenarios',
}

/** What the run never met, by kinds; without those of which it met all. */
export const neverMetNames = (neverMet: NeverMet): [title: string, names: string[]][] =>
  (Object.keys(neverMetTitles) as (keyof NeverMet)[])
    .map((kind): [string, string[]] => [
      neverMetTitles[kind],
      neverMet[kind].map(it => (typeof it === 'string' ? it : `${it.id} ${it.title}`)),
    ])
    .filter(([, names]) => names.length > 0)

export const shareWords = ({ share: { met, of, means } }: RunReport): string =>
  `${met} of ${of} (${Math.round((100 * met) / of)} %). ${means}.`

/** The report as Markdown, for a job summary or a comment. */
export function runMarkdown(report: RunReport): string {
  const shown = report.cases.filter(it => it.status !== 'passed')
  const full = shown.filter(it => it.status === 'failed' || it.status === 'warning').slice(0, mostShown)
  return [
    `## ${report.isPassed ? '✅' : '❌'} ${forMarkdown(runHeadline(report))}`,
    '',
    ...runNotes(report).flatMap(it => [forMarkdown(it), '']),
    ...(shown.length === 0
      ? []
      : [
          '| Space | Result | Requests | Sent | Why |',
          '|---|---|---:|---:|---|',
          ...shown
            .slice(0, mostShown)
            .map(
              ({ name, status, requests, missing, reason, findings, ...counts }) =>
                `| ${forMarkdown(name)} | ${status} | ${requests}${missing > 0 ? ` (${missing} not judged)` : ''} | ${sentCell(counts)} | ${forMarkdown(reason ?? findings[0]?.sentence ?? '')} |`,
            ),
          '',
          ...(shown.length > mostShown ? [`and ${shown.length - mostShown} more`, ''] : []),
        ]),
    ...full.flatMap(it =>
      folded(`${it.name}: ${namesOf(it)}`, [
        ...storyLines(it).map(line => `- ${forMarkdown(line.trim())}`),
        ...spaceFindings(it).flatMap(({ line, remedy, reading }) => [
          `- ${forMarkdown(line)}`,
          `- ${forMarkdown(remedy)}`,
          `- Read: ${codeForMarkdown(reading)}`,
        ]),
        ...(it.capsule === undefined ? [] : [`- ${capsuleMarkdown(it.capsule)}`]),
      ]),
    ),
    ...(hasMet(report) ? neverMetLines(report) : []),
  ].join('\n')
}

/** In a column of what was sent. */
function sentCell(result: Pick<SpaceResult, 'sent' | 'scheduled' | 'stopped'>): string {
  const counts = statusCounts(result)
  return statusCountWords(counts, String(counts.sent))
}

/** Whether there is a space: without one all that there is was never met, and a list of it says nothing. */
export const hasMet = ({ spaces }: RunReport): boolean => spaces > 0

const neverMetLines = (report: RunReport): string[] => [
  '### Never met',
  '',
  forMarkdown(shareWords(report)),
  '',
  ...neverMetNames(report.neverMet).flatMap(([title, names]) =>
    folded(`${title} (${names.length})`, [
      names.slice(0, mostNames).map(forMarkdown).join(', ') +
        (names.length > mostNames ? ` and ${names.length - mostNames} more` : ''),
    ]),
  ),
  '',
]

/** The names of what was found in a space. */
const namesOf = ({ findings, reason, causes }: SpaceResult): string =>
  findings
    .filter(it => isAccusation(it) || isSuspicion(it, { causes }))
    .map(it => `${it.rule} ${titleOf(it)}${it.status === 'open' ? ' (suspected)' : ''}`)
    .join('; ') ||
  (reason ?? 'open')

/** Whether a capsule can be had where the mock runs, and only as long as it runs, in place of a file. */
export const isAddress = (capsule: string): boolean => /^https?:/.test(capsule)
export const whileItRuns = 'while the mock runs'

/**
 * What opens a capsule that is a file, also on another machine: where the package is not installed, `npx` would fetch whatever has its
 * name at a registry.
 */
export function openingOf(file: string, words: readonly string[] = programWords()) {
  const command = (program: readonly string[], path: string) =>
    [...program, 'open', path].map(quoteForShell).join(' ')
  return words[0] === 'npx' || words[0] === 'mailing-sync-mock'
    ? { where: 'Look at it', command: command(words, file) }
    : {
        where: `Look at ${basename(file)} in a clone of mailing-sync-mock`,
        command: command(['npm', 'start', '--'], `/path/to/${basename(file)}`),
      }
}

const capsuleLines = ({ capsule }: SpaceResult): string[] => {
  if (capsule === undefined) return []
  if (isAddress(capsule)) return [`Capsule: ${capsule}`]
  const { where, command } = openingOf(capsule)
  return [`${where}: ${command}`]
}

const capsuleMarkdown = (capsule: string) => {
  if (isAddress(capsule)) return `[Its capsule](<${capsule}>), ${whileItRuns}`
  const { where, command } = openingOf(capsule)
  return `${forMarkdown(where)}: ${codeForMarkdown(command)}`
}

const folded = (title: string, lines: readonly string[]) => [
  '<details>',
  // Markdown is not read in it.
  `<summary>${forHtml(title).replaceAll('@', '&#64;')}</summary>`,
  '',
  ...lines,
  '',
  '</details>',
  '',
]

/** The report for the log of a job: the headline, and last what failed. */
export function runText(report: RunReport): string {
  const found = (['warning', 'failed'] as const).flatMap(status =>
    report.cases.filter(it => it.status === status),
  )
  return [
    runHeadline(report),
    ...runNotes(report),
    ...(found.length > mostShown ? [`Of ${countNoun(found.length, 'space')} the last ${mostShown}:`] : []),
    ...found
      .slice(-mostShown)
      .flatMap(it => [
        '',
        `${it.name}: ${it.reason ?? namesOf(it)}`,
        ...[...spaceLines(it), ...capsuleLines(it)].map(line => `  ${line}`),
      ]),
  ]
    .map(line => `${onOneLine(line)}\n`)
    .join('')
}

/** How many annotations of one kind GitHub shows of a step. */
const mostAnnotations = 10

/** The report as annotations of a GitHub job: a workflow command for each space that failed or has a warning, or for what else failed. */
export function runAnnotations(report: RunReport): string {
  const { cases, failed, isPassed } = report
  const others =
    failed === 0 && !isPassed ? [`::error title=mailing-sync-mock::${forCommand(runHeadline(report))}\n`] : []
  const lineOf = (kind: string, it: SpaceResult) =>
    `::${kind} title=${forCommand(`${it.name}: ${namesOf(it)}`, true)}::${forCommand([it.reason ?? '', ...spaceLines(it)].join('\n'))}\n`
  const kinds = [
    ['failed', 'error'],
    ['warning', 'warning'],
  ] as const
  const found = kinds.flatMap(([status, kind]) =>
    cases
      .filter(it => it.status === status)
      .slice(0, mostAnnotations)
      .map(it => lineOf(kind, it)),
  )
  return [...others, ...found].join('')
}

/** A text in a workflow command, where a line end or a colon would end it. */
function forCommand(text: string, isProperty = false): string {
  const data = forTerminal(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return isProperty ? data.replaceAll(':', '%3A').replaceAll(',', '%2C') : data
}
