import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf, times } from './sentences.ts'

export const afterCreated = defineRule({
  id: 'R23',
  title: 'Went on after CREATED',
  clause: '3 rule 4',
  severity: 'information',
  rests: 'worker',
  detection:
    'The same transactionId again, after the client has proved that it was told CREATED: harmless. With another one, or none, it is an error.',
  spared: 'An answer that left whole and is not proved to have been received; a client that was restarted.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const sending of file.repeated)
      for (const transaction of sending.transactions) {
        if (transaction.transactionId === undefined) continue
        const { attempts } = transaction
        const created = attempts.find(
          it => file.knowledge.receipt(it) === 'proved' && file.knowledge.known(it) === 'CREATED',
        )
        const repeats = created
          ? attempts.filter(
              it =>
                it.number > created.number &&
                file.knowledge.heard(created, it) &&
                !file.isRestartBetween(created, it),
            )
          : []
        if (!created || repeats.length === 0) continue
        yield {
          sending,
          evidence: [created, ...repeats],
          told: { answer: created, later: repeats[0]! },
          sentence: `${created.id} was told CREATED under ${idOf(transaction)}, and the same came again ${times(repeats.length)}.`,
        }
      }
    for (const { kind, sending, to, first, teller, requests } of file.switches)
      if (kind === 'CREATED')
        yield {
          sending,
          severity: 'error',
          evidence: requests,
          told: { answer: teller ?? first, later: first },
          isOpen: sending.basis !== 'declared',
          sentence: `The sending was CREATED, and known to be, when ${first.id} created it once more with ${idOf(to)}.`,
        }
  },
})
