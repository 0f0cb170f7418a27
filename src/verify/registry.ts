import type { Entry } from './check.ts'
import { common } from './checks/2-0-common.ts'
import { self } from './checks/2-0-self.ts'
import { mailing } from './checks/2-1-mailing.ts'
import { synchronization } from './checks/2-2-synchronization.ts'
import { sending, states } from './checks/2-3-sending.ts'
import { mailingUpload } from './checks/2-4-mailing-upload.ts'
import { statistics } from './checks/2-5-statistics.ts'
import { previewAndRecipients } from './checks/2-6-preview.ts'
import { customers } from './checks/2-9-customers.ts'
import { endpoints } from './checks/4-0-endpoints.ts'
import { createSending } from './checks/4-1-create-sending.ts'
import { readSendings } from './checks/4-2-read-sendings.ts'
import { readSynchronizations } from './checks/4-5-synchronizations.ts'
import { createUpload } from './checks/4-10-uploads.ts'
import { mailingOperations } from './checks/4-12-mailings.ts'
import { customerOperations } from './checks/4-14-customers.ts'
import { conduct } from './checks/5-conduct.ts'
import { conventions, conventionsOutside } from './checks/s-conventions.ts'
import { createSynchronization } from './checks/s-create-synchronization.ts'
import { errors } from './checks/s-errors.ts'
import { links } from './checks/s-links.ts'
import { mailingsAndLists } from './checks/s-mailings.ts'
import { pagination } from './checks/s-pagination.ts'
import { sendingOperations } from './checks/s-sendings.ts'
import { listSynchronizations } from './checks/s-synchronizations.ts'

/** How every clause of the register is answered for, each once. A new check is added to the file of its section. */
export const registry: readonly Entry[] = [
  ...common,
  ...mailing,
  ...synchronization,
  ...sending,
  ...states,
  ...mailingUpload,
  ...statistics,
  ...previewAndRecipients,
  ...customers,
  ...endpoints,
  ...createSending,
  ...readSendings,
  ...readSynchronizations,
  ...createUpload,
  ...mailingOperations,
  ...customerOperations,
  ...conduct,
  ...links,
  ...conventions,
  ...conventionsOutside,
  ...errors,
  ...pagination,
  ...createSynchronization,
  ...listSynchronizations,
  ...sendingOperations,
  ...mailingsAndLists,
  // Last, when all the others have asked what they ask.
  ...self,
]
