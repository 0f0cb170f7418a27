import { channel } from 'node:diagnostics_channel'
import type { DialValues } from '../service/dials.ts'
import type { ServiceNames } from '../service/links.ts'
import type { Answer } from '../service/response.ts'

/** An answer of the service, with what it depends on. */
export interface TrueAnswer {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly answer: Answer
  readonly names: ServiceNames
  readonly dials: DialValues
}

const answers = channel('mailing-sync-mock:true-answer')

/** Whether anybody listens. Without a listener a request costs this look alone. */
export const areAnswersHeard = (): boolean => answers.hasSubscribers

export const publishAnswer = (answer: TrueAnswer): void => answers.publish(answer)

/**
 * Internal: the project's tests hold with it each true answer of each mock in the process against the OpenAPI document.
 * What a scenario tells instead of the truth is not published.
 * @returns ends it
 */
export function onAnswer(listen: (answer: TrueAnswer) => void): () => void {
  const hear = (answer: unknown) => listen(answer as TrueAnswer)
  answers.subscribe(hear)
  return () => void answers.unsubscribe(hear)
}
