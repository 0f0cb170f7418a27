import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { rooms } from './rooms.mjs'

/** The tests of one room, for StrykerJS: `npm run mutation`. */
const { tests, without } = rooms[process.env['MUTATION_ROOM'] as keyof typeof rooms]

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: tests,
    exclude: ['**/*.slow.test.ts', ...without],
  },
})
