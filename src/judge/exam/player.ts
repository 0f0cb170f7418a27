import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CaseHost } from './case-host.ts'
import type { ExamCase } from './cases.ts'
import { type CaseRun, playCase } from './run-case.ts'

export type Play = Awaited<ReturnType<typeof playCase>>

/** Plays cases and plans to a client, as many at a time as it is asked to. */
export interface Player {
  /** Whether runs happen in time that nothing disturbs, so that they can be compared, and need no wait. */
  readonly isExact: boolean
  /** Whether the client can be killed and started again. */
  readonly isKillable: boolean
  /**
   * @param speed of the service's clock, if it is not the usual one
   * @param isKept whether a capsule is made of a run that shows something, if any is wanted; by default of a case
   * @throws CommandError, NoUserWithWriteAccess; UserError when the client cannot be played
   */
  play(exam: ExamCase, speed?: number, isKept?: boolean): Promise<Play>
}

/** What cases are played with. */
export interface PlayerOptions extends Omit<CaseRun, 'limit'> {
  readonly host: CaseHost
  readonly isExact: boolean
  /** Milliseconds that the client may take, on the clock that is in force. */
  readonly limitOf: (exam: ExamCase, speed: number) => number
  /** Lets time pass while a case is played. */
  readonly during?: <Value>(work: () => Promise<Value>) => Promise<Value>
}

/** Plays each case in a space of its own, in this thread. */
export function casePlayer(options: PlayerOptions): Player {
  const { host, isExact, limitOf, client, directory, during = work => work() } = options
  let plans = 0
  // With the same name the same IDs are drawn, so that runs can be compared.
  const tagOf = ({ isPlan, name }: ExamCase) => (!isPlan ? name : isExact ? 'plan' : `plan-${++plans}`)
  return {
    isExact,
    isKillable: client.isProcess,
    play: (exam, speed = options.speed, isKept) =>
      during(async () => {
        // Asynchronous calls wait for a thread, which takes longer than a run in virtual time.
        const store = mkdtempSync(join(directory, 'run-'))
        try {
          const run = { ...options, speed, directory: store, limit: limitOf(exam, speed) }
          return await playCase(exam, tagOf(exam), host, run, isKept)
        } finally {
          rmSync(store, { recursive: true, force: true, maxRetries: 3 })
        }
      }),
  }
}
