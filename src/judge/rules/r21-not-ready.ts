import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { defineRule, type Suspicion } from './rule.ts'

const looks = new Set(['getMailingSynchronization', 'listMailingSynchronizations'])

export const notReady = defineRule({
  id: 'R21',
  title: 'Created without asking whether it is ready',
  clause: '3 rule 3',
  severity: 'warning',
  rests: 'request',
  detection:
    'A sending is refused because the mailing is not approved, and nobody has read readyForSending of the synchronization before.',
  spared: 'A client that looked at any time before: the approval may have been taken back since.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const look = file.attempts.find(({ operation }) => isLook(operation))?.number ?? Number.POSITIVE_INFINITY
    for (const sending of file.sendings.filter(({ attempts }) => attempts.some(isNotReady))) {
      const refused = sending.attempts.filter(isNotReady)
      const first = refused[0]!
      if (look < first.number) continue
      yield {
        sending,
        evidence: refused,
        sentence: `${first.id} was refused with ${first.told!.status}, since the mailing is not approved; nobody had read readyForSending before.`,
      }
    }
  },
})

const isNotReady = ({ told }: Attempt) => told?.problem === 'not-ready-for-sending'

const isLook = (operation: string | undefined) => operation !== undefined && looks.has(operation)
