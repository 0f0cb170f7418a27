import type { MessagePort } from 'node:worker_threads'
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
  /** Integers that worker and stage share; `shared` has their positions. */
  readonly gate: SharedArrayBuffer
  /** Where the worker says what it has done. */
  readonly port: MessagePort
}

/** Positions of what worker and stage share. */
export const shared = {
  /** Tells a worker that waits in a synchronous call how it goes on: one of `gateValues`. */
  door: 0,
  /** Number of times that it has said something. */
  said: 1,
} as const

/** Values of the door. */
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

/** From the thread of a worker: once when it has begun, and then after each order, when it waits again. */
export type ThreadWord =
  | { readonly refusal: string }
  | {
      /** What it has done since the last time. */
      readonly words: readonly WorkerWord[]
      readonly due: number | undefined
      readonly isBlocked: boolean
    }
