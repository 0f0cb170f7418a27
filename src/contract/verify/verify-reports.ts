import {
  colourer,
  forMarkdown,
  forTerminal,
  junitXml,
  onOneLine,
  xmlElement,
} from '../../judge/exam/report-text.ts'
import { getOrMake } from '../../store/maps.ts'
import {
  type ClauseResult,
  choices,
  failures,
  knownDifferences,
  type Status,
  type VerifyResult,
  wasChecked,
} from './verify-result.ts'

/** The verdict in one sentence. A run that ended early is always called incomplete. */
function verdictLine(result: VerifyResult): string {
  const { verdict, incomplete, counts, target } = result
  const differing = failures(result).length
  switch (verdict) {
    case 'incomplete':
      return [
        `INCOMPLETE: ${incomplete}.`,
        counts['not run'] > 0 &&
          `${pluralize(counts['not run'], 'clause was', 'clauses were')} not looked at.`,
        differing > 0 && `${pluralize(differing, 'difference was', 'differences were')} found before.`,
      ]
        .filter(Boolean)
        .join(' ')
    case 'differs':
      if (differing === 0)
        return `NOT PASSED: ${result.known?.file} accepts differences that there are no longer.`
      return `NOT FAITHFUL: ${target.url} differs from the document in ${pluralize(differing, 'clause', 'clauses')}.`
    case 'faithful':
      return `FAITHFUL: ${counts.holds === 1 ? 'the clause' : `all ${counts.holds} clauses`} that ${result.filter.length > 0 ? `${counts.holds === 1 ? 'was' : 'were'} chosen and ` : ''}can be checked${result.allowWrites ? '' : ' read-only'} ${counts.holds === 1 ? 'holds' : 'hold'} for ${target.url}${knownDifferences(result).length > 0 ? ', except as is known' : ''}.`
  }
}

const statusWords: Record<Status, string> = {
  holds: 'hold',
  differs: 'differ',
  otherwise: 'chosen otherwise',
  'not testable': 'not testable here',
  outside: 'outside',
  skipped: 'skipped',
  'not run': 'not run',
}

/** Such as `280 hold, 3 differ and 1 that follows from them, 30 outside`. */
export function countsLine(result: VerifyResult): string {
  const { counts } = result
  const differing = failures(result).length
  const known = knownDifferences(result).length
  const following = counts.differs - differing - known
  const rest = following === 0 ? '' : ` and ${pluralize(following, 'that follows', 'that follow')} from them`
  return (Object.keys(statusWords) as Status[])
    .filter(status => counts[status] > 0 || status === 'holds')
    .map(it =>
      it === 'differs'
        ? `${differing} differ${known > 0 ? `, ${known} known to differ` : ''}${rest}`
        : `${counts[it]} ${statusWords[it]}`,
    )
    .join(', ')
}

/** What to set to follow a choice of the target, if that is possible. */
export function advice({ turn, seen }: ClauseResult): string {
  if (turn === null) return `the target: ${seen}; no dial of the mock does the same`
  const { name, value, isDial } = turn
  const what = isDial ? `dial ${name}=${value}` : `--${name} ${value}`
  return `the target: ${seen}; to do the same, set ${what}`
}

const evidenceLine = ({ number, method, url, status }: ClauseResult['evidence'][number]): string =>
  `request ${number}: ${method} ${url} -> ${status}`

const pluralize = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export interface TerminalStyle {
  readonly colours: boolean
  /** Maximum columns of a line. */
  readonly width: number
  /** Whether each clause that is outside is named with its reason. */
  readonly verbose?: boolean
}

const minWidth = 40

