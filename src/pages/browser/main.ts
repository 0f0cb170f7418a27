import { startCalls } from './calls.ts'
import { startClock } from './clock.ts'
import { startCopying } from './copy.ts'
import { startFiltering } from './filter.ts'
import { startLive } from './live.ts'

startClock()
startCalls()
startCopying()
startFiltering()
startLive()
