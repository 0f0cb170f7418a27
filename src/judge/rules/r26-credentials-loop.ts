import type { CaseFile } from '../case-file.ts'
import type { Attempt } from '../evidence.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** So many refusals in a row. */
const enough = 3

export const credentialsLoop = defineRule({
  id: 'R26',
  title: 'Went on with credentials that were refused',
  clause: '5',
  severity: 'warning',
  rests: 'worker',
  detection: 'The same request is refused with 401 or 403 three times in a row.',
  spared:
    'The first request of a client that shows its credentials only when it is asked for them; refusals that it may not have received.',
  *find(file: CaseFile): Iterable<Suspicion> {
    for (const loop of loopsIn(file))
      yield {
        evidence: loop,
        told: { answer: loop[0]!, later: loop.at(-1)! },
        sentence: `${loop[0]!.id} and the ${enough - 1} requests after it were refused with ${loop[0]!.told!.status}, and still the same came.`,
      }
  },
})

function loopsIn(file: CaseFile): Attempt[][] {
  const runs = new Map<string, Attempt[]>()
  const loops: Attempt[][] = []
  for (const attempt of file.attempts) {
    const { told, delivered } = attempt
    const isRefused = delivered === 'handed' && (told?.status === 401 || told?.status === 403)
    if (!isRefused && runs.size === 0) continue
    const key = `${attempt.user} ${attempt.method} ${attempt.target}`
    const known = runs.get(key) ?? []
    const last = known.at(-1)
    // What it may not have been told, it did not ignore.
    const run = last && file.knowledge.heard(last, attempt) !== 'refused' ? [] : known
    if (isRefused) run.push(attempt)
    runs.set(key, isRefused ? run : [])
    if (isRefused && run.length === enough) loops.push(run)
  }
  return loops
}