/** The report for a terminal: the result, differences in full, choices with what to set, what was not checked and why. */
export function terminalReport(result: VerifyResult, style: TerminalStyle): string {
  const coloured = colourer(style.colours)
  const width = Math.max(minWidth, style.width)
  const lines = (text: string, indent: string) => wrapText(onOneLine(text), width, indent)
  const differing = failures(result)
  const chosen = choices(result)
  const colour = ({ faithful: 'green', differs: 'red', incomplete: 'yellow' } as const)[result.verdict]
  return [
    ...lines(forTerminal(verdictLine(result)), '').map(line => coloured(line, colour)),
    ...lines(countsLine(result).replace('outside', style.verbose ? '$&' : '$& (--verbose names them)'), ''),
    '',
    ...differing.flatMap(it => [
      ...lines(`DIFFERS ${it.clause}: ${it.says} (${it.standing})`, '    ').map((line, at) =>
        at === 0 ? line.replace('DIFFERS', coloured('DIFFERS', 'red')) : line,
      ),
      ...lines(`  expected: ${it.expected}`, '    '),
      ...lines(`  seen:     ${it.seen}`, '    '),
      ...it.evidence.flatMap(one => lines(`  ${evidenceLine(one)}`, '    ')),
      ...alsoAffected(result, it.clause, 'so that these do not hold either:', lines),
      '',
    ]),
    ...knownSections(result).flatMap(({ title, items }) =>
      reportSection(lines, `${title}:`, items, it => lines(`  ${it}`, '    ')),
    ),
    ...reportSection(
      lines,
      'Chosen otherwise, where the document leaves a choice (no failure):',
      chosen,
      it => [
        ...lines(`  ${it.clause} (${it.standing}): ${advice(it)}`, '      '),
        ...alsoAffected(result, it.clause, 'so that these differ too:', lines),
      ],
    ),
    ...reasonSection(result, 'not testable', 'Not testable on this target:', lines),
    ...reasonSection(result, 'skipped', 'Skipped:', lines),
    ...(style.verbose
      ? reasonSection(result, 'outside', 'Outside, where no request can show it:', lines)
      : []),
    ...reportSection(lines, 'Left behind on the target:', createdLines(result), line =>
      lines(`  ${line}`, '    '),
    ),
  ].join('\n')
}

/** What became of the entries of a known-file: titles, and a line for each. */
function knownSections(result: VerifyResult) {
  const { file = '', stale = [], expired = [] } = result.known ?? {}
  return [
    {
      title: `Known, so it does not fail (${file})`,
      items: knownDifferences(result).map(({ clause, seen, known }) => `${clause}: ${known} (seen: ${seen})`),
    },
    {
      title: 'Holds again, so it must be removed',
      items: stale.map(({ line, clause }) => `${file}:${line}: ${clause}`),
    },
    {
      title: 'Expired, so it counts no more',
      items: expired.map(({ line, clause, expires }) => `${file}:${line}: ${clause}, on ${expires}`),
    },
  ].filter(({ items }) => items.length > 0)
}

type WrapLines = (text: string, indent: string) => string[]

function reportSection<It>(
  lines: WrapLines,
  title: string,
  all: readonly It[],
  line: (it: It) => string[],
): string[] {
  return all.length === 0 ? [] : [...lines(title, '  '), ...all.flatMap(line), '']
}

function alsoAffected({ clauses }: VerifyResult, id: string, words: string, lines: WrapLines): string[] {
  const same = clauses.filter(it => it.see === id).map(it => it.clause)
  return same.length === 0 ? [] : lines(`  ${words} ${same.join(', ')}`, '    ')
}

/** What is inside a named synchronization is only counted. */
function createdLines({ created }: VerifyResult): string[] {
  const isInside = (line: string) => /^(?:sending|mailing-upload) /.test(line)
  const inside = created.filter(isInside).length
  return [
    ...created.filter(line => !isInside(line)),
    ...(inside > 0
      ? [`${inside} sendings and mailing-uploads in them, which --json and --markdown list`]
      : []),
  ]
}

function reasonSection({ clauses }: VerifyResult, status: Status, title: string, lines: WrapLines): string[] {
  const reasons = new Map<string, string[]>()
  for (const it of clauses.filter(one => one.status === status))
    getOrMake(reasons, it.reason ?? '', () => []).push(it.clause)
  return reportSection(lines, title, [...reasons], ([reason, ids]) => {
    const named = ids.length > 8 ? `${ids.length} clauses` : ids.join(', ')
    return lines(`  ${named}: ${reason}`, '    ')
  })
}

/** Breaks a text at blanks so that no line is wider, unless one word is. */
function wrapText(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S) /)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= width || line === '') line = longer
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line]
}

