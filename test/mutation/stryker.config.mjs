import { rooms } from './rooms.mjs'

/** How StrykerJS works on the room that `run.mjs` names. */
const name = /** @type {keyof typeof rooms} */ (process.env['MUTATION_ROOM'])

export default {
  mutate: rooms[name].mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Definitions, which are read once when a module is loaded: each mutant would cost all tests of the room.
  ignoreStatic: true,
  // Sentences, mostly.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 1,
  // For a busy machine: too short a time would count as a mutant that is caught.
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `dist.mutation/${name}.json`,
  tempDirName: 'dist.mutation/sandbox',
  // It is read with TypeScript's programming interface, which version 7 does not have. Nothing here needs it.
  tsconfigFile: 'none',
  ignorePatterns: ['/bench', '/dist.*', '/docs/images', '/soak', '/test/golden'],
  reporters: ['clear-text', 'html', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `dist.mutation/${name}.html` },
}
