import type { EffectsByCause } from '../effects.ts'
import type { EntryReader } from '../entry-reader.ts'
import type { SpaceRig } from '../space-rig.ts'

/** What an explanation may look at beside the entry. */
export interface Known {
  readonly rig: SpaceRig
  readonly reader: EntryReader
  readonly effects: EffectsByCause
  /** ID of the second delivery that `deliver: twice` made of the request. */
  readonly twin: string | undefined
}
