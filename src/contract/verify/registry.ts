import type { ClauseEntry } from './check.ts'
import { choiceChecks } from './choice-checks.ts'
import { paginationChecks } from './collection-checks.ts'
import { commonChecks, conventionChecks } from './convention-checks.ts'
import { customerOperationChecks } from './customer-checks.ts'
import { conductChecks, endpointChecks, errorChecks } from './error-checks.ts'
import { linkChecks, selfLinkCheck } from './link-checks.ts'
import { mailingAndListChecks, mailingOperationChecks } from './mailing-checks.ts'
import { resourceAndStateChecks } from './resource-checks.ts'
import { sendingChecks, sendingOperationChecks } from './sending-checks.ts'
import { synchronizationChecks, synchronizationOperationChecks } from './synchronization-checks.ts'

/** The check of every clause of the register, each once. A new check is added to the file of its section. */
export const registry: readonly ClauseEntry[] = [
  ...commonChecks,
  ...resourceAndStateChecks,
  ...endpointChecks,
  ...sendingChecks,
  ...synchronizationChecks,
  ...mailingOperationChecks,
  ...customerOperationChecks,
  ...conductChecks,
  ...linkChecks,
  ...conventionChecks,
  ...errorChecks,
  ...paginationChecks,
  ...synchronizationOperationChecks,
  ...sendingOperationChecks,
  ...mailingAndListChecks,
  ...choiceChecks,
  // Last, after the requests of all other checks.
  selfLinkCheck,
]
