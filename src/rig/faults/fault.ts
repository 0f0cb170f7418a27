import type { z } from 'zod'
import type { Answer } from '../../service/answer.ts'

/** The client's side of one exchange, as a fault can act on it. Nothing of it fails when the client has left. */
export interface Wire {
  /** Raw bytes as they go out, head included. Resolves when they are handed to the operating system. */
  write(bytes: string | Uint8Array): Promise<void>
  /**
   * Closes the connection in order (FIN), after what was written. `whole`: that was the whole answer, nothing is cut.
   * Resolves when it is done.
   */
  end(what?: 'whole'): Promise<void>
  /** Breaks the connection (RST). Resolves when it is done. */
  reset(): Promise<void>
  /** Resolves when the client has left, the server stops, or the exchange is over for any other reason. */
  readonly gone: Promise<void>
  /** Waits in real time, at most until the client has left. False when it has. */
  pause(milliseconds: number): Promise<boolean>
}

/** What a fault may look at beside the answer. */
export interface FaultContext {
  /** Base URL of this server, without a slash at the end. */
  readonly base: string
  /** Path and query of the request. */
  readonly path: string
  /** At least 0, below 1; the same for the same space, request and purpose. */
  readonly fraction: (purpose: string) => number
}

export type FaultGroup = 'no answer' | 'cut' | 'slow' | 'wrong'

interface Described<Settings> {
  /** As a scenario writes it. */
  readonly name: string
  /** One sentence for documentation and error messages: what the client sees. */
  readonly description: string
  readonly group: FaultGroup
  /** What may stand beside `fault:` in a scenario; strict. */
  readonly settings: z.ZodType<Settings>
  /** Strikes as soon as the head of the request is there, its body unread. Only in phase `before`. */
  readonly early?: true
  /** Strikes only on a connection that has carried a request before. */
  readonly onlyReused?: true
}

/** Acts on the connection with the answer that would have gone out. Resolves when nothing more will be done. */
export interface WireFault<Settings = unknown> extends Described<Settings> {
  deliver(answer: Answer, wire: Wire, settings: Settings, context: FaultContext): Promise<void>
}

/** Changes the answer that would have gone out; what it makes of it is delivered whole and in order. */
export interface AnswerFault<Settings = unknown> extends Described<Settings> {
  falsify(answer: Answer, settings: Settings, context: FaultContext): Answer
}

export type Fault<Settings = unknown> = WireFault<Settings> | AnswerFault<Settings>

/** Keeps the type of the settings between the schema and the function that gets them. */
export const defineFault = <Settings>(fault: Fault<Settings>): Fault => fault as Fault
