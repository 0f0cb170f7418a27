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

/** Maximum length of the text that is kept of each answer, in characters; in bytes that of a short answer. */
const maxKeptText = 64 << 10
/** No character has more than four bytes. */
const mostBytesOfText = 4 * maxKeptText
/** Maximum length of the long answers which are kept whole in one run, in bytes. */
const maxLongAnswers = 32 << 20
/** Maximum number of values in a long answer, and in all long answers of one run together. */
const maxValues = 1_000_000

/** What a value of a parsed text takes beside its characters, in bytes. */
const valueWeight = 64
/** Maximum weight of the parsed forms that are kept, in bytes. */
const maxParsed = 32 << 20

/** Keeps the bodies of a run in bounded memory, whatever a service answers. */
export class AnswerBodies {
  #bytesLeft = maxLongAnswers
  #valuesLeft = maxValues
  /** Bodies whose parsed forms are kept, the first parsed first. */
  readonly #parsed = new Set<KeptBody>()
  #parsedWeight = 0

  /** Reads a body. What is not kept of it is only digested. */
  async read(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<AnswerBody> {
    const digest = createHash('sha256')
    const kept: Uint8Array[] = []
    let length = 0
    let keptLength = 0
    for await (const piece of pieces) {
      length += piece.length
      digest.update(piece)
      if (keptLength > mostBytesOfText && length > this.#bytesLeft) continue
      kept.push(piece)
      keptLength += piece.length
    }
    const bytes = Buffer.concat(kept)
    if (length <= maxKeptText) {
      const text = bytes.toString()
      return new KeptBody(this, text, text, undefined)
    }
    const isKept = length <= this.#bytesLeft
    if (isKept) this.#bytesLeft -= length
    // Decoded again as a copy: a piece of a text keeps the whole of it in memory.
    const beginning = bytes.toString('utf8', 0, mostBytesOfText).slice(0, maxKeptText)
    return new KeptBody(
      this,
      Buffer.from(beginning).toString(),
      isKept ? bytes : undefined,
      digest.digest('hex'),
    )
  }

  /** Whether the values of another long answer may be looked into; they count from then on. */
  takeValues(count: number): boolean {
    if (count > this.#valuesLeft) return false
    this.#valuesLeft -= count
    return true
  }

  /** Makes room for a body that was parsed just now. */
  noteParsed(body: KeptBody): void {
    this.#parsed.add(body)
    this.#parsedWeight += body.weight
    for (const oldest of this.#parsed) {
      if (this.#parsedWeight <= maxParsed || oldest === body) break
      this.#parsed.delete(oldest)
      this.#parsedWeight -= oldest.weight
      oldest.forget()
    }
  }
}

const oneOfTooMany: JsonSize = { values: 0, members: 0, excess: 'is one of too many long ones' }

class KeptBody implements AnswerBody {
  readonly text: string
  readonly #bodies: AnswerBodies
  /** Bytes for a long one: as texts they would double the heap, since most of them are parsed rarely. */
  #whole: string | Buffer | undefined
  readonly #digest: string | undefined
  #size: JsonSize | undefined
  #parsed: { readonly value: unknown } | undefined

  /** @param digest of the whole body where `text` is a part of it */
  constructor(
    bodies: AnswerBodies,
    text: string,
    whole: string | Buffer | undefined,
    digest: string | undefined,
  ) {
    this.#bodies = bodies
    this.text = text
    this.#whole = whole
    this.#digest = digest
  }

  get digest(): string {
    return this.#digest ?? createHash('sha256').update(this.text).digest('hex')
  }

  get weight(): number {
    const { values } = this.#measured
    return (this.#whole?.length ?? 0) + values * valueWeight
  }

  get excess(): string | undefined {
    return this.#measured.excess
  }

  get json(): unknown {
    if (this.#parsed) return this.#parsed.value
    if (this.excess !== undefined) return undefined
    const value = parseJson(String(this.#whole))
    this.#parsed = { value }
    this.#bodies.noteParsed(this)
    return value
  }

  /** Forgets the parsed form. */
  forget(): void {
    this.#parsed = undefined
  }

  get #measured(): JsonSize {
    this.#size ??= this.#measure()
    return this.#size
  }

  #measure(): JsonSize {
    if (this.#whole === undefined) return oneOfTooMany
    const size = measureJson(String(this.#whole), maxValues)
    const isLong = typeof this.#whole !== 'string'
    if (size.excess === undefined && isLong && !this.#bodies.takeValues(size.values)) {
      this.#whole = undefined
      return oneOfTooMany
    }
    return size
  }
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300
/** Refused as a mistake of the client, but not for its credentials. */
export const isRefused = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 401

/** The media type of the answer without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
