import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Settings for the mocks of whoever runs the tests are none for those of the tests.
for (const name of Object.keys(process.env)) if (/^MAILING_S/.test(name)) delete process.env[name]

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  // What examples import is what stands here; the package as it is packed has tests of its own.
  resolve: {
    alias: [
      { find: /^mailing-sync-mock$/, replacement: here('src/index.ts') },
      { find: 'mailing-sync-mock/control', replacement: here('src/lib/connect.ts') },
      { find: 'mailing-sync-mock/matchers', replacement: here('src/lib/matchers.ts') },
      { find: 'mailing-sync-mock/vitest', replacement: here('src/lib/vitest-fixture.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/tests/*.test.ts', 'examples/recipes/vitest/*.test.ts'],
    // What starts programs has a run of its own: vitest.slow.config.ts.
    exclude: ['**/*.slow.test.ts'],
    // Processes, not threads: locks, signals and exit codes belong to a whole process.
    pool: 'forks',
    // By default one processor is left idle, which of two is half.
    maxWorkers: '100%',
    // Files of one process share what they load: loading it for each took a quarter of the time.
    isolate: false,
    // Of tests that wait for what comes on a wire.
    maxConcurrency: 20,
    // For a machine that is busy with other work: a test that hangs is found all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A fault of Node's own fetch, of no test: the timer of a connection whose parser has been collected as garbage.
    onUnhandledError: ({ message, stack }) =>
      !(
        message?.includes("property 'socket' of 'parser.deref(...)'") &&
        stack?.includes('onParserTimeout') &&
        stack.includes('node:internal/deps/undici')
      ),
    setupFiles: ['./test/async-hooks.ts', './test/described/watch.ts', './test/capsule/replayed.ts'],
    reporters: ['./test/plain-reporter.ts'],
  },
})
