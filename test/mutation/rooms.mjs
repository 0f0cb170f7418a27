/**
 * The rooms whose logic is mutated, and for each the tests that are about it and quick: a mutant that survives costs all tests
 * that reach it. Tests that reach everything in many ways are left to `npm test`.
 */
export const rooms = {
  service: {
    mutate: ['src/service/**/*.ts'],
    tests: ['test/service/**/*.test.ts'],
    without: ['test/service/dials.test.ts', 'test/service/hostile.test.ts'],
  },
  scenarios: {
    mutate: ['src/rig/scenarios/**/*.ts'],
    tests: ['test/rig/*.test.ts', 'test/rig/scenarios/**/*.test.ts'],
    without: [
      'test/rig/determinism.test.ts',
      'test/rig/scenarios/play.test.ts',
      'test/rig/scenarios/expectations.test.ts',
    ],
  },
  faults: {
    mutate: ['src/rig/faults/**/*.ts'],
    tests: ['test/rig/faults/**/*.test.ts', 'test/rig/delivery.test.ts'],
    without: [],
  },
  rules: {
    mutate: ['src/judge/rules/**/*.ts'],
    tests: ['test/judge/*.test.ts'],
    without: ['test/judge/acquittal.test.ts', 'test/judge/scale.test.ts', 'test/judge/properties.test.ts'],
  },
}
