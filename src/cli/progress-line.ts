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

/** The progress of an exam: one changing line on a terminal, a line for each case that counts against the client elsewhere. */
export class ProgressLine {
  readonly #screen: Screen
  readonly #isVerbose: boolean
  readonly #counts = { passed: 0, failed: 0, inconclusive: 0 }
  /** What was found in every case so far. */
  #common: CaseResult['findings'] | undefined

  /** @param isVerbose whether cases that passed have a line, too */
  constructor(screen: Screen, isVerbose = false) {
    this.#screen = screen
    this.#isVerbose = isVerbose
  }

  show({ done, all, running, ended }: ExamProgress): void {
    if (ended) this.#counts[ended.status]++
    if (ended && !this.#screen.isTTY && (this.#isVerbose || ended.status === 'failed' || isUnproved(ended)))
      this.#screen.write(
        `${done}/${all} ${statusWords[ended.status]} ${forTerminal(ended.name)} (${ended.realSeconds.toFixed(1)} s)\n`,
      )
    if (ended) this.#noteCommon(ended, done, all)
    const { passed, failed, inconclusive } = this.#counts
    const unproved = inconclusive > 0 ? `, ${inconclusive} proved nothing` : ''
    const now = running.length === 0 ? '' : `; now ${running.join(', ')}`
    this.draw(`${done}/${all}: ${passed} passed, ${failed} failed${unproved}${now}`)
  }

  #noteCommon({ findings }: CaseResult, done: number, all: number): void {
    const errors = findings.filter(isProvedError)
    this.#common = (this.#common ?? errors).filter(({ rule }) => errors.some(it => it.rule === rule))
    const [same] = this.#common
    if (done !== firstCases || all === done || !same) return
    this.end()
    this.#screen.write(
      `Each of the first ${done} cases failed with ${same.rule}: ${onOneLine(same.sentence)} Ctrl-C ends the exam and reports what was played.\n`,
    )
  }

  /** Clears the line before other output. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\u001b[K')
  }

  /** Replaces the line by a text. Does nothing if the output is not a terminal. */
  draw(text: string): void {
    if (!this.#screen.isTTY) return
    const line = forTerminal(text)
    // Some terminals report a width of 0.
    const most = Math.max(20, (this.#screen.columns || 80) - 1)
    const cut = line.length > most ? `${line.slice(0, most - 1)}…` : line
    this.#screen.write(`\r\u001b[K${cut}`)
  }
}
