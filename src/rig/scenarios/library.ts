import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FSWatcher } from 'chokidar'
import { nearest } from '../../store/nearest.ts'
import { lossNames, lossScenario } from './loss-matrix.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioError } from './scenario-error.ts'
import { extension, filesIn, isScenario, nameOf, reasonOf, textOf } from './scenario-files.ts'

/** The catalogue that comes with the package. */
export const packagedScenarios = fileURLToPath(new URL('../../../scenarios', import.meta.url))

/** A name that no scenario has. The message tells the nearest one, then all that there are. */
export class UnknownScenario extends Error {
  override readonly name = 'UnknownScenario'
  /** The same with a few names, for whoever can make the control call that lists them. */
  readonly brief: string

  constructor(given: string, near: string | undefined, names: readonly string[]) {
    const shown = given.length > 80 ? `${given.slice(0, 77)}...` : given
    const meant = near === undefined ? '' : ` did you mean "${near}"?`
    const matrix = 'the loss matrix, such as loss-after-reset-1'
    const more = names.length > mostInBrief ? `${names.length - mostInBrief} more, and ` : ''
    super(
      `there is no scenario "${shown}";${meant} ${near === undefined ? 'there' : 'There'} are ${names.join(', ')}, and ${matrix}`,
    )
    this.brief = `there is no scenario "${shown}";${meant} GET /_mock/scenarios lists them: ${names.slice(0, mostInBrief).join(', ')}, ${more}${matrix}`
  }
}

const mostInBrief = 10

export interface LibraryOptions {
  /** A folder with scenarios of the user's own, which go before packaged ones of the same name. */
  readonly folder?: string | undefined
  readonly packaged?: string
}

const nameForm = /^[a-z0-9-]{1,80}$/
/** Milliseconds without a change until a file counts as written. */
const settled = 50

/**
 * The scenarios there are: the user's, the packaged ones and the loss matrix. A user's folder is read and checked as a
 * whole at the start; a packaged file only when it is asked for, since reading all of them would make every start
 * slower, and the tests prove them.
 */
export class ScenarioLibrary {
  readonly #packaged: string
  readonly #folder: string | undefined
  readonly #packagedFiles = new Map<string, string>()
  /** Of the user's folder; they go first. */
  readonly #ownFiles = new Map<string, string>()
  readonly #read = new Map<string, Scenario>()
  readonly #reading = new Map<string, Promise<Scenario>>()
  readonly #problems = new Map<string, readonly string[]>()
  #watcher: FSWatcher | undefined

  private constructor(packaged: string, folder: string | undefined) {
    this.#packaged = packaged
    this.#folder = folder
  }

