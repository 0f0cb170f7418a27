import { createHash } from 'node:crypto'
import { member, text } from '../../verify/hal.ts'
import type { Notes } from '../notes.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const noDate = '2000-01-01T00:00:00.000Z'

/** Reads what a service told as the values that a fixture has, and notes what cannot be taken over as it is. */
export class Reader {
  readonly notes: Notes
  readonly #ids = new Map<string, string>()
  readonly #hidesIds: boolean

  /** @param hidesIds whether IDs that are made from others must not lead back to them */
  constructor(notes: Notes, hidesIds: boolean) {
    this.notes = notes
    this.#hidesIds = hidesIds
  }

  /** An ID as fixtures have it: a lower-case UUID. Another form gets one that is always the same for it. */
  uuid(kind: string, value: unknown): string {
    const given = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
    if (uuid.test(given)) return given
    const key = `${kind} ${given}`
    let made = this.#ids.get(key)
    if (made === undefined) {
      this.notes.add(`IDs of ${kind} that are no lower-case UUIDs were replaced by UUIDs`)
      made = asUuid(this.#hidesIds ? `${kind} number ${this.#ids.size}` : key)
      this.#ids.set(key, made)
    }
    return made
  }

  /** A positive whole number; undefined for anything else. */
  number(value: unknown, path: string): number | undefined {
    const found = Number(member(value, path) ?? Number.NaN)
    return Number.isSafeInteger(found) && found > 0 ? found : undefined
  }

  /** A date-time in UTC with milliseconds; null where there is none. */
  date(value: unknown, name: string): string | null {
    const written = text(value, name)
    const at = Date.parse(written ?? '')
    if (!Number.isNaN(at)) return new Date(at).toISOString()
    if (member(value, name) != null) this.notes.add(`a ${name} was no date-time, and is not here`)
    return null
  }

  /** A date-time that has to be there. */
  certainDate(value: unknown, name: string, otherwise: string | null = null): string {
    return this.date(value, name) ?? otherwise ?? noDate
  }

  /** A name; what has none gets a word for it. */
  name(value: unknown, path: string, otherwise: string): string {
    return text(value, path) || otherwise
  }
}

function asUuid(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
