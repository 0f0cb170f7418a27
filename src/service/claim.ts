import { type DialName, dials } from './dials.ts'

/** How certain a claim is, from the API document's own words to our inference. */
export const standings = ['specified', 'documented', 'house style', 'assumed'] as const
export type Standing = (typeof standings)[number]

/** One promise of the service, small enough to be proved by a test that cites its ID. */
export interface Claim {
  /** A section of the API document, then a rule's number (`4.1/5`) or a name (`2.3 state`); `S …` goes beyond it. */
  readonly id: string
  /** The promise in our own words. */
  readonly says: string
  readonly standing: Standing
  /** The dial that changes it, where the document leaves a choice. */
  readonly dial?: DialName
}

/** A claim written here, or the ID of one that is written elsewhere. */
export type Cited = Claim | string

/** Claims about one thing. The first is the main one. */
export type Citations = readonly [Cited, ...Cited[]]

export const idOf = (cited: Cited): string => (typeof cited === 'string' ? cited : cited.id)

/** The dial that changes a claim, by its ID. */
const dialOf: Readonly<Record<string, DialName>> = {
  '8 rate limit': 'rate-limit',
  'S rate limit headers': 'rate-limit',
  'S 429': 'rate-limit',
  'S problem members': 'error-body',
  'S general error': 'error-body',
  'S validation members': 'error-body',
  'S 400': 'invalid-input-status',
  'S foreign cursor': 'stale-cursor-status',
  'S sync token': 'stale-cursor-status',
  'S sendings order': 'collection-order',
  // The claim that a dial itself names.
  ...Object.fromEntries((Object.keys(dials) as DialName[]).map(name => [dials[name].clause, name])),
}

export function claimOf(id: string, says: string, standing: Standing): Claim {
  const dial = dialOf[id]
  return { id, says, standing, ...(dial && { dial }) }
}

/** A function that makes one claim, or several from their sentences by ID. */
function claimWriter(standing: Standing) {
  function write(id: string, says: string): Claim
  function write(sentences: Readonly<Record<string, string>>): [Claim, ...Claim[]]
  function write(given: string | Readonly<Record<string, string>>, says = ''): Claim | Claim[] {
    if (typeof given === 'string') return claimOf(given, says, standing)
    return Object.entries(given).map(([id, sentence]) => claimOf(id, sentence, standing))
  }
  return write
}

/** The API document says so. */
export const specified = claimWriter('specified')
/** Public documentation of such a service says so. */
export const documented = claimWriter('documented')
/** A sibling API of the same shape behaves so. */
export const houseStyle = claimWriter('house style')
/** Our best inference. */
export const assumed = claimWriter('assumed')
