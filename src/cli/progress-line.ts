import { isUnproved } from '../judge/exam/exam-result.ts'
import { forTerminal } from '../judge/exam/report-text.ts'
import type { ExamProgress } from '../judge/exam/run-exam.ts'
import { countNoun, durationWords } from '../rig/words.ts'

interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const statusWords = {
  passed: 'passed',
  // What counts in the end is decided then: a case may prove nothing, or be known.
  failed: 'not passed:',
  inconclusive: 'proved nothing:',
  known: 'known',
} as const

const orderWords = ({ plan, runs, failed }: NonNullable<ExamProgress['endedPlan']>) =>
  failed === 0
    ? `${statusWords.passed} ${plan} (${countNoun(runs, 'order')})`
    : `${statusWords.failed} ${plan} (${failed} of ${countNoun(runs, 'order')})`

export interface ProgressLine extends ReturnType<typeof progressLine> {}

/**
 * The progress of an exam: one changing line on a terminal, a line for each case that counts against the client elsewhere.
 * Plans of two workers have a line as cases have, and half a minute in which none ended has one.
 * @param isVerbose whether cases that passed have a line, too
 */
export function progressLine(screen: Screen, isVerbose = false) {
  let current: number | undefined
  let began = 0
  return { show, draw, end, [Symbol.dispose]: end }

  function show(progress: ExamProgress): void {
    const { depth, done, all, failed, running, ended, late, advice } = progress
    if (depth !== undefined) showPlans(progress)
    else {
      if (ended && !screen.isTTY && (isVerbose || ended.status === 'failed' || isUnproved(ended)))
        screen.write(
          `${done}/${all} ${statusWords[ended.status]} ${forTerminal(ended.name)} (${ended.realSeconds.toFixed(1)} s)\n`,
        )
      const now = running.length === 0 ? '' : `; now ${running.join(', ')}`
      draw(`${done}/${all}: ${failed} not passed${now}`)
    }
    if (late) print(`${late.name} has been played for 30 s; it is ended after ${durationWords(late.limit)}.`)
    if (advice)
      print(`${advice}. Ctrl-C ends the exam and reports what was played; --bail does that by itself.`)
  }

  function showPlans({ depth, done, all, failed, running, endedPlan, isLifeSign }: ExamProgress): void {
    if (depth !== current) {
      current = depth
      began = process.uptime()
    }
    const elapsed = process.uptime() - began
    const text = `depth ${depth}: ${done}/${all} plans, ${failed} not passed`
    const now = running.length === 0 ? '' : `; now ${running.join(', ')}`
    const left = done === 0 ? '' : `, about ${Math.ceil((elapsed / done) * (all - done))} s left`
    draw(text + left + now)
    if (screen.isTTY) return
    if (endedPlan && (isVerbose || endedPlan.failed > 0))
      screen.write(`${done}/${all} ${orderWords(endedPlan)}\n`)
    if (isLifeSign) screen.write(`${text}, after ${Math.round(elapsed)} s${now}\n`)
    if (done === all) screen.write(`${text}\n`)
  }

  function print(sentence: string): void {
    end()
    screen.write(`${forTerminal(sentence)}\n`)
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
