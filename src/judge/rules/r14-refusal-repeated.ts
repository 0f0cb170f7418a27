import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { told } from '../gaps.ts'
import { Nested } from '../nested.ts'
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
    for (const { shown } of repeatedIn(file)) {
      const [refusal, again] = [shown[0]!, shown[1]!]
      yield {
        evidence: shown,
        told: { answer: refusal, later: again },
        sentence: `${refusal.id} was refused with ${told(refusal)}, and came again unchanged ${times(shown.length - 1)}.`,
      }
    }
  },
})

/** What is known of requests that are all the same. */
interface Alike {
  /** The last one, if it was refused. */
  refusal: Attempt | undefined
  /** The refusal that was not heeded, and those that came after it. */
  readonly shown: Attempt[]
}

function repeatedIn(file: CaseFile): ReadonlySet<Alike> {
  const alike = new Nested<Alike>()
  const repeated = new Set<Alike>()
  const others = new Others()
  let hasRefused = false
  for (const attempt of file.attempts) {
    others.add(attempt)
    if (attempt.method === 'GET' || attempt.method === 'HEAD') continue
    const isNew = isRefusal(attempt)
    hasRefused ||= isNew
    if (!hasRefused) continue
    const place = alike.at(attempt.user, attempt.method, attempt.target, attempt.asked.bytes)
    place.value ??= { refusal: undefined, shown: [] }
    const same = place.value
    const before = same.refusal
    same.refusal = isNew ? attempt : undefined
    if (!before || file.knowledge.heard(before, attempt) !== 'refused') continue
    if (file.resends.has(attempt) || others.isAnySince(before)) continue
    if (same.shown.length === 0) same.shown.push(before)
    same.shown.push(attempt)
    repeated.add(same)
  }
  return repeated
}

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
