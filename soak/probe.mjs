/**
 * Loaded into the mock's process before the mock, with `--import`: tells, when it is asked, what only the process itself
 * can know. The mock knows nothing of it.
 */
process.on('message', () => {
  // Two rounds: what the first one lets go of may have been held by a finaliser.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send({ heap: heapUsed + external, resources: process.getActiveResourcesInfo().length })
})
// Whoever asks is no reason to go on living.
process.channel.unref()
// But a mock that nobody stops any more ends with whoever started it.
process.on('disconnect', () => process.exit())
