import { InvalidArgumentError } from 'commander'
import { duration } from '../rig/duration.ts'

/*
 * The forms that flags of commands have. Each reads one, or says in the program's words what was expected.
 */

/** Reads a flag's value, or says in the program's words what was expected. */
export const reading =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }

/** A number in a form, from `least` to `most`. */
export const number = (what: string, form: RegExp, least: number, most: number) =>
  reading(text => {
    const value = form.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw new Error(`expected ${what} from ${least} to ${most}`)
    return value
  })
const someNames = reading(text => {
  const given = text.split(',').map(it => it.trim())
  if (given.some(it => it === '')) throw new Error('expected names, comma-separated')
  return given
})
/** Names, comma-separated; whoever gives a flag again wants those as well. */
export const names = (text: string, before: readonly string[] = []) => [...before, ...someNames(text)]
/** A duration, in milliseconds. */
export const lasting = reading(text => {
  const read = duration.safeParse(text)
  if (!read.success) throw new Error(read.error.issues[0]!.message)
  if (read.data < 1 || read.data > 2 ** 31 - 1) throw new Error('expected a duration from 1ms to 24d')
  return read.data
})
/** A path. */
export const filled = reading(text => {
  if (text === '') throw new Error('expected a path')
  return text
})
