/**
 * How often a test does the same thing again, with other random values: a few times in `npm test`, many times where a slow
 * test imports its file.
 */
export const repetitions = (few: number, many: number): number =>
  process.env.REPETITIONS === 'many' ? many : few
