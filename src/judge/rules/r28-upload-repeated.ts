import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { told } from '../gaps.ts'
import { isOver } from '../knowledge.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const uploadRepeated = defineRule({
  id: 'R28',
  title: 'Mailing-upload repeated after an error or silence',
  clause: '4.10',
  severity: 'warning',
  rests: 'worker',
  detection:
    'A mailing-upload is created again for the same synchronization, after the answer to the first was an error or was lost. It knows no transactionId: each makes a mailing on the platform.',
  spared: 'A repeat after a refusal or 429; an upload that was under way at the same time.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const last = new Map<string | undefined, Attempt>()
    const uploads = file.attempts.filter(({ operation }) => operation === 'createMailingUpload')
    for (const upload of uploads) {
      const before = last.get(upload.synchronizationId)
      last.set(upload.synchronizationId, upload)
      if (!before || !isOver(before, upload)) continue
      if (isAnswered(file, before, upload)) continue
      yield {
        evidence: [before, upload],
        told: { answer: before, later: upload },
        sentence: `${before.id} got ${told(before)}, and ${upload.id} asked for the same again.`,
      }
    }
  },
})

function isAnswered(file: CaseFile, before: Attempt, later: Attempt): boolean {
  const heard = file.knowledge.mayHaveHeard(before, later)
  if (heard === undefined) return false
  return heard !== 'unknown' || before.told!.status < 300
}