/** The report for a comment on a pull request: differences first, the rest folded. */
export function markdownReport(result: VerifyResult): string {
  const differing = failures(result)
  const chosen = choices(result)
  const others = result.clauses.filter(it => !wasChecked(it))
  return [
    `## ${{ faithful: '✅', differs: '❌', incomplete: '⚠️' }[result.verdict]} ${forMarkdown(verdictLine(result))}`,
    '',
    forMarkdown(
      `${countsLine(result)}. ${result.requests} requests${result.allowWrites ? ', with writes' : ', read-only'}.`,
    ),
    '',
    ...differing.flatMap(differenceLines),
    ...knownSections(result).flatMap(({ title, items }) => [
      `### ${forMarkdown(title)}`,
      '',
      ...items.map(it => `- ${forMarkdown(it)}`),
      '',
    ]),
    ...(chosen.length === 0
      ? []
      : [
          '### Chosen otherwise',
          '',
          'Where the document leaves a choice; no failure.',
          '',
          '| Clause | Standing | Here the target does | Set |',
          '|---|---|---|---|',
          ...chosen.map(it => `${tableRow(it.clause, it.standing, it.seen ?? '')} ${settingText(it)} |`),
          '',
        ]),
    ...foldedSection(`Not looked at (${others.length})`, [
      '| Clause | Status | Why |',
      '|---|---|---|',
      ...others.map(it => tableRow(it.clause, it.status, it.reason ?? '')),
    ]),
    ...(result.created.length === 0
      ? []
      : foldedSection(
          `Left behind on the target (${result.created.length})`,
          result.created.map(it => `- ${forMarkdown(it)}`),
        )),
  ].join('\n')
}

const tableRow = (...cells: readonly string[]): string => `| ${cells.map(forMarkdown).join(' | ')} |`

const differenceLines = (it: ClauseResult): string[] => [
  `### ${forMarkdown(it.clause)}: ${forMarkdown(it.says)}`,
  '',
  `- Standing: ${it.standing}`,
  `- Expected: ${forMarkdown(it.expected ?? '')}`,
  `- Seen: ${forMarkdown(it.seen ?? '')}`,
  ...it.evidence.map(one => `- ${forMarkdown(evidenceLine(one))}`),
  '',
]

function settingText({ turn }: ClauseResult): string {
  if (turn === null) return 'no dial does the same'
  const { name, value, isDial } = turn
  return isDial ? `\`${name}=${value}\`` : `\`--${name} ${forMarkdown(String(value))}\``
}

const foldedSection = (title: string, lines: readonly string[]) => [
  '<details>',
  `<summary>${title}</summary>`,
  '',
  ...lines,
  '',
  '</details>',
  '',
]

/**
 * The report as JUnit XML: one test case for each clause. A run that ended early has an error of its own, so
 * that it is not taken for complete.
 */
export function junitReport(result: VerifyResult): string {
  const { clauses, incomplete, target, allowWrites, seed, known } = result
  const stale = known?.stale ?? []
  const errors = incomplete === null ? [] : [xmlElement('error', { type: 'incomplete', message: incomplete })]
  return junitXml(
    {
      name: 'mailing-sync-mock verify',
      tests: clauses.length + errors.length + stale.length,
      failures: clauses.filter(it => it.status === 'differs' && it.known === undefined).length + stale.length,
      errors: errors.length,
      skipped: clauses.filter(it => !wasChecked(it) || it.known !== undefined).length,
    },
    {},
    {
      target: target.url,
      complete: String(incomplete === null),
      verdict: verdictLine(result),
      allowWrites: String(allowWrites),
      seed,
    },
    [
      ...errors.map(error => ({ attributes: { classname: 'verify', name: 'complete' }, inside: [error] })),
      ...clauses.map(it => ({
        attributes: { classname: `verify.${it.clause.split(/[ /]/)[0]}`, name: `${it.clause}: ${it.says}` },
        inside: resultElements(it),
      })),
      ...stale.map(({ line, clause }) => ({
        attributes: { classname: 'verify', name: `${known!.file}:${line}: ${clause}` },
        inside: [xmlElement('failure', { type: 'stale', message: 'it holds again, so it must be removed' })],
      })),
    ],
  )
}

function resultElements(it: ClauseResult): string[] {
  switch (it.status) {
    case 'holds':
      return []
    case 'otherwise':
      return [xmlElement('system-out', {}, it.see === null ? advice(it) : `see ${it.see}`)]
    case 'differs': {
      if (it.known !== undefined) return [xmlElement('skipped', { message: `known: ${it.known}` })]
      const message = it.see === null ? `expected ${it.expected}; seen ${it.seen}` : `see ${it.see}`
      const text = [it.says, ...it.evidence.flatMap(one => [evidenceLine(one), one.body])].join('\n')
      return [xmlElement('failure', { type: it.standing, message }, text)]
    }
    default:
      return [xmlElement('skipped', { message: `${it.status}: ${it.reason}` })]
  }
}
