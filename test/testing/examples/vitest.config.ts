export default { test: { include: ['test/testing/examples/*.example.ts'] } }
