import type { PlatformSending } from '../../store/rows.ts'
import { Brought } from '../brought.ts'
import type { Entry } from '../entry.ts'
import { secretsIn, withoutSecrets } from '../redaction.ts'
import { change } from './change.ts'
import { done } from './done.ts'
import type { Explanation } from './explanation-shape.ts'
import type { Known } from './known.ts'
import { statusAndState, told } from './told.ts'
import { why } from './why.ts'
import { quoted } from './words.ts'

/** One answer in sentences: why it was this one, what truly happened, and what would have changed it. */
export function explain(entry: Entry, given: Omit<Known, 'reader'>): Explanation {
  const known: Known = { ...given, reader: given.rig.reader }
  const secrets = secretsIn(entry)
  const shown = (sentences: readonly string[]) => sentences.map(it => withoutSecrets(it, secrets))
  return {
    summary: withoutSecrets(summary(entry, known), secrets),
    why: shown(why(entry, known)),
    done: shown(done(entry, known)),
    told: shown(told(entry, known)),
    change: shown(change(entry, known)),
  }
}

function summary(entry: Entry, known: Known): string {
  const { reader, effects, rig } = known
  const { decision } = entry
  const operation = reader.operation(entry)
  const transactionId = reader.transactionId(entry)
  const what = operation ?? `${entry.method} of what the service does not have`
  const by = transactionId === undefined ? '' : ` with transactionId ${quoted(transactionId)}`
  const cause = decision
    ? ` (${decision.by === 'one-shot fault' ? 'one-shot fault' : 'scenario'} ${decision.scenario})`
    : ''
  const brought = new Brought(rig, effects.of(entry.id).sendings)
  const now = rig.clock.now()
  const words = ({ id, startsAt }: PlatformSending) =>
    Date.parse(startsAt) > now ? `platform sending ${id} is scheduled` : `platform sending ${id} went out`
  const truth = [
    ...brought.during(entry.id).map(words),
    ...brought
      .later(entry.id)
      .map(({ row, at }) => `${words(row)} ${at ? `later, at ${at.id}` : `later, at ${row.requestedAt}`}`),
  ]
  return `${what}${by}: ${outcome(entry)}${cause}${truth.length > 0 ? `; ${truth.join(', ')}` : ''}.`
}

function outcome({ told: given, delivered }: Entry): string {
  if (delivered === 'open') return 'still open, no answer has left'
  if (!given) return 'no answer was made'
  const answer = statusAndState(given)
  if (delivered === 'handed') return `answered ${answer}`
  if (delivered === 'cut') return `${answer} was cut on its way`
  if (delivered === 'none') return `${answer} was withheld`
  return delivered === 'aborted'
    ? `the client left before it had ${answer}`
    : `the mock was stopped before ${answer} had left`
}
