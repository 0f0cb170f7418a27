import type { DialName } from './dials.ts'

/** How certain a claim is, from the API document's own words to our inference. */
export type Standing = 'specified' | 'documented' | 'house style' | 'assumed'

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

type WriteClaim = (id: string, says: string, dial?: DialName) => Claim

const claimWriter =
  (standing: Standing): WriteClaim =>
  (id, says, dial) => ({ id, says, standing, ...(dial !== undefined && { dial }) })

/** The API document says so. */
export const specified = claimWriter('specified')
/** Public documentation of such a service says so. */
export const documented = claimWriter('documented')
/** A sibling API of the same shape behaves so. */
export const houseStyle = claimWriter('house style')
/** Our best inference. */
export const assumed = claimWriter('assumed')
