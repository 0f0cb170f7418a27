import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  // What examples import is what stands here; the package as it is packed has tests of its own.
  resolve: {
    alias: [
      { find: /^mailing-sync-mock$/, replacement: here('src/index.ts') },
      { find: 'mailing-sync-mock/control', replacement: here('src/client/control.ts') },
      { find: 'mailing-sync-mock/matchers', replacement: here('src/testing/matchers.ts') },
      { find: 'mailing-sync-mock/vitest', replacement: here('src/testing/fixture.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/tests/*.test.ts', 'examples/recipes/vitest/*.test.ts'],
    // Processes, not threads: locks, signals and exit codes belong to a whole process.
    pool: 'forks',
    // By default one processor is left idle, which of two is half.
    maxWorkers: '100%',
    // Files of one process share what they load: loading it for each took a quarter of the time.
    isolate: false,
    setupFiles: ['./test/described/watch.ts'],
    reporters: ['default', './test/fidelity-reporter.ts'],
  },
})
