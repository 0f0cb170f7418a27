import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { told } from '../gaps.ts'
import { defineRule, type Suspicion } from './rule.ts'
import { times } from './sentences.ts'

export const refusalRepeated = defineRule({
  id: 'R14',
  title: 'Refused request repeated unchanged',
  clause: '7',
  severity: 'warning',
  rests: 'worker',
  detection: 'The same bytes to the same address, after the service itself refused them with a 4xx.',
  spared:
    'A 4xx that somebody on the way may have made; 401 and 403, which R26 is about; 408, 425, 429; a repeat after the client changed something or read how things stand; GET requests.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const last = new Map<string, Attempt>()
    const repeated = new Map<string, { refusal: Attempt; repeats: Attempt[] }>()
    const others = new Others()
    for (const attempt of file.attempts) {
      others.add(attempt)
      if (attempt.method === 'GET' || attempt.method === 'HEAD') continue
      const isNew = isRefusal(attempt)
      if (!isNew && last.size === 0) continue
      const key = `${attempt.user} ${attempt.method} ${attempt.target}\n${attempt.asked.bytes}`
      const before = last.get(key)
      if (isNew) last.set(key, attempt)
      else last.delete(key)
      if (!before || file.knowledge.heard(before, attempt) !== 'refused') continue
      if (file.resends.has(attempt) || others.isAnySince(before)) continue
      const known = repeated.get(key)
      if (known) known.repeats.push(attempt)
      else repeated.set(key, { refusal: before, repeats: [attempt] })
    }
    for (const { refusal, repeats } of repeated.values())
      yield {
        evidence: [refusal, ...repeats],
        told: { answer: refusal, later: repeats[0]! },
        sentence: `${refusal.id} was refused with ${told(refusal)}, and came again unchanged ${times(repeats.length)}.`,
      }
  },
})

/** Said by the service, not made by a scenario as by somebody on the way. */
const isRefusal = ({ told, truth }: Attempt) =>
  told !== undefined &&
  told.status >= 400 &&
  told.status < 500 &&
  told.status !== 401 &&
  told.status !== 403 &&
  truth?.status === told.status

/** Whatever else a client did in between may have changed the matter, or told it that the matter has changed. */
class Others {
  /** Number of the last request, by synchronization and operation. */
  readonly #last = new Map<string | undefined, Map<string | undefined, number>>()

  add({ synchronizationId, operation, number }: Attempt): void {
    const known = this.#last.get(synchronizationId)
    if (known) known.set(operation, number)
    else this.#last.set(synchronizationId, new Map([[operation, number]]))
  }

  isAnySince({ synchronizationId, operation: own, number: since }: Attempt): boolean {
    for (const about of new Set([synchronizationId, undefined]))
      for (const [operation, number] of this.#last.get(about) ?? [])
        if (operation !== own && number > since) return true
    return false
  }
}
