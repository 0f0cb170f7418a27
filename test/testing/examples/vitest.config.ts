// The first test starts a mock, which takes its time on a busy machine.
export default { test: { include: ['test/testing/examples/*.example.ts'], testTimeout: 60_000 } }
