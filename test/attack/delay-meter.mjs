/** Loaded into the mock before it starts: writes the delays of its event loop, in milliseconds, when it ends. */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delays = monitorEventLoopDelay({ resolution: 5 })
// What the start itself takes is no delay of anybody.
setTimeout(() => delays.enable(), 500).unref()
const resolution = 5
const milliseconds = nanoseconds => Math.max(0, Math.round(nanoseconds / 1e6 - resolution))
process.on('exit', () => {
  writeFileSync(
    process.env.DELAYS,
    JSON.stringify({ p99: milliseconds(delays.percentile(99)), max: milliseconds(delays.max) }),
  )
})
