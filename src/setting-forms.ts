import { type LogLevel, logLevels } from './log.ts'
import { duration } from './rig/duration.ts'
import type { Durability } from './store/files.ts'

/*
 * The forms that settings have as text. Each reads one, or throws an error whose message says what is possible.
 */

/** A whole number. */
export const whole = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) throw new Error(`expected a whole number from ${least} to ${most}`)
  return value
}

/** Any text that is not empty. @param what is expected, for the sentence */
export const filled = (what: string) => (text: string) => {
  if (text === '') throw new Error(`expected ${what}`)
  return text
}

/** A text of a form. @param what the form is, for the sentence */
export const matching = (pattern: RegExp, what: string) => (text: string) => {
  if (!pattern.test(text)) throw new Error(`expected ${what}`)
  return text
}

/** A switch as variables write it. */
export const toggle = (text: string) => {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off', ''].includes(text.toLowerCase())) return false
  throw new Error('expected true or false')
}

/** An address that links can begin with. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error(
      'expected an http or https address without query, such as https://mock.example.com/mailing',
    )
  return text
}

/** Names with values, comma-separated. */
export function pairs(text: string): Record<string, string> {
  const given = text.split(',').map(part => part.split('='))
  if (!given.every(pair => pair.length === 2 && pair[0] && pair[1]))
    throw new Error('expected names with values, such as error-body=minimal,rate-limit=60')
  return Object.fromEntries(given.map(pair => [pair[0]!.trim(), pair[1]!.trim()]))
}

/** A date-time with its zone, as UTC. */
export function dateTime(text: string): string {
  const isZoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  if (!isZoned || Number.isNaN(Date.parse(text)))
    throw new Error('expected a date-time with a zone, such as 2026-11-01T10:00:00Z')
  return new Date(text).toISOString()
}

/** A duration, read into milliseconds. */
export function lasting(text: string): number {
  const read = duration.safeParse(text)
  if (!read.success) throw new Error(read.error.issues[0]!.message)
  return read.data
}

/** How safe a change is before it is answered. */
export function durability(text: string): Durability {
  if (text === 'os' || text === 'fsync') return text
  throw new Error('expected os or fsync')
}

/** A log level. */
export function level(text: string): LogLevel {
  const known = logLevels.find(name => name === text)
  if (!known) throw new Error(`expected ${logLevels.join(', ')}`)
  return known
}
