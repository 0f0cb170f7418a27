import { getOrMake } from '../store/maps.ts'
import type { DialValues } from './dials.ts'
import type { Links } from './links.ts'
import type { Rendered } from './resource.ts'
import type { Answer } from './response.ts'

interface Rendering {
  /** What the bytes were made of. */
  readonly parts: readonly unknown[]
  readonly bytes: Buffer
}

/** Maximum size in bytes of all kept collections. */
const maxCollectionBytes = 1 << 20

/** Bytes of a rendering besides its text, roughly. */
const renderingBytes = 200

/**
 * What was rendered with the links of one base URL and one set of dials. Rows are never changed in place, so a rendering is
 * right as long as all its parts are the same objects.
 */
export class RenderCache {
  readonly links: Links
  readonly #dials: DialValues
  readonly #resources = new Map<unknown, WeakMap<object, Rendering>>()
  readonly #collections = new Map<string, Rendering>()
  readonly #answers = new Map<string, Answer>()
  #collectionBytes = 0
  readonly #noteBytes: (bytes: number) => void

  /** @param noteBytes called with the bytes that it grows by */
  constructor(links: Links, dials: DialValues, noteBytes: (bytes: number) => void = () => {}) {
    this.links = links
    this.#dials = dials
    this.#noteBytes = noteBytes
  }

  /** A resource as JSON. @param parts of the form; the first is the row with which the bytes are kept */
  resource<Parts extends readonly [object, ...unknown[]]>(form: Rendered<Parts>, ...parts: Parts): Buffer {
    const renderings = getOrMake(this.#resources, form, () => new WeakMap<object, Rendering>())
    const rendering = renderings.get(parts[0])
    if (rendering && isOf(rendering, parts)) return rendering.bytes
    const bytes = Buffer.from(form.render(this.links, this.#dials, ...parts))
    renderings.set(parts[0], { parts, bytes })
    this.#noteBytes(renderingBytes + bytes.length)
    return bytes
  }

  /**
   * The kept collection for this address.
   * @param target path and query, as the request has them
   * @param parts what else the collection depends on, such as the revision of its table
   */
  collection(target: string, parts: readonly unknown[]): Buffer | undefined {
    const rendering = this.#collections.get(target)
    return rendering && isOf(rendering, parts) ? rendering.bytes : undefined
  }

  /** Keeps a collection for `collection`. Not for one with a cursor or a token, which expires. */
  keepCollection(target: string, parts: readonly unknown[], bytes: Buffer): void {
    const weight = weightOf(target, bytes)
    if (weight > maxCollectionBytes) return
    const before = this.#collections.get(target)
    this.#noteBytes(weight)
    this.#collectionBytes += weight - (before ? weightOf(target, before.bytes) : 0)
    if (this.#collectionBytes > maxCollectionBytes) {
      this.#collections.clear()
      this.#collectionBytes = weight
    }
    this.#collections.set(target, { parts, bytes })
  }

  /** An answer that depends on links and dials alone. @param name one of a few */
  answer(name: string, make: () => Answer): Answer {
    return getOrMake(this.#answers, name, make)
  }
}

const isOf = (rendering: Rendering, parts: readonly unknown[]): boolean =>
  rendering.parts.every((part, at) => part === parts[at])

/** Addresses count as well, so that a client that invents queries cannot fill the memory. */
const weightOf = (target: string, { length }: Buffer) => target.length + length
