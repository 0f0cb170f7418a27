import { readFileSync, statSync } from 'node:fs'
import { settings } from '../lib/settings.ts'
import { DialError, readDials } from '../service/dials.ts'
import type { TextPosition } from '../store/text-position.ts'
import { UserError } from '../store/user-error.ts'
import { describeUnknownKey, findNearest, shorten } from '../store/validation-messages.ts'
import { readYaml, type YamlText } from '../store/yaml-text.ts'
import { orUserError } from './report-files.ts'

export interface FileSetting {
  /** The value as it would stand on the command line. */
  readonly text: string
  /** File, line and column, for messages. */
  readonly at: string
}

/** The settings in a YAML or JSON file. @throws UserError with file, line, column */
export function readConfigFile(file: string): ReadonlyMap<string, FileSetting> {
  const possible = Object.values(settings).map(setting => setting.name)
  const text = orUserError(`--config ${file}`, () => {
    if (statSync(file).isDirectory()) throw new Error('it is a folder')
    return readFileSync(file, 'utf8')
  })
  if (/^\s*\{[^{}[\]]*"\$format"/.test(text.slice(0, 500)))
    throw new UserError(`--config ${file}: it is a fixture; give it with --fixtures`)
  const yaml = readYaml(text, 'file of settings')
  const at = ({ line, column }: TextPosition) => `${file}:${line}:${column}`
  if (!('value' in yaml))
    throw new UserError(yaml.map(({ place, problem }) => `${at(place)}: ${problem}`).join('; '))
  if (yaml.value === null) return new Map()
  // A JSON file may name its schema.
  const members = membersOf(yaml.value)?.filter(([name]) => name !== '$schema')
  if (!members)
    throw new UserError(
      `${at(yaml.place([]))}: expected settings by the names of their flags, such as "port: 4025"`,
    )
  const found = new Map<string, FileSetting>()
  const wrong: string[] = []
  const unknown = members.map(([name]) => name).filter(it => !possible.includes(it))
  for (const [name, given] of members) {
    if (!possible.includes(name)) {
      // What is possible is said once, at the last of them.
      const near = findNearest(name, possible)
      const told =
        name === unknown.at(-1)
          ? describeUnknownKey(name, possible)
          : `unknown key "${shorten(name)}"${near === undefined ? '' : `; did you mean "${near}"?`}`
      wrong.push(`${at(yaml.place([name], true))}: ${told}`)
      continue
    }
    // An empty object is the same as no dials.
    if (name === 'dial' && membersOf(given)?.length === 0) continue
    const written = keepLetters(given, [name], yaml, isNumber(name))
    const dial = name === 'dial' ? findWrongDial(written) : undefined
    if (dial) wrong.push(`${at(yaml.place([name, dial.name], dial.isUnknown))}: ${dial.problem}`)
    const text = toFlagText(name, written)
    if (text === undefined)
      wrong.push(`${at(yaml.place([name]))}: ${name} cannot be ${JSON.stringify(written)}`)
    else found.set(name, { text, at: at(yaml.place([name])) })
  }
  if (wrong.length > 0) throw new UserError(wrong.join('; '))
  return found
}

const membersOf = (given: unknown): [name: string, value: unknown][] | undefined =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : undefined

const settingOf = (name: string) => Object.values(settings).find(setting => setting.name === name)

const isNumber = (name: string): boolean => /integer|number/.test(String(settingOf(name)?.parse.schema?.type))

/**
 * The value with the letters of its numbers and Booleans: a token `0123456789` or `12345e678`, and a folder `1.10`, are as on
 * the command line. Settings that are numbers, and Booleans among the dials, may be written otherwise: `0x1F90`, `True`.
 */
function keepLetters(
  value: unknown,
  path: readonly PropertyKey[],
  yaml: YamlText,
  isNumber: boolean,
): unknown {
  if (Array.isArray(value)) return value.map((it, at) => keepLetters(it, [...path, at], yaml, isNumber))
  const members = membersOf(value)
  if (members)
    return Object.fromEntries(
      members.map(([key, it]) => [key, keepLetters(it, [...path, key], yaml, isNumber)]),
    )
  const isKept = (isNumber && Number.isSafeInteger(value)) || (path.length > 1 && typeof value === 'boolean')
  return isKept ? value : (yaml.letters(path) ?? value)
}

/** A value in the form of the command line: lists and name=value pairs are joined by commas. */
function toFlagText(name: string, given: unknown): string | undefined {
  const isPlain = (it: unknown) => ['string', 'number', 'boolean'].includes(typeof it)
  if (isPlain(given)) return String(given)
  if (!settingOf(name)?.isList) return undefined
  if (Array.isArray(given)) return given.every(isPlain) ? given.join(',') : undefined
  const pairs = membersOf(given)
  // YAML reads an unquoted null as no value; it is one of the choices of a dial.
  return pairs?.every(([, value]) => isPlain(value) || value === null)
    ? pairs.map(([name, value]) => `${name}=${value}`).join(',')
    : undefined
}

/** The first dial with an unknown name or value. */
function findWrongDial(given: unknown) {
  for (const [name, value] of membersOf(given) ?? [])
    try {
      readDials({ [name]: String(value) })
    } catch (error) {
      if (!(error instanceof DialError)) throw error
      return { name, isUnknown: error.message.startsWith('There is no dial'), problem: error.message }
    }
  return undefined
}
