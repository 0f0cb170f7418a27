import { forTerminal, onOneLine } from '../../judge/exam/reports/escaped.ts'
import { type ClauseResult, choices, failures, type Status, type VerifyResult } from '../result.ts'
import { advice, countsLine, evidenceLine, verdictLine } from './sentences.ts'

export interface TerminalStyle {
  readonly colours: boolean
  /** Columns; lines are broken before them. */
  readonly width: number
}

const red = 31
const green = 32
const yellow = 33
const narrowest = 40

/** What a person reads at the end: differences in full, choices with what to set, then what was not looked at and why. */
export function terminalReport(result: VerifyResult, style: TerminalStyle): string {
  const coloured = (text: string, colour: number) =>
    style.colours ? `\u001b[${colour}m${text}\u001b[0m` : text
  const width = Math.max(narrowest, style.width)
  const lines = (text: string, indent: string) => wrapped(onOneLine(text), width, indent)
  const differing = failures(result)
  const chosen = choices(result)
  const colour = { faithful: green, differs: red, incomplete: yellow }[result.verdict]
  return [
    ...differing.flatMap(it => [
      ...lines(`DIFFERS ${it.clause}: ${it.says} (${it.standing})`, '    ').map((line, at) =>
        at === 0 ? line.replace('DIFFERS', coloured('DIFFERS', red)) : line,
      ),
      ...lines(`  expected: ${it.expected}`, '    '),
      ...lines(`  seen:     ${it.seen}`, '    '),
      ...it.evidence.flatMap(one => lines(`  ${evidenceLine(one)}`, '    ')),
      ...alsoIn(result, it.clause, lines),
      '',
    ]),
    ...section(lines, 'Chosen otherwise, where the document is silent (no failure):', chosen, it =>
      lines(`  ${it.clause} (${it.standing}): ${advice(it)}`, '      '),
    ),
    ...whyNot(result, 'not testable', 'Not testable on this target:', lines),
    ...whyNot(result, 'skipped', 'Skipped:', lines),
    ...whyNot(result, 'outside', 'Out of sight for whoever asks from outside:', lines),
    ...section(lines, 'Left behind on the target:', leftBehind(result), line => lines(`  ${line}`, '    ')),
    ...wrapped(onOneLine(countsLine(result)), width, '').concat(
      wrapped(forTerminal(onOneLine(verdictLine(result))), width, '').map(line => coloured(line, colour)),
    ),
    '',
  ].join('\n')
}

type Lines = (text: string, indent: string) => string[]

function section<It>(lines: Lines, title: string, all: readonly It[], line: (it: It) => string[]): string[] {
  return all.length === 0 ? [] : [...lines(title, '  '), ...all.flatMap(line), '']
}

function alsoIn({ clauses }: VerifyResult, id: string, lines: Lines): string[] {
  const same = clauses.filter(it => it.see === id).map(it => it.clause)
  return same.length === 0 ? [] : lines(`  so that these do not hold either: ${same.join(', ')}`, '    ')
}

/** What stands inside a synchronization that is named is counted. */
function leftBehind({ created }: VerifyResult): string[] {
  const isInside = (line: string) => /^(?:sending|mailing-upload) /.test(line)
  const inside = created.filter(isInside).length
  return [
    ...created.filter(line => !isInside(line)),
    ...(inside > 0
      ? [`${inside} sendings and mailing-uploads in them, which --json and --markdown list`]
      : []),
  ]
}

/** Clauses of a status by the reason that they have in common. */
function whyNot({ clauses }: VerifyResult, status: Status, title: string, lines: Lines): string[] {
  const reasons = new Map<string, string[]>()
  for (const it of clauses.filter((one: ClauseResult) => one.status === status)) {
    const reason = it.reason ?? ''
    reasons.set(reason, [...(reasons.get(reason) ?? []), it.clause])
  }
  return section(lines, title, [...reasons], ([reason, ids]) => {
    const named = ids.length > 8 ? `${ids.length} clauses` : ids.join(', ')
    return lines(`  ${named}: ${reason}`, '    ')
  })
}

/** Broken at blanks so that no line is wider, unless one word is. */
function wrapped(text: string, width: number, indent: string): string[] {
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
