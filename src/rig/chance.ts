import { createHash, hash } from 'node:crypto'
import type { Chance } from '../store/space.ts'

/**
 * Chance without state: a value is a digest of seed, space and purpose. So it does not matter in which order values
 * are drawn, and a restart or a neighbour changes none of them.
 */
export function seededChance(seed: number, space: string): Chance {
  const digest = (purpose: (string | number)[]) => hash('sha256', JSON.stringify([seed, space, ...purpose]))
  return {
    uuid: uuids(seed, space),
    fraction: (...purpose) => Number.parseInt(digest(purpose).slice(0, 13), 16) / 2 ** 52,
    secret: purpose => digest(['secret', purpose]),
  }
}

/** So many UUIDs that follow one another come from one digest: one each would be a tenth of creating a sending. */
const uuidsPerDigest = 32
const hexDigits = 32

function uuids(seed: number, space: string): Chance['uuid'] {
  let drawn = { key: '', hex: '' }
  return (kind, number = 0) => {
    const at = number % uuidsPerDigest
    const key = `${kind} ${number - at}`
    if (drawn.key !== key) drawn = { key, hex: digits(JSON.stringify([seed, space, kind, number - at])) }
    const hex = drawn.hex.slice(at * hexDigits, (at + 1) * hexDigits)
    const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}

const digits = (text: string) =>
  createHash('shake128', { outputLength: (uuidsPerDigest * hexDigits) / 2 })
    .update(text)
    .digest('hex')
