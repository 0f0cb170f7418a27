import { anonymousRepeat } from './r01-anonymous-repeat.ts'
import { newIdAfterSilence } from './r02-new-id-after-silence.ts'
import { newIdWhilePending } from './r03-new-id-while-pending.ts'
import { createAfterIndeterminate } from './r04-create-after-indeterminate.ts'
import { sameIdAfterIndeterminate } from './r05-same-id-after-indeterminate.ts'
import { sameIdAfterFailed } from './r06-same-id-after-failed.ts'
import { tooManyRecreations } from './r07-too-many-recreations.ts'
import { recreatedTooLate } from './r08-recreated-too-late.ts'
import { pendingPursued } from './r09-pending-pursued.ts'
import { pendingAbandoned } from './r10-pending-abandoned.ts'
import { notRepeated } from './r11-not-repeated.ts'
import { payloadChanged } from './r12-payload-changed.ts'
import { scheduleRecomputed } from './r13-schedule-recomputed.ts'
import { refusalRepeated } from './r14-refusal-repeated.ts'
import { hotLoop } from './r15-hot-loop.ts'
import { noBackoff } from './r16-no-backoff.ts'
import { overlap } from './r17-overlap.ts'
import { retryAfterIgnored } from './r18-retry-after-ignored.ts'
import { idReused } from './r19-id-reused.ts'
import { malformedId } from './r20-malformed-id.ts'
import { notReady } from './r21-not-ready.ts'
import { partialCollection } from './r22-partial-collection.ts'
import { afterCreated } from './r23-after-created.ts'
import { believedTooEarly } from './r24-believed-too-early.ts'
import { redirectBelieved } from './r25-redirect-believed.ts'
import { credentialsLoop } from './r26-credentials-loop.ts'
import { twoLayers } from './r27-two-layers.ts'
import { uploadRepeated } from './r28-upload-repeated.ts'
import { idLost } from './r29-id-lost.ts'
import { credentialsLeaked } from './r30-credentials-leaked.ts'
import type { Rule } from './rule.ts'

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
