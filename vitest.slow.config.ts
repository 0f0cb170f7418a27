import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from './vitest.config.ts'

/** Each takes most of a minute or more of processor time; begun last, one would run alone at the end. */
const longest = [
  'tls/exam',
  'explore/pairs',
  'explore/complete',
  'explore/cli',
  'exam/exam',
  'rig/repeated',
  'tls/careless',
  'examples/exam',
  'attack/right-clients',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longest.some(it => moduleId.endsWith(`${it}.slow.test.ts`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter(it => !isLong(it))]
  }
}

/** Tests that start programs: the built mock, clients in other languages, a bench, a crash: `npm run test:slow`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.slow.test.ts'],
    exclude: [],
    // Random traffic and the like, which `npm test` repeats less often.
    env: { REPETITIONS: 'many' },
    sequence: { sequencer: LongestFirst },
    reporters: ['./test/plain-reporter.ts'],
  },
})
