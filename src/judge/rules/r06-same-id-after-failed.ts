import { defineRule } from './rule.ts'
import { sameIdAfter } from './same-id-after.ts'

export const sameIdAfterFailed = defineRule({
  id: 'R06',
  title: 'Repeated with the same transactionId after FAILED',
  clause: '3 rule 4, 4.1 rule 10',
  severity: 'error',
  rests: 'worker',
  detection: 'The same transactionId again, after the client was told FAILED under it.',
  spared: 'An answer that the client may not have received; a client that was restarted in between.',
  survivesLoss: true,
  find: file =>
    sameIdAfter('FAILED', file, 'which is final: only another transactionId can still get the mailing sent'),
})
