import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from './vitest.config.ts'

/**
 * Those that take longest, the longest first: begun last, one would run alone at the end. The others come in Vitest's order,
 * which in a fresh clone is that of their sizes; some of these are short files.
 */
const longest = [
  'kits/kits',
  'explore/complete',
  'explore/pairs',
  'workers/pairs',
  'verify/repeated',
  'bench/smoke',
  'explore/cli',
  'attack/right-clients',
  'exam/exam',
  'tls/exam',
  'examples/exam',
  'rig/repeated',
  'tls/careless',
  'recipes/recipes',
  'examples/commands',
  'examples/convictions',
  'exam/cli',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex(it => moduleId.endsWith(`/${it}.slow.test.ts`))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}

/** Tests that start programs: the built mock, clients in other languages, a bench, a crash: `npm run test:slow`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.slow.test.ts'],
    exclude: [],
    // They start programs, and on a busy machine each start takes seconds.
    testTimeout: 300_000,
    // Random traffic and the like, which `npm test` repeats less often, and milliseconds for a program to end.
    env: { REPETITIONS: 'many', DEADLINE: '280000' },
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['./test/plain-reporter.ts'],
  },
})
