import type { Delay } from './scenarios/scenario.ts'

/** Two standard deviations and a third: where 99 of 100 values of a normal distribution lie below. */
const z99 = 2.326347874

/**
 * How long this request waits, in milliseconds of the space's clock.
 * @param fraction at least 0, below 1; the same for the same purpose
 */
export function drawn(delay: Delay, fraction: (purpose: string) => number): number {
  if (typeof delay === 'number') return delay
  if ('min' in delay) return Math.round(delay.min + (delay.max - delay.min) * fraction('delay'))
  const sigma = Math.log(delay.p99 / delay.median) / z99
  // Box and Muller: one normal value from two uniform ones.
  const normal =
    Math.sqrt(-2 * Math.log(1 - fraction('delay'))) * Math.cos(2 * Math.PI * fraction('delay angle'))
  return Math.round(delay.median * Math.exp(sigma * normal))
}
