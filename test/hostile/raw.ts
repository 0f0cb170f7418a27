import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, expect } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { basic, ids, synchronizationPath } from '../mock.ts'

/** A client that writes what it likes and reads what comes. */

const deadline = 60_000

export const authorization = `Authorization: ${basic('demo')}\r\n`
export const sendings = synchronizationPath(ids.ready, '/sendings')

/** Lines of a request, each ended as HTTP has it, and the empty line. */
export const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`

/** A whole GET by user demo. */
export const get = (target: string, ...more: readonly string[]): string =>
  head(`GET ${target} HTTP/1.1`, 'Host: localhost', authorization.trim(), ...more)

/** The head of a POST by user demo; its body is for the caller. */
export const post = (target: string, ...more: readonly string[]): string =>
  head(
    `POST ${target} HTTP/1.1`,
    'Host: localhost',
    authorization.trim(),
    'Content-Type: application/json',
    ...more,
  )

/** A whole POST by user demo. */
export const posted = (target: string, body: string | Buffer, ...more: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(post(target, `Content-Length: ${Buffer.byteLength(body)}`, ...more)),
    Buffer.from(body),
  ])

export interface Exchanged {
  /** All that came, as Latin-1. */
  readonly text: string
  /** Of each answer, in order. */
  readonly statuses: readonly number[]
}

/** One connection, byte by byte. */
export class Raw {
  readonly socket: Socket
  text = ''
  isOver = false
  #changed = () => {}
  readonly #statuses: number[] = []
  #lookedUpTo = 0

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.text += text
      this.#changed()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isOver = true
      this.#changed()
    })
  }

  static open(port: number): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Raw(socket)))
      socket.once('error', reject)
    })
  }

  send(bytes: string | Buffer): this {
    if (this.socket.writable)
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    return this
  }

  /** Of each answer so far. Looked for in what has come since it was asked last: a pipeline's answers are long. */
  get statuses(): readonly number[] {
    const line = /HTTP\/1\.1 (\d{3}) /g
    line.lastIndex = this.#lookedUpTo
    for (let found = line.exec(this.text); found; found = line.exec(this.text)) {
      this.#statuses.push(Number(found[1]))
      this.#lookedUpTo = line.lastIndex
    }
    this.#lookedUpTo = Math.max(this.#lookedUpTo, this.text.length - 20)
    return this.#statuses
  }

  /** Waits for a condition, or for the end of the connection. */
  async until(what: string, isSo: (it: this) => boolean): Promise<this> {
    if (isSo(this)) return this
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () =>
          reject(new Error(`waited ${deadline} ms in vain for ${what}; came: ${this.text.slice(0, 2_000)}`)),
        deadline,
      )
      this.#changed = () => {
        if (!isSo(this) && !this.isOver) return
        clearTimeout(late)
        this.#changed = () => {}
        if (isSo(this)) resolve()
        else reject(new Error(`the connection ended before ${what}; came: ${this.text.slice(0, 2_000)}`))
      }
    })
    return this
  }

  closed(): Promise<this> {
    return this.until('the end of the connection', it => it.isOver)
  }

  answers(count: number): Promise<this> {
    return this.until(`${count} answers`, it => it.statuses.length >= count)
  }

  leave(): void {
    this.socket.destroy()
  }
}

/** Sends bytes on a connection of their own, and ends it once the other side has said what it has to say. */
export async function ask(port: number, ...pieces: readonly (string | Buffer)[]): Promise<Exchanged> {
  const raw = await Raw.open(port)
  for (const piece of pieces) raw.send(piece)
  // Whatever they were, this comes last, and nothing comes after its answer.
  await raw.until('an answer', it => it.statuses.length > 0 || it.isOver)
  raw.socket.end()
  await raw.closed()
  return { text: raw.text, statuses: raw.statuses }
}

/** The problem that an answer tells. */
export function problemIn({ text }: Pick<Exchanged, 'text'>): {
  title: string
  detail?: string
  type: string
} {
  expect(text).toContain('application/problem+json')
  return JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n') + 4))
}

export interface Listening {
  readonly mock: Mock
  readonly port: number
  readonly url: string
}

type Options = Parameters<typeof createMock>[0]

async function listening(options: Options = {}): Promise<Listening> {
  const mock = await createMock({ logLevel: 'silent', ...options })
  return { mock, ...(await mock.listen()) }
}

/** Whatever has been done to it, the next normal request is answered. */
async function isWell({ url }: Listening): Promise<void> {
  const response = await fetch(`${url}/mailings`, { headers: { authorization: basic('demo') } })
  expect(response.status, 'the next normal request').toBe(200)
  await response.text()
}

/**
 * Gives a test file mocks on ports: the same one to every test that asks for no settings, at its beginning again, and else
 * one of its own. Each must be well after each test, and nothing may have been rejected without anybody to hear it, or
 * have changed what all objects share.
 */
export function useMocks(): (options?: Options) => Promise<Listening> {
  const own: Listening[] = []
  let common: Promise<Listening> | undefined
  const rejections: unknown[] = []
  const rejected = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', rejected)
  afterEach(async () => {
    for (const it of own.splice(0)) {
      await isWell(it)
      await it.mock.close()
    }
    if (common) {
      const it = await common
      await isWell(it)
      await it.mock.reset()
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(rejections).toEqual([])
  })
  afterAll(async () => {
    process.off('unhandledRejection', rejected)
    await (await common)?.mock.close()
  })
  return async options => {
    if (options) {
      const it = await listening(options)
      own.push(it)
      return it
    }
    common ??= listening()
    return common
  }
}
