import { type Belief, beliefs } from '../../rig/scenarios/terms.ts'

export interface ClientCall {
  readonly case: string
  /** Base URL of the service, without a slash at the end. */
  readonly url: string
  /** File in PEM with the certificate authority to trust; undefined over HTTP. */
  readonly caFile: string | undefined
  readonly user: string
  readonly password: string
  readonly synchronizationId: string
  /** A directory that survives a restart of the client. */
  readonly state: string
  /** A date-time to send at, if the case has one. */
  readonly scheduleDate: string | undefined
  /** Speed of the service's clock; 1 is real time. */
  readonly speed: number
  /** Aborts when the result of the client is no longer needed. */
  readonly signal: AbortSignal
}

export interface Ending {
  readonly believes: Belief
  /** None for a function, or for a process that was ended by a signal. */
  readonly exitCode?: number | undefined
  readonly signal?: NodeJS.Signals | undefined
  /** The exception that ended it: what a function threw, or a program did not catch. */
  readonly error?: string | undefined
  /** Whether a function gave no belief; `error` says what it gave. */
  readonly isWithoutBelief?: true
  /** Its output on both streams; the middle of long output is left out. */
  readonly output: string
}

/** The client's starts, and whether they went as planned. */
export interface ClientRuns {
  readonly endings: readonly Ending[]
  /** When it was killed on purpose and started again, in milliseconds of real time. */
  readonly restarts?: readonly number[]
  /** Why the runs deviate from the plan; undefined if they do not. */
  readonly deviation?: string | undefined
  /** Why an error would prove nothing; undefined if it does. */
  readonly doubt?: string | undefined
  /** Why its pauses are not known, so that a warning would prove nothing either; undefined if they are. */
  readonly pauseDoubt?: string | undefined
}

/** A program with its arguments, and the environment that it inherits. */
export interface WarmCommand {
  readonly command: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** Where a client asks for its waits. */
export interface ClientTime {
  /** Whether it has asked. */
  readonly isFollowed: boolean
  /** @returns the time on the client's clock when the wait has ended, in milliseconds since 1970 */
  wait(milliseconds: number): Promise<number>
}

/** Something that sends one mailing whenever it is started. */
export interface Client {
  /** Whether it can be killed and started again. */
  readonly isProcess: boolean
  /** Whether it stays alive between cases. */
  readonly isWarm?: boolean
  /** For reports: its command line, or the name of the function. */
  readonly name: string
  /** Whether it has asked for a wait, so that its waits take no real time. */
  readonly hasAskedForWait?: boolean
  /** The command of one that stays alive, and what it inherits. */
  readonly warmCommand?: WarmCommand
  /**
   * @param mayBeKilled whether the case kills this start
   * @param time where it may ask for a wait; undefined if it has to wait by itself
   * @throws CommandError when there is no such command
   */
  run(call: ClientCall, mayBeKilled?: boolean, time?: ClientTime): Promise<Ending>
}

/** A client as a function of this process. It should give up when the call's signal aborts. */
export type ClientFunction = (call: ClientCall) => Promise<Belief>

export const functionClient = (send: ClientFunction): Client => ({
  isProcess: false,
  name: send.name === '' ? 'a function' : `function ${send.name}`,
  run: async call => {
    const stopped = new Promise<Ending>(resolve => {
      const stop = () => resolve({ believes: 'unknown', output: '' })
      if (call.signal.aborted) stop()
      else call.signal.addEventListener('abort', stop, { once: true })
    })
    const ended = async (): Promise<Ending> => {
      try {
        const value: unknown = await send(call)
        const belief = beliefs.find(it => it === value)
        return belief ? { believes: belief, output: '' } : endingWithout(value)
      } catch (error) {
        return {
          believes: 'unknown',
          error: error instanceof Error ? error.message : String(error),
          output: '',
        }
      }
    }
    return Promise.race([ended(), stopped])
  },
})

const endingWithout = (value: unknown): Ending => ({
  believes: 'unknown',
  error: `the client's function gave ${String(value)}; expected one of ${beliefs.join(', ')}`,
  isWithoutBelief: true,
  output: '',
})
