import { setMaxListeners } from 'node:events'
import { type CaseResult, type ExamResult, isUnproved, isWarning } from '../../rig/exam-shape.ts'
import { realTime } from '../../rig/journal.ts'
import { type Choice, ChoiceError, chosen } from './choice.ts'
import type { Client } from './client.ts'
import { type ExamCase, isSlow, needsProcess } from './exam-case.ts'
import { inParallel } from './jobs.ts'
import { shellWord } from './reproduce.ts'
import { runCase } from './run-case.ts'
import { cleared, type Stage, staged } from './stage.ts'
import { Stores } from './stores.ts'

/** How an exam goes on, for whoever watches. */
export interface Progress {
  readonly done: number
  readonly all: number
  readonly running: readonly string[]
  /** The case that has just ended; undefined when one begins. */
  readonly ended: CaseResult | undefined
}

export interface ExamSettings extends Choice {
  readonly client: Client
  /** Where IDs, figures and chances come from. */
  readonly seed: number
  /** So many times as fast as real time the service's clock runs; 1 at least. */
  readonly speed: number
  /** Cases at a time. */
  readonly jobs: number
  /** Real milliseconds that a client may take for a case; by default what is usual for it. */
  readonly limit?: number | undefined
  readonly signal: AbortSignal
  /** A command line that plays one case alone. */
  readonly reproduce?: (exam: ExamCase) => string
  readonly onProgress?: (progress: Progress) => void
}

const minute = 60_000
/** However fast the clock runs, a process has to start and to end. */
const leastLimit = 15_000

/**
 * Plays cases to a client, each in a space of its own, and judges what it did.
 * @throws ChoiceError, CommandError, NobodyMaySend
 */
export async function playExam(
  cases: readonly ExamCase[],
  stage: Stage,
  settings: ExamSettings,
): Promise<ExamResult> {
  const { client, seed, speed, jobs, signal, reproduce, onProgress } = settings
  const wanted = chosen(cases, settings).filter(it => client.isProcess || !needsProcess(it))
  if (wanted.length === 0)
    throw new ChoiceError('in these cases the client has to be killed, which only a command can be')
  // Every case under way listens to it.
  setMaxListeners(0, signal)
  const began = realTime()
  const running = new Set<string>()
  let done = 0
  const tell = (ended?: CaseResult) =>
    onProgress?.({ done, all: wanted.length, running: [...running], ended })
  const stores = await Stores.open()
  try {
    const results = await inParallel(wanted, jobs, signal, async exam => {
      running.add(exam.name)
      tell()
      const place = await staged(exam, exam.name, stage, { seed, speed })
      const limit = settings.limit ?? usualLimit(exam, speed)
      const store = () => stores.fresh()
      const run = { client, store, limit, signal, reproduce: reproduce?.(exam) }
      const result = await runCase(place, run).finally(() => {
        running.delete(exam.name)
        return cleared(place)
      })
      // All that there is to know of it is in the result.
      await stage.tools.spaces.remove(place.rig.space.name)
      done++
      tell(result)
      return result
    })
    return resultOf(
      results.filter(it => it !== undefined),
      { seed, speed, began, isWhole: !signal.aborted, client: nameOf(client) },
    )
  } finally {
    await stores.remove()
  }
}

/** Real milliseconds that a client may usually take for a case. */
export const usualLimit = (exam: ExamCase, speed: number): number =>
  Math.max(leastLimit, (isSlow(exam) ? 25 * minute : minute) / speed)

interface Frame extends Pick<ExamResult, 'seed' | 'speed' | 'isWhole' | 'client'> {
  /** Milliseconds since 1970, by the machine's clock. */
  readonly began: number
}

/** The result of an exam from those of its cases. */
export function resultOf(cases: CaseResult[], { began, ...frame }: Frame): ExamResult {
  const count = (status: CaseResult['status']) => cases.filter(it => it.status === status).length
  return {
    version: 1,
    ...frame,
    began: new Date(Math.floor(began)).toISOString(),
    realSeconds: Math.round(realTime() - began) / 1000,
    passed: count('passed'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    isPassed: frame.isWhole && count('failed') === 0 && count('passed') > 0 && !cases.some(isUnproved),
    warnings: cases.flatMap(it => it.findings).filter(isWarning).length,
    cases,
  }
}

const nameOf = ({ command }: Client) => command?.map(shellWord).join(' ') ?? 'a function'
