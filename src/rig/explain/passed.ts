import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { Entry } from '../entry.ts'
import { toldState } from '../entry-reader.ts'
import type { Decision } from '../play.ts'
import type { Rule } from '../scenarios/scenario.ts'
import type { Known } from './known.ts'
import { sendingOf } from './sending-of.ts'

/** Whether what came next for a request that was struck has come already. */
export function hasPassed(entry: Entry, decision: Decision, rule: Rule, { rig, reader }: Known): boolean {
  const now = rig.clock.now()
  const { step } = decision
  if (step.for !== undefined && entry.arrived.clock + step.for <= now) return true
  const sending = sendingOf(entry, rig, reader)
  const state = entry.truth && toldState(entry.truth)
  if (sending && state !== undefined && stateOf(sending, now) !== state) return true
  return rig.journal
    .entries()
    .some(
      later =>
        later.number > entry.number &&
        later.decision?.scenario === decision.scenario &&
        later.decision.by === decision.by &&
        later.decision.rule === decision.rule &&
        isCountedWith(later, entry, rule, reader),
    )
}

/** Whether a rule counts two requests as attempts of the same. */
function isCountedWith(later: Entry, entry: Entry, { per }: Rule, reader: Known['reader']): boolean {
  if (per === 'space') return true
  const transactionId = reader.transactionId(entry)
  if (per === 'transaction' && transactionId !== undefined)
    return (
      reader.transactionId(later) === transactionId &&
      reader.synchronizationId(later) === reader.synchronizationId(entry)
    )
  return (
    later.method === entry.method &&
    later.target === entry.target &&
    reader.digest(later)?.payloadSha256 === reader.digest(entry)?.payloadSha256
  )
}
