import type { z } from 'zod'
import type { Scene } from './scene.ts'

/** What a verifier may put into a request in place of what its pact has: IDs above all. */
export type Values = Readonly<Record<string, string | number>>

/** A state that a pact may name in `given`: what is in the space, or how the service answers, when the request comes. */
export interface ProviderState {
  /** As a pact names it. A part in braces is a parameter that may stand in the name itself: `there is no list {listId}`. */
  readonly name: string
  /** Further names of the same. */
  readonly alsoNamed: readonly string[]
  readonly description: string
  readonly params: z.ZodObject
  /** Parameters that an earlier state of the same interaction gives when nobody else does. */
  readonly takes: readonly string[]
  /** What is given back, each with what it is. */
  readonly values: Readonly<Record<string, string>>
  /** @throws Problem 400 naming a parameter that cannot be */
  setUp(scene: Scene, params: never): Promise<Values>
}

interface Spec<Params extends z.ZodObject, Name extends string> {
  readonly name: string
  readonly alsoNamed?: readonly string[]
  readonly description: string
  readonly params: Params
  readonly takes?: readonly (string & keyof z.output<Params>)[]
  readonly values?: { readonly [Value in Name]: string }
  setUp(scene: Scene, params: z.output<Params>): Promise<{ readonly [Value in Name]: string | number }>
}

/** Keeps the types of parameters and values between what a state says of them and what it does. */
export const providerState = <Params extends z.ZodObject, Name extends string = never>(
  spec: Spec<Params, Name>,
): ProviderState => ({ alsoNamed: [], takes: [], values: {}, ...spec }) as ProviderState
