/** One call of a client: what every HTTP stack can be told. */
export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly authorization: string
  readonly body?: string
  /** Milliseconds after which it gives up, by the means that the stack itself has for it. */
  readonly patience: number
}

/** What a stack makes of an answer, or the name that it has for what went wrong. */
export type Outcome = { readonly status: number; readonly text: string } | { readonly error: string }

/** An HTTP stack that people use. */
export interface Stack {
  readonly name: string
  /** Whether it is on this machine. */
  readonly isHere: boolean
  /** What its documentation calls a connection that is reset; undefined where it sends a POST again by itself, and tells nobody. */
  readonly reset: string | undefined
  /** What its documentation calls an answer that does not come in time. */
  readonly hang: string
  /** Where it makes something else of a damaged response than an attentive stack: mostly it takes damage for an answer. */
  readonly takes?: Readonly<Record<string, string | RegExp>>
  /** Gets ready; what it gives back is asked. */
  start(): { ask(call: Call): Promise<Outcome>; stop?(): void }
}

/** A stack in this process. @param told the name that an error has in it */
export const inProcess = (
  name: string,
  named: Pick<Stack, 'reset' | 'hang' | 'takes'>,
  ask: (call: Call) => Promise<{ status: number; text: string }>,
  told: (error: Error & { code?: string; cause?: { code?: string } }) => string,
): Stack => ({
  name,
  isHere: true,
  ...named,
  start: () => ({ ask: call => ask(call).catch(error => ({ error: told(error) })) }),
})

export const headersOf = ({ authorization }: Call) => ({
  Authorization: authorization,
  'Content-Type': 'application/json',
})
