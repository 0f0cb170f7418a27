import { believedTooEarly, credentialsLeaked, notRepeated, redirectBelieved } from './client-end.ts'
import { afterCreated, sameIdAfterFailed, sameIdAfterIndeterminate } from './final-states.ts'
import { pendingAbandoned, pendingPursued, recreatedTooLate, tooManyRecreations } from './limits.ts'
import { hotLoop, noBackoff, overlap, retryAfterIgnored, twoLayers } from './pauses.ts'
import { idReused, payloadChanged, scheduleRecomputed } from './payload-changes.ts'
import { credentialsLoop, notReady, refusalRepeated } from './refusals.ts'
import type { Rule } from './rule.ts'
import {
  anonymousRepeat,
  createAfterIndeterminate,
  idLost,
  malformedId,
  newIdAfterSilence,
  newIdWhilePending,
  partialCollection,
  uploadRepeated,
} from './transaction-ids.ts'

/** Every rule of conduct, by its ID. */
export const rules: readonly Rule[] = [
  anonymousRepeat,
  newIdAfterSilence,
  newIdWhilePending,
  createAfterIndeterminate,
  sameIdAfterIndeterminate,
  sameIdAfterFailed,
  tooManyRecreations,
  recreatedTooLate,
  pendingPursued,
  pendingAbandoned,
  notRepeated,
  payloadChanged,
  scheduleRecomputed,
  refusalRepeated,
  hotLoop,
  noBackoff,
  overlap,
  retryAfterIgnored,
  idReused,
  malformedId,
  notReady,
  partialCollection,
  afterCreated,
  believedTooEarly,
  redirectBelieved,
  credentialsLoop,
  twoLayers,
  uploadRepeated,
  idLost,
  credentialsLeaked,
]
