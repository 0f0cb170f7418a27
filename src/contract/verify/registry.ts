import type { ClauseEntry } from './check.ts'
import { choiceChecks } from './choice-checks.ts'
import { paginationChecks } from './collection-checks.ts'
import { commonChecks, conventionChecks } from './convention-checks.ts'
import { customerOperationChecks } from './customer-checks.ts'
import { conductChecks, endpointChecks, errorChecks } from './error-checks.ts'
import { linkChecks, selfLinkChecks } from './link-checks.ts'
import { mailingAndListChecks, mailingOperationChecks } from './mailing-checks.ts'
import { resourceAndStateChecks } from './resource-checks.ts'
import { createSendingChecks, readSendingChecks, sendingOperationChecks } from './sending-checks.ts'
import {
  createSynchronizationChecks,
  createUploadChecks,
  listSynchronizationChecks,
  readSynchronizationChecks,
} from './synchronization-checks.ts'

/** The check of every clause of the register, each once. A new check is added to the file of its section. */
export const registry: readonly ClauseEntry[] = [
  ...commonChecks,
  ...resourceAndStateChecks,
  ...endpointChecks,
  ...createSendingChecks,
  ...readSendingChecks,
  ...readSynchronizationChecks,
  ...createUploadChecks,
  ...mailingOperationChecks,
  ...customerOperationChecks,
  ...conductChecks,
  ...linkChecks,
  ...conventionChecks,
  ...errorChecks,
  ...paginationChecks,
  ...createSynchronizationChecks,
  ...listSynchronizationChecks,
  ...sendingOperationChecks,
  ...mailingAndListChecks,
  ...choiceChecks,
  // Last, after the requests of all other checks.
  ...selfLinkChecks,
]
