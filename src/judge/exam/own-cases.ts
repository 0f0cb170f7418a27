import { casesOfConnections } from './cases-of-connections.ts'
import { casesOfStarts } from './cases-of-starts.ts'
import { casesOfTime } from './cases-of-time.ts'
import type { OwnCases } from './own-case.ts'

/** What no scenario can do by itself, or what is about clients alone. */
export const ownCases: OwnCases = { ...casesOfStarts, ...casesOfTime, ...casesOfConnections }
