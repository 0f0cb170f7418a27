import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reason } from '../../store/disk.ts'
import { getOrMake } from '../../store/maps.ts'
import { UserError } from '../../store/user-error.ts'
import { findNearestOnes, shorten } from '../../store/validation-messages.ts'
import { lossNames, lossScenario } from './loss-matrix.ts'
import { type Scenario, ScenarioError } from './scenario.ts'
import type { WatchedFolder } from './watched-folder.ts'

export const scenarioExtension = '.yaml'

/**
 * Whether the name suggests a scenario, even if it is not a valid name for one. Names that begin with a dot are those of
 * systems and editors: `._live.yaml`, `.#live.yaml`.
 */
const isScenarioFile = (name: string) => /^[^.].*\.ya?ml$/i.test(name)
/** The name of the scenario: the file name without the extension. */
export const scenarioName = (file: string) => basename(file, scenarioExtension)

/** The files of a folder whose names suggest scenarios, sorted. @throws ScenarioError */
async function scenarioFilesIn(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter(isScenarioFile).sort()
    return names.map(name => join(folder, name))
  } catch (error) {
    throw new ScenarioError([`cannot read scenarios at ${folder}: ${reason(error)}`])
  }
}

/** The text of a file. @throws ScenarioError if it is no regular file, too long, or not UTF-8 */
export async function readText(file: string): Promise<string> {
  const { maxTextBytes } = await import('../../store/yaml-text.ts')
  // Just enough to refuse a file that is too long.
  const maxRead = maxTextBytes + 1
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) throw new Error('it is no file')
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(maxRead), 0, maxRead, 0)
      const bytes = buffer.subarray(0, bytesRead)
      // The last character may be cut if the file is too long, which is refused later.
      return new TextDecoder('utf-8', { fatal: bytesRead < maxRead }).decode(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new ScenarioError([`cannot read ${file}: ${reason(error)}`])
  }
}

export const packagedScenarios = fileURLToPath(new URL('../../../scenarios', import.meta.url))

/** The name of no scenario. The message gives the nearest names, and where the list of all is. */
export class UnknownScenario extends UserError {
  override readonly name = 'UnknownScenario'

  constructor(scenario: string, near: readonly string[]) {
    const guess = near.length === 0 ? '' : ` did you mean ${near.map(it => `"${it}"`).join(' or ')}?`
    super(
      `there is no scenario "${shorten(scenario, 80)}";${guess} GET /_mock/scenarios and docs/scenarios.md list all`,
    )
  }
}

interface LibraryOptions {
  /** A folder with the user's scenarios, which take precedence over packaged ones with the same name. */
  readonly folder?: string | undefined
  readonly packaged?: string
}

const nameForm = /^[a-z0-9-]{1,80}$/
/**
 * What packaged files were last read as, and what was made of the loss matrix, for all mocks of a process. Text and name alone
 * decide what that is, and nothing changes a scenario.
 */
const scenariosByFile = new Map<string, { readonly text: string; readonly scenario: Scenario }>()
const lossScenarios = new Map<string, Scenario>()

/**
 * All scenarios: the user's, the packaged ones and the loss matrix. The user's folder is read and checked completely at the
 * start. A packaged file is read on demand: reading all of them would slow down every start, and the tests check them.
 */
export class ScenarioLibrary {
  readonly #packaged: string
  readonly #folder: string | undefined
  readonly #packagedFiles = new Map<string, string>()
  /** Files of the user's folder; they take precedence. */
  readonly #ownFiles = new Map<string, string>()
  readonly #read = new Map<string, Scenario>()
  readonly #reading = new Map<string, Promise<Scenario>>()
  readonly #problems = new Map<string, readonly string[]>()
  /** What the files of the user's folder said at the start, until they have been read again. */
  readonly #textsAtStart = new Map<string, string>()
  #watched: WatchedFolder | undefined

  private constructor(packaged: string, folder: string | undefined) {
    this.#packaged = packaged
    this.#folder = folder
  }

