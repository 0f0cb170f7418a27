/**
 * Loaded into a mock before everything else: the real time of its process stands still, and goes on when the parent says
 * so. What the judge reads out of pauses is then the same on a fast machine and on a busy one.
 */
let passed = 0
const start = Date.parse('2026-11-01T12:00:00Z')
Object.defineProperty(performance, 'timeOrigin', { value: start })
performance.now = () => passed
Date.now = () => start + passed
process.on('message', milliseconds => {
  passed += Number(milliseconds)
  process.send?.(milliseconds)
})
// Waiting for the parent is no reason to go on.
process.channel?.unref()
