import type { DialName } from '../../service/dials.ts'
import type { OperationId } from '../../service/operations.ts'

/** How sure we are of a clause, from what the API document says to what we made up. */
export type Standing = 'specified' | 'documented' | 'house style' | 'assumed'

/** One thing the service promises, small enough to be proved by a test that cites its ID. */
export interface Clause {
  /** A section of the API document, then a rule's number (`4.1/5`) or a name (`2.3 state`); `S …` goes beyond it. */
  readonly id: string
  /** The promise in our own words. */
  readonly says: string
  readonly standing: Standing
  /** Where it shows; none means everywhere. */
  readonly operations?: readonly OperationId[]
  /** The dial that turns it, where the document leaves a choice. */
  readonly dial?: DialName
}

type Write = (id: string, says: string, operations?: readonly OperationId[], dial?: DialName) => Clause

const standing =
  (standing: Standing): Write =>
  (id, says, operations, dial) => ({
    id,
    says,
    standing,
    ...(operations && { operations }),
    ...(dial !== undefined && { dial }),
  })

/** The API document says so. */
export const specified = standing('specified')
/** Public documentation of such a service says so. */
export const documented = standing('documented')
/** A sibling API of the same shape behaves so. */
export const houseStyle = standing('house style')
/** Our best inference. */
export const assumed = standing('assumed')
