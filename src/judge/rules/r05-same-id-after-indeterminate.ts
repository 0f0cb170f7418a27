import { defineRule } from './rule.ts'
import { sameIdAfter } from './same-id-after.ts'

export const sameIdAfterIndeterminate = defineRule({
  id: 'R05',
  title: 'Repeated after INDETERMINATE_FAILURE',
  clause: '3 rule 4',
  severity: 'warning',
  rests: 'worker',
  detection: 'The same transactionId again, after the client was told INDETERMINATE_FAILURE under it.',
  spared: 'An answer that the client may not have received; a client that was restarted in between; a GET.',
  survivesLoss: true,
  find: file =>
    sameIdAfter('INDETERMINATE_FAILURE', file, 'which a client must not retry; support has to look into it'),
})
