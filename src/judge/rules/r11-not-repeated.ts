import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { lived, told } from '../gaps.ts'
import { meantFor } from '../hearing.ts'
import { lastOf } from '../last-transaction.ts'
import { waitTold } from '../retry-after.ts'
import { inWords } from '../time.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { idOf, times } from './sentences.ts'

/** A client that has tried so often, over so many milliseconds, has done what can be asked. */
const enough = { attempts: 3, time: 30_000 }
/** A client may take a longer wait than this for a no. */
const longWait = 5 * 60_000

export const notRepeated = defineRule({
  id: 'R11',
  title: 'Not repeated after an error or silence',
  clause: '4.1 rule 8',
  severity: 'error',
  rests: 'end',
  detection:
    'The last answer was an error, was lost or cannot be believed, and the client ended: without any repeat (a warning if it says that it does not know), or after fewer than 3 attempts or less than 30 s, and believes that nothing was sent.',
  spared:
    'Attempts without a transactionId, which must not be repeated; a client that read the sending afterwards; one that the exam stopped. As long as nobody says that the client has ended, it stays open.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const { end, knowledge } = file
    // An answer that may have been received, or was about something else, is no silence.
    const isSilence = (last: Attempt) => knowledge.receipt(last) === 'none' || meantFor(last) === 'unknown'
    for (const sending of file.sendings.filter(({ attempts }) => isSilence(attempts.at(-1)!))) {
      const { transaction, last } = lastOf(sending)
      if (transaction.transactionId === undefined || end?.stopped || end?.believes === 'sent') continue
      if (file.wentOnAfter(last)) continue
      if ((waitTold(last)?.wait ?? 0) > longWait) continue
      const attempts = transaction.attempts.filter(it => !file.resends.has(it))
      const first = attempts[0]!
      const time = last.ended
        ? lived({ ...first, ended: first.arrived }, { ...last, arrived: last.ended })
        : 0
      const isShort = attempts.length < enough.attempts || time < enough.time
      if (end && attempts.length > 1 && !(isShort && end.believes === 'not-sent')) continue
      yield {
        sending,
        evidence: [last],
        isOpen: !end,
        ...(end?.believes === 'unknown' && { severity: 'warning' }),
        sentence: end
          ? `${last.id} with ${idOf(transaction)} got ${told(last)}, and the client ended after it had asked ${times(attempts.length)}${attempts.length > 1 ? ` in ${inWords(time)}` : ''}. A repeat with the same transactionId would have told what became of it.`
          : `${last.id} with ${idOf(transaction)} got ${told(last)}. Whether the client has given up, only its end tells.`,
      }
    }
  },
})