  /** @throws ScenarioError with every problem of the user's folder */
  static async open({
    folder: path,
    packaged = packagedScenarios,
  }: LibraryOptions = {}): Promise<ScenarioLibrary> {
    const folder = path === undefined ? undefined : resolve(path)
    const library = new ScenarioLibrary(packaged, folder)
    const problems: string[] = []
    for (const file of await scenarioFilesIn(packaged)) problems.push(...library.#add(file))
    for (const file of folder === undefined ? [] : await scenarioFilesIn(folder)) {
      const problemsOfName = library.#add(file)
      problems.push(...(problemsOfName.length > 0 ? problemsOfName : await library.#reload(file)))
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

  /** A scenario that has been read before. Undefined if it has not been read, or does not exist. */
  loaded(name: string): Scenario | undefined {
    return this.#read.get(name)
  }

  /** @throws UnknownScenario, or ScenarioError if its file is broken and never was valid */
  async get(name: string): Promise<Scenario> {
    const loaded = this.loaded(name)
    if (loaded) return loaded
    const file = this.#fileOf(name)
    if (file === undefined) return this.#readLossScenario(name)
    const reading = this.#reading.get(name) ?? this.#readFile(name, file)
    this.#reading.set(name, reading)
    return reading.finally(() => this.#reading.delete(name))
  }

  /** The user's and the packaged scenarios, sorted by name. @throws ScenarioError */
  all(): Promise<Scenario[]> {
    return Promise.all(this.names().map(name => this.get(name)))
  }

  /** Problems of the current files, as sentences. A file that was valid before stays in force in its last valid version. */
  problems(): string[] {
    return [...this.#problems.values()].flat()
  }

  /**
   * Reads files of the user's folder again when they change, from what they were at the start. After a broken edit the last
   * valid scenario is kept.
   * @param report called after each edit with the problems found; none for a valid one
   * @param removed called when a file is deleted
   * @param failed called when the folder is no longer there
   */
  async watch(
    report: (sentences: readonly string[], file: string) => void,
    removed: (file: string) => void = () => {},
    failed: (sentence: string) => void = () => {},
  ): Promise<void> {
    const folder = this.#folder
    if (folder === undefined) return
    const { WatchedFolder } = await import('./watched-folder.ts')
    this.#watched = new WatchedFolder(folder, isScenarioFile, this.#textsAtStart.keys(), {
      changed: async file => {
        if (await this.#isAsAtStart(file)) return
        report(await this.#reloadChanged(file), file)
      },
      removed: file => {
        this.#forget(file)
        removed(file)
      },
      lost: error =>
        failed(
          `cannot read scenarios at ${folder}: ${reason(error)}; what was read stays in force until the folder is there again`,
        ),
    })
  }

  async close(): Promise<void> {
    await this.#watched?.close()
    this.#watched = undefined
  }

  /** Whether a file, read for the first time since the start, still says the same. */
  async #isAsAtStart(file: string): Promise<boolean> {
    const text = this.#textsAtStart.get(file)
    this.#textsAtStart.delete(file)
    return text !== undefined && text === (await readText(file).catch(() => undefined))
  }

  #fileOf(name: string): string | undefined {
    return this.#ownFiles.get(name) ?? this.#packagedFiles.get(name)
  }

  /** @returns problems of the file's name */
  #add(file: string): readonly string[] {
    if (!file.endsWith(scenarioExtension)) {
      const validName = basename(file).replace(/\.\w+$/, scenarioExtension)
      return [`${file}: the file of a scenario ends in ${scenarioExtension}; rename it to ${validName}`]
    }
    const name = scenarioName(file)
    if (!nameForm.test(name))
      return [
        `${file}: expected a name of lower-case letters, digits and hyphens, at most 80, before ${scenarioExtension}`,
      ]
    if (lossScenario(name))
      return [
        `${file}: "${name}" is a scenario of the loss matrix and cannot be replaced; choose another name`,
      ]
    this.#siblings(file).set(name, file)
    return []
  }

  /** The known files of the same folder. */
  #siblings(file: string): Map<string, string> {
    return this.#folder !== undefined && dirname(file) === this.#folder ? this.#ownFiles : this.#packagedFiles
  }

  async #readFile(name: string, file: string): Promise<Scenario> {
    // Loaded on demand: a mock without scenarios needs neither the YAML parser nor the schema.
    const [{ readScenario }, text] = await Promise.all([import('./read.ts'), readText(file)])
    const last = scenariosByFile.get(file)
    const scenario = last?.text === text ? last.scenario : readScenario(text, name, file)
    if (dirname(file) === this.#packaged) scenariosByFile.set(file, { text, scenario })
    if (dirname(file) === this.#folder && this.#watched === undefined) this.#textsAtStart.set(file, text)
    this.#read.set(name, scenario)
    return scenario
  }

  async #readLossScenario(name: string): Promise<Scenario> {
    const value = lossScenario(name)
    if (!value) {
      // A state or a status may be a part of the name that was meant: PENDING, 429.
      const part = name.toLowerCase().replace('_failure', '')
      const near = findNearestOnes(part, [...this.names(), ...lossNames], 3)
      const having = part.length > 2 ? this.names().filter(it => it.includes(part)) : []
      throw new UnknownScenario(name, near.length > 0 ? near : having.slice(0, 3))
    }
    const { scenarioFrom } = await import('./read.ts')
    const scenario = getOrMake(lossScenarios, name, () => scenarioFrom(value, name, 'the loss matrix'))
    this.#read.set(name, scenario)
    return scenario
  }

  async #reloadChanged(file: string): Promise<readonly string[]> {
    const problemsOfName = this.#add(file)
    // A packaged file that is hidden by one of the user's is not in force.
    if (problemsOfName.length === 0 && this.#fileOf(scenarioName(file)) !== file) return []
    const problems = problemsOfName.length > 0 ? problemsOfName : await this.#reload(file)
    if (problems.length > 0) this.#problems.set(file, problems)
    else this.#problems.delete(file)
    return problems
  }

  #reload(file: string): Promise<readonly string[]> {
    // What was written again begins again, even with the same text.
    scenariosByFile.delete(file)
    return this.#readFile(scenarioName(file), file).then(() => [], problemsOf)
  }

  #forget(file: string): void {
    const name = scenarioName(file)
    this.#problems.delete(file)
    if (this.#fileOf(name) === file) this.#read.delete(name)
    this.#siblings(file).delete(name)
  }
}

const problemsOf = (error: unknown): readonly string[] =>
  error instanceof ScenarioError ? error.problems : [reason(error)]

export type Scenarios = Pick<ScenarioLibrary, 'get' | 'loaded' | 'has' | 'names' | 'problems'>
