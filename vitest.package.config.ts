import { defineConfig } from 'vitest/config'

/** The package as it is packed, installed and used by strangers: `npm run test:package`. */
export default defineConfig({
  test: {
    include: ['test/package/*.package.ts'],
    globalSetup: ['test/package/installed.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
})
