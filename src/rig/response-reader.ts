/** What is found in the bytes of a response, in order. */
export interface Found {
  /** Also for informational answers (1xx), of which any number may come before the true one. */
  head(status: number, reason: string, headers: readonly (readonly [string, string])[]): void
  body(bytes: Buffer): void
  end(): void
}

/** What a client's parser says of bytes that are not HTTP; `code` as Node's own parser names it. */
export class NotHttpError extends Error {
  override readonly name = 'HTTPParserError'
  readonly code: string

  constructor(code: string, what: string) {
    super(`Response does not match the HTTP/1.1 protocol (${what})`)
    this.code = code
  }
}

type Awaited = 'head' | 'counted' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'anything' | 'nothing'

const emptyLine = '\r\n\r\n'

/** Reads an HTTP/1.1 response out of bytes as they come, as a client does that asked for one answer with a body. */
export class ResponseReader {
  readonly #found: Found
  #rest = Buffer.alloc(0)
  #awaited: Awaited = 'head'
  /** Bytes that are still to come of the body or of the chunk. */
  #missing = 0

  constructor(found: Found) {
    this.#found = found
  }

  /** @throws NotHttpError; nothing more is read afterwards */
  take(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    try {
      while (this.#step());
    } catch (error) {
      this.#awaited = 'nothing'
      throw error
    }
  }

  /** The connection has ended. @returns whether the answer was whole, as far as anybody can tell */
  finish(): boolean {
    if (this.#awaited === 'anything') this.#end()
    return this.#awaited === 'nothing'
  }

  /** @returns whether it came further and may do so again */
  #step(): boolean {
    switch (this.#awaited) {
      case 'head':
        return this.#head()
      case 'counted':
        return this.#give() && this.#end()
      case 'chunk size':
        return this.#chunkSize()
      case 'chunk':
        return this.#give() && this.#await('chunk end')
      case 'chunk end':
        return this.#line() !== undefined && this.#await('chunk size')
      case 'trailers': {
        const line = this.#line()
        return line === '' ? this.#end() : line !== undefined
      }
      case 'anything':
        this.#missing = this.#rest.length
        this.#give()
        return false
      case 'nothing':
        return false
    }
  }

  #head(): boolean {
    const start = this.#rest.subarray(0, 5).toString('latin1')
    if (!'HTTP/'.startsWith(start)) throw new NotHttpError('HPE_INVALID_CONSTANT', 'Expected HTTP/')
    const length = this.#rest.indexOf(emptyLine)
    if (length < 0) return false
    const [first, ...lines] = this.#taken(length + emptyLine.length)
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
    const [, status, reason] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first!) ?? []
    if (status === undefined) throw new NotHttpError('HPE_INVALID_STATUS', 'Invalid status code')
    const headers = lines.map(line => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new NotHttpError('HPE_INVALID_HEADER_TOKEN', 'Invalid header token')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
    this.#found.head(Number(status), reason ?? '', headers)
    return Number(status) < 200 || this.#frame(Number(status), headers)
  }

  #frame(status: number, headers: readonly (readonly [string, string])[]): boolean {
    const value = (name: string) => headers.find(([given]) => given.toLowerCase() === name)?.[1]
    if (status === 204 || status === 304) return this.#end()
    if (value('transfer-encoding') === 'chunked') return this.#await('chunk size')
    const length = value('content-length')
    if (length === undefined) return this.#await('anything')
    this.#missing = Number(length)
    return this.#missing === 0 ? this.#end() : this.#await('counted')
  }

  #chunkSize(): boolean {
    const start = this.#rest.toString('latin1', 0, 1)
    if (start !== '' && !/[\da-f]/i.test(start))
      throw new NotHttpError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size')
    const line = this.#line()
    if (line === undefined) return false
    this.#missing = Number.parseInt(line, 16)
    return this.#await(this.#missing === 0 ? 'trailers' : 'chunk')
  }

  /** Gives what is there of the missing bytes. @returns whether that was all of them */
  #give(): boolean {
    const bytes = this.#taken(Math.min(this.#missing, this.#rest.length))
    this.#missing -= bytes.length
    if (bytes.length > 0) this.#found.body(bytes)
    return this.#missing === 0
  }

  #line(): string | undefined {
    const length = this.#rest.indexOf('\r\n')
    return length < 0 ? undefined : this.#taken(length + 2).toString('latin1', 0, length)
  }

  #taken(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }

  #await(what: Awaited): true {
    this.#awaited = what
    return true
  }

  #end(): true {
    this.#await('nothing')
    this.#found.end()
    return true
  }
}
