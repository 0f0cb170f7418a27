import { onOneLine } from '../../judge/exam/reports/escaped.ts'
import { type ClauseResult, choices, failures, type VerifyResult } from '../result.ts'
import { countsLine, evidenceLine, verdictLine } from './sentences.ts'

/** For a comment on a pull request: what differs first, the rest folded. */
export function markdownReport(result: VerifyResult): string {
  const differing = failures(result)
  const chosen = choices(result)
  const others = result.clauses.filter(it => !['holds', 'differs', 'otherwise'].includes(it.status))
  return [
    `## ${{ faithful: '✅', differs: '❌', incomplete: '⚠️' }[result.verdict]} ${safe(verdictLine(result))}`,
    '',
    safe(
      `${countsLine(result)}. ${result.requests} requests${result.allowWrites ? ', with writes' : ', read-only'}.`,
    ),
    '',
    ...differing.flatMap(difference),
    ...(chosen.length === 0
      ? []
      : [
          '### Chosen otherwise',
          '',
          'Where the document is silent; no failure.',
          '',
          '| Clause | Standing | Here the target does | Set |',
          '|---|---|---|---|',
          ...chosen.map(
            it => `| ${safe(it.clause)} | ${it.standing} | ${safe(it.seen ?? '')} | ${setting(it)} |`,
          ),
          '',
        ]),
    ...folded(`Not looked at (${others.length})`, [
      '| Clause | Status | Why |',
      '|---|---|---|',
      ...others.map(it => `| ${safe(it.clause)} | ${it.status} | ${safe(it.reason ?? '')} |`),
    ]),
    ...(result.created.length === 0
      ? []
      : folded(
          `Left behind on the target (${result.created.length})`,
          result.created.map(it => `- ${safe(it)}`),
        )),
  ].join('\n')
}

function difference(it: ClauseResult): string[] {
  return [
    `### ${safe(it.clause)}: ${safe(it.says)}`,
    '',
    `- Standing: ${it.standing}`,
    `- Expected: ${safe(it.expected ?? '')}`,
    `- Seen: ${safe(it.seen ?? '')}`,
    ...it.evidence.map(one => `- ${safe(evidenceLine(one))}`),
    '',
  ]
}

const setting = ({ turn }: ClauseResult) =>
  turn === null
    ? 'no dial does the same'
    : turn.isDial
      ? `\`${turn.name}=${turn.value}\``
      : `\`--${turn.name} ${safe(String(turn.value))}\``

const folded = (title: string, lines: readonly string[]) => [
  '<details>',
  `<summary>${title}</summary>`,
  '',
  ...lines,
  '',
  '</details>',
  '',
]

/** What a target says stays text: no markup, no mention, no end of a cell. */
const safe = (text: string): string =>
  onOneLine(text)
    .replaceAll(/[\\`*_[\]|#~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
