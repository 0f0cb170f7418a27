import { forTerminal } from './reports/escaped.ts'
import type { Progress } from './run-exam.ts'

/** Where progress is shown. */
export interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const words = { passed: 'passed', failed: 'failed', inconclusive: 'proved nothing:' } as const

/** How an exam goes on: one line that changes on a terminal, a line for each case elsewhere. */
export class ProgressLine {
  readonly #screen: Screen
  readonly #counts = { passed: 0, failed: 0, inconclusive: 0 }

  constructor(screen: Screen) {
    this.#screen = screen
  }

  show({ done, all, running, ended }: Progress): void {
    if (ended) this.#counts[ended.status]++
    if (this.#screen.isTTY) this.#redraw(done, all, running)
    else if (ended)
      this.#screen.write(
        `${done}/${all} ${words[ended.status]} ${forTerminal(ended.name)} (${ended.realSeconds.toFixed(1)} s)\n`,
      )
  }

  /** Takes the line away, for what comes behind it. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\u001b[K')
  }

  #redraw(done: number, all: number, running: readonly string[]): void {
    const { passed, failed, inconclusive } = this.#counts
    const counts = [
      `${passed} passed`,
      `${failed} failed`,
      ...(inconclusive > 0 ? [`${inconclusive} proved nothing`] : []),
    ]
    const now = running.length === 0 ? '' : `; now ${running.join(', ')}`
    this.draw(`${done}/${all}: ${counts.join(', ')}${now}`)
  }

  /** Puts a text in the line's place; elsewhere than on a terminal nothing changes, and nothing is shown. */
  draw(text: string): void {
    if (!this.#screen.isTTY) return
    const line = forTerminal(text)
    // Some terminals report a width of 0.
    const most = Math.max(20, (this.#screen.columns || 80) - 1)
    const cut = line.length > most ? `${line.slice(0, most - 1)}…` : line
    this.#screen.write(`\r\u001b[K${cut}`)
  }
}
