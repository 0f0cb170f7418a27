import { type CaseResult, isProvedError, isUnproved } from '../judge/exam/exam-result.ts'
import { forTerminal, onOneLine } from '../judge/exam/report-text.ts'
import type { ExamProgress } from '../judge/exam/run-exam.ts'

interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const statusWords = { passed: 'passed', failed: 'failed', inconclusive: 'proved nothing:' } as const

/** Number of cases after which the user is told that all failed in the same way. */
const firstCases = 10

export interface ProgressLine extends ReturnType<typeof progressLine> {}

/**
 * The progress of an exam: one changing line on a terminal, a line for each case that counts against the client elsewhere.
 * @param isVerbose whether cases that passed have a line, too
 */
export function progressLine(screen: Screen, isVerbose = false) {
  const counts = { passed: 0, failed: 0, inconclusive: 0 }
  /** What was found in every case so far. */
  let common: CaseResult['findings'] | undefined
  return { show, draw, end, [Symbol.dispose]: end }

  function show({ done, all, running, ended }: ExamProgress): void {
    if (ended) counts[ended.status]++
    if (ended && !screen.isTTY && (isVerbose || ended.status === 'failed' || isUnproved(ended)))
      screen.write(
        `${done}/${all} ${statusWords[ended.status]} ${forTerminal(ended.name)} (${ended.realSeconds.toFixed(1)} s)\n`,
      )
    if (ended) noteCommon(ended, done, all)
    const { passed, failed, inconclusive } = counts
    const unproved = inconclusive > 0 ? `, ${inconclusive} proved nothing` : ''
    const now = running.length === 0 ? '' : `; now ${running.join(', ')}`
    draw(`${done}/${all}: ${passed} passed, ${failed} failed${unproved}${now}`)
  }

  function noteCommon({ findings }: CaseResult, done: number, all: number): void {
    const errors = findings.filter(isProvedError)
    common = (common ?? errors).filter(({ rule }) => errors.some(it => it.rule === rule))
    const [same] = common
    if (done !== firstCases || all === done || !same) return
    end()
    screen.write(
      `Each of the first ${done} cases failed with ${same.rule}: ${onOneLine(same.sentence)} Ctrl-C ends the exam and reports what was played.\n`,
    )
  }

  /** Clears the line before other output. */
  function end(): void {
    if (screen.isTTY) screen.write('\r\u001b[K')
  }

  /** Replaces the line by a text. Does nothing if the output is not a terminal. */
  function draw(text: string): void {
    if (!screen.isTTY) return
    const line = forTerminal(text)
    // Some terminals report a width of 0.
    const most = Math.max(20, (screen.columns || 80) - 1)
    const cut = line.length > most ? `${line.slice(0, most - 1)}…` : line
    screen.write(`\r\u001b[K${cut}`)
  }
}
