import type { Arrival } from '../rig/arrival.ts'
import { type MemoryBudget, MemoryFullError, type MemoryShare, mebibyte } from '../store/memory-budget.ts'
import { atOnce, Turns } from '../store/turns.ts'

/** Bytes of an answer that is given at any time: those of calls that give memory back, such as a reset, are small. */
const smallAnswer = 4_096

/** Part of the memory limit that answers may take together: the service must have room beside them. */
const partOfLimit = 4

/** Characters of JSON that are written in one turn. */
const partLength = 64 << 10

/** Levels of a document that are written piece by piece: a list stands in a member of `_embedded`. */
const levels = 3

/** Values of a list that are made while it is written, so that they are never all in memory. */
class Each {
  readonly items: readonly unknown[]
  readonly make: (item: never) => unknown

  constructor(items: readonly unknown[], make: (item: never) => unknown) {
    this.items = items
    this.make = make
  }
}

/** A list of a document. Of a long one each value is made when it is written; what `make` reads may change until then. */
export const each = <Item, Made>(items: readonly Item[], make: (item: Item) => Made): Made[] =>
  items.length <= atOnce ? items.map(make) : (new Each(items, make) as unknown as Made[])

/** What is written next, or that enough was made for one turn. */
type Piece = string | typeof turnEnd
const turnEnd = Symbol('turnEnd')

/** The JSON of a value in pieces, as `JSON.stringify` writes it. @param depth levels that are divided */
function* piecesOf(value: unknown, depth: number): Generator<Piece> {
  if (value instanceof Each) {
    let count = 0
    for (const item of value.items) {
      if (count > 0 && count % atOnce === 0) yield turnEnd
      yield `${count++ === 0 ? '[' : ','}${JSON.stringify(value.make(item as never))}`
    }
    yield ']'
  } else if (depth === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) {
      yield at === 0 ? '[' : ','
      yield* piecesOf(entry, depth - 1)
    }
    yield value.length === 0 ? '[]' : ']'
  } else {
    let start = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${start}${JSON.stringify(name)}:`
      yield* piecesOf(member, depth - 1)
      start = ','
    }
    yield start === '{' ? '{}' : '}'
  }
}

/** One answer while it is made, and until it has left. */
class OutgoingAnswer {
  readonly #answers: OutgoingAnswers
  readonly #memory: MemoryShare

  constructor(answers: OutgoingAnswers, memory: MemoryShare) {
    this.#answers = answers
    this.#memory = memory
  }

  /** Counts bytes that it takes from now on. @throws MemoryFullError without counting them */
  add(bytes: number): void {
    this.#answers.demand(bytes, this.#memory.bytes)
    this.#count(bytes)
  }

  /** Writes the JSON of a document, a turn of the event loop for each part of a long one. @throws MemoryFullError */
  async json(document: object, turns: Turns): Promise<string | Buffer<ArrayBuffer>> {
    const parts: Buffer[] = []
    let text = ''
    for (const piece of piecesOf(document, levels)) {
      if (piece !== turnEnd) text += piece
      if (piece !== turnEnd && text.length < partLength) continue
      parts.push(this.#bytesOf(text))
      text = ''
      await turns.next()
    }
    if (parts.length === 0) return this.text(text)
    parts.push(this.#bytesOf(text))
    const bytes = this.#memory.bytes
    this.add(bytes)
    const whole = Buffer.concat(parts)
    this.#count(-bytes)
    return whole
  }

  /** A text as it is sent. @throws MemoryFullError */
  text(text: string): string | Buffer<ArrayBuffer> {
    if (text.length > smallAnswer) return this.#bytesOf(text)
    this.add(text.length)
    return text
  }

  /** Counts until the exchange is over. Without a socket its bytes belong to the caller. */
  leaveWith({ connection, clientLeft }: Arrival): void {
    if (connection === 0) this.drop()
    else void clientLeft.then(() => this.drop())
  }

  drop(): void {
    this.#count(-this.#memory.bytes)
    this.#memory.close()
  }

  #bytesOf(text: string): Buffer<ArrayBuffer> {
    const bytes = Buffer.from(text)
    this.add(bytes.length)
    return bytes
  }

  #count(bytes: number): void {
    this.#memory.add(bytes)
    this.#answers.bytes += bytes
  }
}

/**
 * The answers of control calls and pages that have not left yet: a client that does not read them must not fill the memory.
 * They count as requests.
 */
export class OutgoingAnswers {
  readonly #budget: MemoryBudget
  readonly turns = new Turns()
  /** Of all answers together. */
  bytes = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  begin(): OutgoingAnswer {
    return new OutgoingAnswer(this, this.#budget.share('requests'))
  }

  /** The body of an answer that is at hand, counted until it has left. @throws MemoryFullError */
  body<Content extends string | Buffer>(content: Content, arrival: Arrival): Content {
    const answer = this.begin()
    answer.add(content.length)
    answer.leaveWith(arrival)
    return content
  }

  /** @param own what the answer has already @throws MemoryFullError when there is no room for so many bytes more */
  demand(bytes: number, own: number): void {
    if (own + bytes <= smallAnswer) return
    this.#budget.demand(bytes)
    const most = this.#budget.limit / partOfLimit
    const others = this.bytes - own
    // A single one may be longer, such as a snapshot with little memory.
    if (others <= mebibyte || this.bytes + bytes <= most) return
    const [taken, limit] = [this.bytes, most].map(it => Math.round(it / mebibyte))
    throw new MemoryFullError(
      `Responses of control calls and pages that have not been read take ${taken} MiB already, of ${limit} MiB that they may take together (a quarter of --memory-limit): read them, or close their connections, first`,
    )
  }
}
