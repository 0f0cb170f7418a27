import { startCalls } from './calls.ts'
import { startClock } from './clock.ts'
import { startCopying } from './copy.ts'
import { startLive } from './live.ts'

startClock()
startCalls()
startCopying()
startLive()
