import type { ClientCall } from '../judge/exam/client.ts'
import type { AnswerPart, WorkerWord } from '../judge/orders/stage.ts'

/** What a thread of a worker is made with. */
export interface WorkerData {
  /** URL of the module that is the client. */
  readonly module: string
  readonly seed: number
  /** 1 or 2. */
  readonly number: number
  /** When every run begins, in milliseconds since 1970. */
  readonly start: number
  /** Tells a worker that waits in a synchronous call how it goes on. */
  readonly gate: SharedArrayBuffer
}

/** Values of the gate. */
export const gateValues = { closed: 0, open: 1, killed: 2 } as const

/** To a worker. */
export type WorkerOrder =
  | { readonly kind: 'begin'; readonly call: Omit<ClientCall, 'signal'>; readonly now: number }
  | { readonly kind: 'wake'; readonly now: number }
  | {
      readonly kind: 'deliver'
      readonly now: number
      readonly request: number
      readonly parts: readonly AnswerPart[]
    }
  | { readonly kind: 'pass'; readonly file: number }
  | { readonly kind: 'kill' }

/** From the thread of a worker. After an order the last one is `still`, with what has happened since. */
export type ThreadWord =
  | WorkerWord
  | { readonly kind: 'refusal'; readonly message: string }
  | { readonly kind: 'still'; readonly due: number | undefined; readonly isBlocked: boolean }
