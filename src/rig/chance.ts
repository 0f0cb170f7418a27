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
const hexDigits = 32

function uuidSource(seed: number, space: string): Chance['uuid'] {
  let drawn = { key: '', hex: '' }
  return (kind, number = 0) => {
    const at = number % uuidsPerDigest
    const key = `${kind} ${number - at}`
    if (drawn.key !== key) drawn = { key, hex: hexDigest(JSON.stringify([seed, space, kind, number - at])) }
    const hex = drawn.hex.slice(at * hexDigits, (at + 1) * hexDigits)
    const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
    // Joined, since a template would be kept as the tree of its parts, and rows keep these for ever.
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      variant + hex.slice(17, 20),
      hex.slice(20, 32),
    ].join('-')
  }
}

const hexDigest = (text: string) =>
  createHash('shake128', { outputLength: (uuidsPerDigest * hexDigits) / 2 })
    .update(text)
    .digest('hex')

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
