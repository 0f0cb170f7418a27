import {
  badChunk,
  chunkCut,
  headersCut,
  headersThenReset,
  lengthShort,
  resetMidBody,
  statusCut,
  truncate,
  truncateEof,
  truncateGzip,
} from './cut.ts'
import type { Fault } from './fault.ts'
import { close, hang, keepaliveRace, reset, resetUpload } from './no-answer.ts'
import { foreignSending, lowerCaseState, statelessSending, unknownState } from './sending.ts'
import { drip, dripHeaders, stall } from './slow.ts'
import {
  earlyHints,
  empty201,
  garbage,
  html200,
  malformedJson,
  redirects,
  wrongContentType,
} from './wrong.ts'

const allFaults: readonly Fault[] = [
  hang,
  close,
  reset,
  resetUpload,
  keepaliveRace,
  statusCut,
  headersCut,
  headersThenReset,
  truncate,
  truncateEof,
  truncateGzip,
  chunkCut,
  lengthShort,
  resetMidBody,
  stall,
  drip,
  dripHeaders,
  garbage,
  badChunk,
  malformedJson,
  wrongContentType,
  html200,
  empty201,
  earlyHints,
  ...redirects,
  foreignSending,
  statelessSending,
  unknownState,
  lowerCaseState,
]

/** All faults by their names in scenarios, in the order of the documentation. */
export const faults: ReadonlyMap<string, Fault> = new Map(allFaults.map(fault => [fault.name, fault]))

export const faultNames: readonly string[] = [...faults.keys()]
