import type { Answer } from '../service/answer.ts'
import { nearby } from './nearby.ts'
import type { RequestFacts } from './request-facts.ts'
import type { SpaceRig } from './space-rig.ts'

const longest = 300

/** What an answer says beside itself to whoever is testing: besides the request's ID, which is always there. */
export interface Hints {
  /** The one that struck. */
  readonly scenario: string | undefined
  /** On a refusal: what was expected, and what exists nearby. */
  readonly sentence: string | undefined
}

const onlyId: Hints = { scenario: undefined, sentence: undefined }

/** The hints to an answer. The same object for all that say nothing more than the ID. */
export function hintsTo(answer: Answer, scenario: string | undefined, sentence: () => string): Hints {
  const isRefusal = answer.status >= 400 && answer.status < 500
  if (!isRefusal && scenario === undefined) return onlyId
  return { scenario, sentence: isRefusal ? sentence() : undefined }
}

/** The headers of an answer with its hints among them. */
export function withHints(
  headers: Answer['headers'],
  { scenario, sentence }: Hints,
  requestId: string,
): Record<string, string> {
  // Member by member: an object that is made by spreading another gets a shape of its own, each time.
  const hinted: Record<string, string> = {}
  for (const name in headers) hinted[name] = headers[name]!
  hinted['X-Mock-Request-Id'] = requestId
  if (scenario !== undefined) hinted['X-Mock-Scenario'] = scenario
  if (sentence !== undefined) hinted['X-Mock-Hint'] = sentence
  return hinted
}

/**
 * What a developer would like to know of a refusal: what was expected, and what exists nearby. Names things of the
 * caller's own space only.
 */
export function hint({ status, problem }: Answer, facts: RequestFacts, { space }: SpaceRig): string {
  const isUnknown = problem ? problem.name === 'not-found' : status === 404
  const near = isUnknown ? nearby(facts, space) : undefined
  const sentence = problem?.detail ?? `Status ${status}`
  if (!near || near.names.length === 0) return headerText(sentence)
  return headerText(`${sentence}. ${capital(near.nouns)} there are: ${near.names.join(', ')}`)
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** What may stand in a header: printable ASCII, not too long. */
function headerText(text: string): string {
  const ascii = text.replaceAll('…', '...').replaceAll(/[^\x20-\x7e]/g, '?')
  return ascii.length > longest ? `${ascii.slice(0, longest - 3)}...` : ascii
}
