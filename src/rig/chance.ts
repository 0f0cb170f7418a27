import { createHash, hash } from 'node:crypto'
import type { Chance } from '../store/space-data.ts'
import type { Delay } from './scenarios/scenario.ts'

/**
 * Random values without state: each is a digest of seed, space and purpose. Neither the order of the draws nor a restart
 * nor another space changes them.
 */
export function seededChance(seed: number, space: string): Chance {
  const digest = (purpose: (string | number)[]) => hash('sha256', JSON.stringify([seed, space, ...purpose]))
  return {
    uuid: uuidSource(seed, space),
    fraction: (...purpose) => Number.parseInt(digest(purpose).slice(0, 13), 16) / 2 ** 52,
    secret: purpose => digest(['secret', purpose]),
  }
}

/** Consecutive UUIDs taken from one digest; a digest for each would take a tenth of the time of a createSending. */
const uuidsPerDigest = 32
const uuidBytes = 16
const uuidLength = 36

function uuidSource(seed: number, space: string): Chance['uuid'] {
  // One buffer for all: a template would be kept as the tree of its parts, and rows keep these for ever.
  const letters = Buffer.alloc(uuidLength, '-')
  let latest = { kind: '', first: -1, bytes: Buffer.alloc(0) }
  return (kind, number = 0) => {
    const at = number % uuidsPerDigest
    const first = number - at
    if (latest.first !== first || latest.kind !== kind)
      latest = { kind, first, bytes: digestBytes(JSON.stringify([seed, space, kind, first])) }
    writeUuid(letters, latest.bytes, at * uuidBytes)
    return letters.toString('latin1')
  }
}

const shake = { outputLength: uuidsPerDigest * uuidBytes }
const digestBytes = (text: string) => createHash('shake128', shake).update(text).digest()

const hexDigits = Buffer.from('0123456789abcdef')

/** Version 4. @param letters that have their hyphens already */
function writeUuid(letters: Buffer, bytes: Buffer, start: number): void {
  let end = 0
  for (let place = 0; place < uuidBytes; place++) {
    let byte = bytes[start + place]!
    if (place === 4 || place === 6 || place === 8 || place === 10) end++
    if (place === 6) byte = (byte & 0x0f) | 0x40
    if (place === 8) byte = (byte & 0x3f) | 0x80
    letters[end++] = hexDigits[byte >> 4]!
    letters[end++] = hexDigits[byte & 0x0f]!
  }
}

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326347874

/**
 * The delay of this request, in milliseconds of the space's clock.
 * @param fraction at least 0, below 1; equal for the same purpose
 */
export function sampleDelay(delay: Delay, fraction: (purpose: string) => number): number {
  if (typeof delay === 'number') return delay
  if ('min' in delay) return Math.round(delay.min + (delay.max - delay.min) * fraction('delay'))
  const sigma = Math.log(delay.p99 / delay.median) / z99
  // Box-Muller transform: one normal value from two uniform ones.
  const normal =
    Math.sqrt(-2 * Math.log(1 - fraction('delay'))) * Math.cos(2 * Math.PI * fraction('delay angle'))
  return Math.round(delay.median * Math.exp(sigma * normal))
}
