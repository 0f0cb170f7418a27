import { badChunk, chunkCut } from './chunks.ts'
import { close } from './close.ts'
import { drip, dripHeaders } from './drip.ts'
import { earlyHints } from './early-hints.ts'
import { empty201 } from './empty-201.ts'
import type { Fault } from './fault.ts'
import { garbage } from './garbage.ts'
import { hang } from './hang.ts'
import { headersCut, headersThenReset } from './headers-cut.ts'
import { html200 } from './html-200.ts'
import { lengthShort } from './length-short.ts'
import { malformedJson } from './malformed-json.ts'
import { redirects } from './redirect.ts'
import { keepaliveRace, reset, resetUpload } from './reset.ts'
import { foreignSending, lowerCaseState, statelessSending, unknownState } from './sending.ts'
import { stall } from './stall.ts'
import { statusCut } from './status-cut.ts'
import { resetMidBody, truncate, truncateEof } from './truncate.ts'
import { truncateGzip } from './truncate-gzip.ts'
import { wrongContentType } from './wrong-content-type.ts'

const all: readonly Fault[] = [
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

/** Every fault there is, by the name that a scenario gives it, in the order of documentation. */
export const faults: ReadonlyMap<string, Fault> = new Map(all.map(fault => [fault.name, fault]))

export const faultNames: readonly string[] = [...faults.keys()]
