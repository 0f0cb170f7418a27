import { readFileSync, statSync } from 'node:fs'
import { type Place, readYaml } from './rig/scenarios/yaml-text.ts'
import { DialError, readDials } from './service/dials.ts'
import { unknownKey } from './store/unknown-keys.ts'

/** A file of settings that cannot be used: file, line and column, and what is possible. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError'
}

/** A setting as a file has it. */
export interface FileSetting {
  /** As the command line would write it. */
  readonly text: string
  /** File, line and column, for messages. */
  readonly at: string
}

/**
 * The settings of a file, YAML or JSON, by the names of their flags.
 * @param possible names of flags without their dashes
 * @throws ConfigFileError
 */
export function readConfigFile(file: string, possible: readonly string[]): ReadonlyMap<string, FileSetting> {
  const yaml = readYaml(textOf(file), 'file of settings')
  const at = ({ line, column }: Place) => `${file}:${line}:${column}`
  if (!('value' in yaml))
    throw new ConfigFileError(yaml.map(({ place, problem }) => `${at(place)}: ${problem}`).join('; '))
  const { value } = yaml
  if (value === null) return new Map()
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ConfigFileError(
      `${at(yaml.place([]))}: expected settings by the names of their flags, such as "port: 4025"`,
    )
  const settings = new Map<string, FileSetting>()
  const wrong: string[] = []
  for (const [name, given] of Object.entries(value)) {
    // Whoever writes JSON may say where its schema is.
    if (name === '$schema') continue
    if (!possible.includes(name)) {
      wrong.push(`${at(yaml.place([name], true))}: ${unknownKey(name, possible)}`)
      continue
    }
    // Nothing turned is what a file without dials says too.
    if (name === 'dial' && isEmpty(given)) continue
    const dial = name === 'dial' ? wrongDial(given) : undefined
    if (dial) wrong.push(`${at(yaml.place([name, dial.name], dial.isUnknown))}: ${dial.problem}`)
    const text = written(given)
    if (text === undefined)
      wrong.push(`${at(yaml.place([name]))}: ${name} cannot be ${JSON.stringify(given)}`)
    else settings.set(name, { text, at: at(yaml.place([name])) })
  }
  if (wrong.length > 0) throw new ConfigFileError(wrong.join('; '))
  return settings
}

const isEmpty = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && Object.keys(given).length === 0

/** A value as the command line writes it: names with values and lists by commas. */
function written(given: unknown): string | undefined {
  const isPlain = (it: unknown) => ['string', 'number', 'boolean'].includes(typeof it)
  if (isPlain(given)) return String(given)
  if (Array.isArray(given)) return given.every(isPlain) ? given.join(',') : undefined
  if (typeof given !== 'object' || given === null) return undefined
  const pairs = Object.entries(given)
  return pairs.every(([, value]) => isPlain(value))
    ? pairs.map(([name, value]) => `${name}=${value}`).join(',')
    : undefined
}

/** The first dial that cannot stand so. */
function wrongDial(
  given: unknown,
): { readonly name: string; readonly isUnknown: boolean; readonly problem: string } | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  for (const [name, value] of Object.entries(given))
    try {
      readDials({ [name]: String(value) })
    } catch (error) {
      if (!(error instanceof DialError)) throw error
      return { name, isUnknown: error.message.startsWith('There is no dial'), problem: error.message }
    }
  return undefined
}

function textOf(file: string): string {
  try {
    if (statSync(file).isDirectory()) throw new Error('it is a folder')
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = { ENOENT: 'there is no such file', EACCES: 'it may not be read' }[code ?? ''] ?? message
    throw new ConfigFileError(`--config ${file}: ${reason}`)
  }
}
