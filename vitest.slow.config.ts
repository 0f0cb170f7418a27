import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** Tests that start programs: the built mock, clients in other languages, a bench, a crash: `npm run test:slow`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.slow.test.ts'],
    exclude: [],
    reporters: ['./test/plain-reporter.ts'],
  },
})
