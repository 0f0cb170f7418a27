import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type {
  Reporter,
  SerializedError,
  TestModule,
  TestRunEndReason,
  TestSpecification,
  Vitest,
} from 'vitest/node'
import { makeRegister, type PassedTest, type Register, registerPage } from '../scripts/make-fidelity-docs.ts'
import { type Clause, clauses, headings } from '../src/contract/clauses.ts'

/** What the reporter needs from its surroundings, so that it can be tried without them. */
export interface Surroundings {
  /** Where the project lies; test files are named relative to it. */
  readonly root: string
  readonly page: string
  readonly clauses: readonly Clause[]
  readonly headings: Readonly<Record<string, string>>
  /** Write the page instead of comparing it. */
  readonly write: boolean
  /**
   * Every test file of `npm test`, as absolute paths: a run that leaves one out is not a full one. Clauses are proved there;
   * what a title of a slow test cites is not looked at.
   */
  readonly testFiles: () => readonly string[]
  readonly say: (message: string) => void
  readonly fail: () => void
}

const root = resolve(import.meta.dirname, '..')

const reality: Surroundings = {
  root,
  page: join(root, 'docs', 'fidelity.md'),
  clauses,
  headings,
  write: process.env.FIDELITY === 'write',
  testFiles: () =>
    readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts'))
      .map(file => join(root, 'test', file)),
  say: message => process.stderr.write(`${message}\n`),
  fail: () => {
    process.exitCode = 1
  },
}

/** After a full run, holds the tests that passed against the clauses and docs/fidelity.md against both. */
export default class FidelityReporter implements Reporter {
  readonly #its: Surroundings
  #vitest: Vitest | undefined
  #specifications: readonly TestSpecification[] = []

  constructor(surroundings: Partial<Surroundings> = {}) {
    this.#its = { ...reality, ...surroundings }
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    if (reason !== 'passed' || errors.length > 0) {
      this.#its.say('Fidelity: not looked at, because the test run did not pass.')
    } else if (this.#isNarrowed(modules)) {
      if (this.#its.write) this.#refuse('Fidelity: not written, because only a part of the tests ran.')
    } else {
      this.#settle(makeRegister(this.#its.clauses, this.#passedTests(modules)))
    }
  }

  /** Whether files, a pattern, lines or tags chose among the tests: what they left out is not known to fail. */
  #isNarrowed(modules: readonly TestModule[]): boolean {
    const ran = new Set(modules.map(module => resolve(module.moduleId)))
    return (
      this.#its.testFiles().some(file => !ran.has(file)) ||
      Boolean(this.#vitest?.getGlobalTestNamePattern() || this.#vitest?.config.tagsFilter?.length) ||
      this.#specifications.some(
        it => it.testNamePattern || it.testIds?.length || it.testLines?.length || it.testTagsFilter?.length,
      )
    )
  }

  #passedTests(modules: readonly TestModule[]): PassedTest[] {
    return modules.flatMap(module => {
      const file = relative(this.#its.root, module.moduleId).replaceAll(sep, '/')
      return [...module.children.allTests()]
        .filter(test => test.result().state === 'passed')
        .map(test => ({ title: test.name, file }))
    })
  }

  #settle(found: Register): void {
    const { unproved, unknown } = found
    if (unproved.length > 0)
      this.#refuse(
        listing('Fidelity: no passed test cites these clauses at the start of its title:', unproved),
      )
    if (unknown.length > 0)
      this.#refuse(listing('Fidelity: titles cite what is no clause of the register:', unknown))

    const page = registerPage(found, this.#its.headings)
    if (this.#its.write) {
      mkdirSync(dirname(this.#its.page), { recursive: true })
      writeFileSync(this.#its.page, page)
    } else if (page !== readIfThere(this.#its.page)) {
      this.#refuse('Fidelity: docs/fidelity.md is missing or stale; write it with: npm run fidelity')
    }
  }

  #refuse(message: string): void {
    this.#its.say(message)
    this.#its.fail()
  }
}

function listing(sentence: string, ids: readonly string[]): string {
  return [sentence, ...ids.map(id => `  ${id}`)].join('\n')
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
