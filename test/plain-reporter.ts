import type { SerializedError } from 'vitest'
import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type Vitest,
} from 'vitest/node'

/** How a title says why its test is left out: see `titleOr` in test/not-run.ts. */
const hasReason = /\(not run: .+\)/

/** A run is as long as its last file: those to begin first, or to make shorter. */
const longestFiles = (modules: readonly TestModule[]) =>
  modules
    .map(it => ({ name: it.relativeModuleId, seconds: Math.round(it.diagnostic().duration / 1000) }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
    .map(({ name, seconds }) => `${String(seconds).padStart(4)} s  ${name}`)

/**
 * The default reporter, for people: in a pipe it says how many files begin and four times how far it is, and shows each failure
 * when it happens. At the end it lists the longest files, and names every test that was left out, with the reason. One that gives no reason fails the run.
 */
export default class PlainReporter extends DefaultReporter {
  #vitest: Vitest | undefined
  #files = 0
  #ended = 0

  override onInit(vitest: Vitest): void {
    super.onInit(vitest)
    this.#vitest = vitest
  }

  override onTestRunStart(specifications: Parameters<DefaultReporter['onTestRunStart']>[0]): void {
    super.onTestRunStart(specifications)
    this.#files = specifications.length
    this.#ended = 0
    if (!this.isTTY && this.#files > 20)
      this.log(` ${this.#files} test files begin; the first lines may take more than a minute`)
  }

  override onTestModuleEnd(module: TestModule): void {
    if (this.isTTY) super.onTestModuleEnd(module)
    else
      for (const { message } of module.errors())
        this.log(` FAILED ${module.relativeModuleId}\n    ${message}`)
    this.#ended++
    const quarter = (files: number) => Math.floor((4 * files) / this.#files)
    const isNext = quarter(this.#ended) > quarter(this.#ended - 1)
    if (!this.isTTY && this.#files > 20 && isNext) this.log(` ${this.#ended} of ${this.#files} test files`)
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason)
    if (!this.isTTY && this.#files > 20) this.#list('Longest files:', longestFiles(modules))
    // What a pattern of names leaves out is what was asked for.
    if (this.#vitest?.getGlobalTestNamePattern()) return
    const skipped = modules.flatMap(module =>
      [...module.children.allTests()]
        .filter(test => test.result().state === 'skipped')
        .map(test => {
          const result = test.result() as { readonly note?: string }
          const title = `${module.relativeModuleId}: ${test.fullName}`
          return result.note ? `${title} (not run: ${result.note})` : title
        }),
    )
    this.#list(
      'Not run:',
      skipped.filter(title => hasReason.test(title)),
    )
    const unexplained = skipped.filter(title => !hasReason.test(title))
    this.#list('Left out without a reason, which fails the run:', unexplained)
    if (unexplained.length > 0) process.exitCode = 1
  }

  /** In a pipe a failure is shown with its reason when it happens; all of it stands at the end. */
  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test)
    const { state, errors = [] } = test.result()
    if (this.isTTY || state !== 'failed') return
    const { relativeModuleId, moduleId } = test.module
    const { message = '', stacks = [] } = errors[0] ?? {}
    const place = stacks.find(({ file }) => file === moduleId) ?? stacks[0]
    const at = place ? [`at ${place.file}:${place.line}:${place.column}`] : []
    const reason = [...message.split('\n').slice(0, 6), ...at].map(line => `    ${line}`)
    this.log([` FAILED ${relativeModuleId}: ${test.fullName}`, ...reason].join('\n'))
  }

  #list(heading: string, titles: readonly string[]): void {
    if (titles.length > 0) this.log([heading, ...titles.map(title => `  ${title}`), ''].join('\n'))
  }
}
