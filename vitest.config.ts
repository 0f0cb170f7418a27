import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: locks, signals and exit codes belong to a whole process.
    pool: 'forks',
    setupFiles: ['./test/described/watch.ts'],
    reporters: ['default', './test/fidelity-reporter.ts'],
  },
})
