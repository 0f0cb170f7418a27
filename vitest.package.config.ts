import { defineConfig } from 'vitest/config'

/** The package as it is packed, installed and used by strangers: `npm run test:package`. */
export default defineConfig({
  test: {
    include: ['test/package/*.package.ts'],
    globalSetup: ['test/package/installed.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['./test/plain-reporter.ts'],
  },
})
