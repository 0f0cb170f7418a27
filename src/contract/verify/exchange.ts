import { createHash } from 'node:crypto'
import { type JsonSize, measureJson } from '../../service/json-size.ts'
import { parseJson } from './unknown-json.ts'

/** One request and its answer, as evidence. Without credentials. */
export interface Exchange extends AnswerBody {
  /** Number of the request, from 1. */
  readonly number: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | null
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** What is kept of the body of an answer. */
interface AnswerBody {
  /** The first 64 Ki characters. */
  readonly text: string
  readonly digest: string
  /** How much memory the parsed body takes at most, in bytes. */
  readonly weight: number
  /** Why the body is not looked into; undefined if it is. */
  readonly excess: string | undefined
  /** The parsed body; undefined if it is not JSON, or not looked into. Parsed again when it was not used for a while. */
  readonly json: unknown
}

/** Maximum length of the text that is kept of each answer, in characters. */
const maxKeptText = 64 << 10
/** Maximum length of the answers beyond that which are kept whole in one run, in characters. */
const maxLongAnswers = 32 << 20
const maxValues = 1_000_000

/** What a value of a parsed text takes beside its characters, in bytes. */
const valueWeight = 64
/** Maximum length of the texts whose parsed forms are kept, in characters. */
const maxParsed = 8 << 20

/** Keeps the bodies of a run in bounded memory, whatever a service answers. */
export class AnswerBodies {
  #left = maxLongAnswers
  /** Bodies whose parsed forms are kept, the first parsed first. */
  readonly #parsed = new Set<KeptBody>()
  #parsedLength = 0

  keep(bytes: Buffer): AnswerBody {
    const whole = bytes.toString()
    if (whole.length <= maxKeptText) return new KeptBody(this, whole, whole, undefined)
    const isKept = whole.length <= this.#left
    if (isKept) this.#left -= whole.length
    // Copied: a piece of a text keeps the whole of it in memory.
    const text = Buffer.from(whole.slice(0, maxKeptText)).toString()
    return new KeptBody(this, text, isKept ? whole : undefined, digestOf(bytes))
  }

  /** Makes room for a body that was parsed just now. */
  noteParsed(body: KeptBody, length: number): void {
    this.#parsed.add(body)
    this.#parsedLength += length
    for (const oldest of this.#parsed) {
      if (this.#parsedLength <= maxParsed || oldest === body) break
      this.#parsed.delete(oldest)
      this.#parsedLength -= oldest.forget()
    }
  }
}

const digestOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

class KeptBody implements AnswerBody {
  readonly text: string
  readonly #bodies: AnswerBodies
  readonly #whole: string | undefined
  readonly #digest: string | undefined
  #size: JsonSize | undefined
  #parsed: { readonly value: unknown } | undefined

  /** @param digest of the whole body where `text` is a part of it */
  constructor(bodies: AnswerBodies, text: string, whole: string | undefined, digest: string | undefined) {
    this.#bodies = bodies
    this.text = text
    this.#whole = whole
    this.#digest = digest
  }

  get digest(): string {
    return this.#digest ?? digestOf(this.text)
  }

  get weight(): number {
    return (this.#whole?.length ?? 0) + this.#measure().values * valueWeight
  }

  get excess(): string | undefined {
    return this.#measure().excess
  }

  get json(): unknown {
    if (this.#parsed) return this.#parsed.value
    if (this.#whole === undefined || this.excess !== undefined) return undefined
    const value = parseJson(this.#whole)
    this.#parsed = { value }
    this.#bodies.noteParsed(this, this.#whole.length)
    return value
  }

  /** Forgets the parsed form. @returns the length of its text */
  forget(): number {
    this.#parsed = undefined
    return this.#whole?.length ?? 0
  }

  #measure(): JsonSize {
    this.#size ??=
      this.#whole === undefined
        ? { values: 0, members: 0, excess: 'is one of too many long ones' }
        : measureJson(this.#whole, maxValues)
    return this.#size
  }
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300
/** Refused as a mistake of the client, but not for its credentials. */
export const isRefused = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 401
export const isClientError = ({ status }: Exchange): boolean => status >= 400 && status < 500

/** The media type of the answer without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
