import { defineConfig } from 'vitest/config'

/** The tests of the pages in a real browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts'],
    pool: 'forks',
    // A browser brings processes of its own: more at once makes each slower, and no run faster.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // As long as the stage lets Playwright wait.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['./test/plain-reporter.ts'],
  },
})
