import type { Exchange } from './exchange.ts'

/** The resources of section 2; what stands in a collection apart where it shows more or less than alone. */
export const kinds = [
  'mailing item',
  'mailing',
  'synchronization',
  'sending',
  'mailing-upload',
  'statistics',
  'preview',
  'test profile',
  'test-mail group',
  'customer',
  'list',
  'configuration',
] as const
export type Kind = (typeof kinds)[number]

/** A resource as an answer showed it. */
export interface Sighting {
  readonly value: unknown
  readonly from: Exchange
  /** Whether it stood in a collection. */
  readonly isItem: boolean
  /** ID of the synchronization in whose path it stood. */
  readonly synchronization?: string
}

/** Everything that was seen of the service, for checks that hold whatever is seen against a clause. */
export class Sightings {
  readonly #all = new Map<Kind, Sighting[]>(kinds.map(kind => [kind, []]))
  /** Answers that are a resource or a collection. */
  readonly documents: Exchange[] = []

  of(kind: Kind): readonly Sighting[] {
    return this.#all.get(kind)!
  }

  add(kind: Kind, sighting: Sighting): void {
    this.#all.get(kind)!.push(sighting)
  }
}
