import { getOrMake } from '../store/maps.ts'
import type { DialValues } from './dials.ts'

/** The values of all dials with what follows from them: schemas, readers of queries, the form of answers. */
export class PreparedDials {
  readonly values: DialValues
  readonly #made = new Map<unknown, unknown>()

  constructor(values: DialValues) {
    this.values = values
  }

  /** What `make` derives from the values; made once. @param make the same function each time */
  derive<Made>(make: (values: DialValues) => Made): Made {
    return getOrMake(this.#made, make, () => make(this.values)) as Made
  }
}
