import { ProgressLine, type Screen } from '../judge/exam/progress.ts'
import { forTerminal } from '../judge/exam/reports/escaped.ts'
import type { CrawlProgress } from '../pull/crawl.ts'

/** Elsewhere than on a terminal a line is shown each time so many more answers are there. */
const answersPerLine = 100

/** How a pull goes on: one line that changes on a terminal, a line now and then where control sequences are unwelcome. */
export class PullProgress {
  readonly #screen: Screen
  readonly #line: ProgressLine | undefined
  #told = ''
  #toldAt = 0

  /** @param isPlain whether to do without control sequences */
  constructor(screen: Screen, isPlain: boolean) {
    this.#screen = screen
    this.#line = screen.isTTY && !isPlain ? new ProgressLine(screen) : undefined
  }

  show({ now, done, all, answered }: CrawlProgress): void {
    const count = all === undefined ? `${done}` : `${done}/${all}`
    const text = `${now}: ${count}; ${answered} answers`
    if (this.#line) this.#line.draw(text)
    else if (done === all || answered - this.#toldAt >= answersPerLine) {
      this.#toldAt = answered
      this.#write(text)
    }
  }

  /** A pause, so that nobody takes it for a hang. */
  wait(seconds: number, why: string): void {
    const text = `waiting ${Math.ceil(seconds)} s: ${why}`
    if (this.#line) this.#line.draw(text)
    else this.#write(text)
  }

  /** Takes the line away, for what comes behind it. */
  end(): void {
    this.#line?.end()
  }

  #write(text: string): void {
    if (text !== this.#told) this.#screen.write(`${forTerminal(text)}\n`)
    this.#told = text
  }
}