  /** @throws ScenarioError with every problem of the user's folder */
  static async open({
    folder: given,
    packaged = packagedScenarios,
  }: LibraryOptions = {}): Promise<ScenarioLibrary> {
    const folder = given === undefined ? undefined : resolve(given)
    const library = new ScenarioLibrary(packaged, folder)
    const problems: string[] = []
    for (const file of await filesIn(packaged)) problems.push(...library.#add(file))
    for (const file of folder === undefined ? [] : await filesIn(folder)) {
      const misnamed = library.#add(file)
      problems.push(...(misnamed.length > 0 ? misnamed : await library.#again(file)))
    }
    if (problems.length > 0) throw new ScenarioError(problems)
    return library
  }

  /** Names of the user's and the packaged scenarios, sorted. The loss matrix has names of its own: `lossNames`. */
  names(): string[] {
    return [...new Set([...this.#packagedFiles.keys(), ...this.#ownFiles.keys()])].sort()
  }

  has(name: string): boolean {
    return this.#fileOf(name) !== undefined || lossScenario(name) !== undefined
  }

  /** A scenario that was read before, at once. Undefined for one that was not, or that there is not. */
  loaded(name: string): Scenario | undefined {
    return this.#read.get(name)
  }

  /** @throws UnknownScenario, or ScenarioError when its file is broken and never was good */
  async get(name: string): Promise<Scenario> {
    const known = this.#read.get(name)
    if (known) return known
    const file = this.#fileOf(name)
    if (file === undefined) return this.#generated(name)
    const reading = this.#reading.get(name) ?? this.#readFile(name, file)
    this.#reading.set(name, reading)
    return reading.finally(() => this.#reading.delete(name))
  }

  /** The user's and the packaged scenarios, sorted by name. @throws ScenarioError */
  all(): Promise<Scenario[]> {
    return Promise.all(this.names().map(name => this.get(name)))
  }

  /** What is wrong with files as they are now, in sentences; a file that was good before is still played as it was. */
  problems(): string[] {
    return [...this.#problems.values()].flat()
  }

  /**
   * Reads files again as they are edited. A broken edit keeps the last good scenario.
   * @param report hears of a broken edit, and of one that is good again
   * @param removed hears of a file that is no more
   */
  async watch(
    report: (sentences: readonly string[], file: string) => void,
    removed: (file: string) => void = () => {},
  ): Promise<void> {
    const { watch } = await import('chokidar')
    const isOther = (path: string, stats?: { isFile(): boolean }) =>
      stats?.isFile() === true && !isScenario(path)
    this.#watcher = watch(this.#folder === undefined ? [this.#packaged] : [this.#packaged, this.#folder], {
      depth: 0,
      ignoreInitial: true,
      ignored: isOther,
      awaitWriteFinish: { stabilityThreshold: settled, pollInterval: settled / 5 },
    })
    const seen = (file: string) => void this.#changed(file).then(problems => report(problems, file))
    this.#watcher
      .on('add', seen)
      .on('change', seen)
      .on('unlink', file => {
        this.#gone(file)
        removed(file)
      })
    await new Promise<void>(ready => this.#watcher?.once('ready', ready))
  }

  async close(): Promise<void> {
    await this.#watcher?.close()
    this.#watcher = undefined
  }

  #fileOf(name: string): string | undefined {
    return this.#ownFiles.get(name) ?? this.#packagedFiles.get(name)
  }

  /** @returns what is wrong with the file's name */
  #add(file: string): readonly string[] {
    if (!file.endsWith(extension)) {
      const renamed = basename(file).replace(/\.\w+$/, extension)
      return [`${file}: the file of a scenario ends in ${extension}; rename it to ${renamed}`]
    }
    const name = nameOf(file)
    if (!nameForm.test(name))
      return [
        `${file}: expected a name of lower-case letters, digits and hyphens, at most 80, before ${extension}`,
      ]
    if (lossScenario(name))
      return [
        `${file}: "${name}" is a scenario of the loss matrix and cannot be replaced; choose another name`,
      ]
    this.#siblings(file).set(name, file)
    return []
  }

  /** The files of the folder that this one is in. */
  #siblings(file: string): Map<string, string> {
    return this.#folder !== undefined && dirname(file) === this.#folder ? this.#ownFiles : this.#packagedFiles
  }

  async #readFile(name: string, file: string): Promise<Scenario> {
    // Reading needs the YAML parser and the schema; a mock that plays no scenario does without.
    const [{ readScenario }, text] = await Promise.all([import('./read.ts'), textOf(file)])
    const scenario = readScenario(text, name, file)
    this.#read.set(name, scenario)
    return scenario
  }

  async #generated(name: string): Promise<Scenario> {
    const value = lossScenario(name)
    if (!value) {
      const names = this.names()
      throw new UnknownScenario(name, nearest(name, [...names, ...lossNames]), names)
    }
    const { scenarioFrom } = await import('./read.ts')
    const scenario = scenarioFrom(value, name, 'the loss matrix')
    this.#read.set(name, scenario)
    return scenario
  }

  async #changed(file: string): Promise<readonly string[]> {
    const misnamed = this.#add(file)
    // A packaged file that one of the user's stands before is not in force.
    if (misnamed.length === 0 && this.#fileOf(nameOf(file)) !== file) return []
    const problems = misnamed.length > 0 ? misnamed : await this.#again(file)
    if (problems.length > 0) this.#problems.set(file, problems)
    else this.#problems.delete(file)
    return problems
  }

  #again(file: string): Promise<readonly string[]> {
    return this.#readFile(nameOf(file), file).then(() => [], problemsOf)
  }

  #gone(file: string): void {
    const name = nameOf(file)
    this.#problems.delete(file)
    if (this.#fileOf(name) === file) this.#read.delete(name)
    this.#siblings(file).delete(name)
  }
}

const problemsOf = (error: unknown): readonly string[] =>
  error instanceof ScenarioError ? error.problems : [reasonOf(error)]
