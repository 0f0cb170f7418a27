import type { Answer } from '../service/answer.ts'
import { nearby } from './nearby.ts'
import type { RequestFacts } from './request-facts.ts'
import type { SpaceRig } from './space-rig.ts'

const longest = 300

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
