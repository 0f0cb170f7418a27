import { hash } from 'node:crypto'
import type { Chance } from '../store/spaces.ts'

/**
 * Chance without state: a value is a digest of seed, space and purpose. So it does not matter in which order values
 * are drawn, and a restart or a neighbour changes none of them.
 */
export function seededChance(seed: number, space: string): Chance {
  const digest = (purpose: (string | number)[]) => hash('sha256', JSON.stringify([seed, space, ...purpose]))
  return {
    uuid(...purpose) {
      const hex = digest(purpose)
      const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
    fraction: (...purpose) => Number.parseInt(digest(purpose).slice(0, 13), 16) / 2 ** 52,
    secret: purpose => digest(['secret', purpose]),
  }
}
