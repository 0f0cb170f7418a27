import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { expect } from 'vitest'
import { basic, type Json } from '../../mock.ts'
import { eventually, type Running, start } from '../../process.ts'

/** What came back for one request. */
export interface Told {
  /** Undefined when no answer came whole. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** What went wrong on the wire; `waited in vain` when nothing came. */
  readonly trouble: string | undefined
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
agent.setMaxListeners(0)

/**
 * The built mock as a process of its own, which must neither end, nor say anything on standard error, nor grow, whatever
 * is sent to it.
 */
export class UnderAttack {
  readonly #running: Running
  readonly port: number
  #filesAtFirst = 0

  private constructor(running: Running) {
    this.#running = running
    this.port = running.port
  }

  static async start(...args: readonly string[]): Promise<UnderAttack> {
    const limits = [
      '--header-timeout',
      '300ms',
      '--request-timeout',
      '600ms',
      '--space-limit',
      '20',
      '--hold-limit',
      '100',
    ]
    const it = new UnderAttack(
      await start(['--in-memory', '--quiet', '--log-level', 'error', ...limits, ...args]),
    )
    await it.isWell()
    it.#filesAtFirst = it.files ?? 0
    return it
  }

  async json(path: string): Promise<Json> {
    const { status, text } = await this.ask('GET', path, {}, undefined, 10_000)
    expect(status, path).toBe(200)
    return JSON.parse(text)
  }

  /** @param patience milliseconds */
  ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    patience: number,
  ): Promise<Told> {
    return new Promise(resolve => {
      let status: number | undefined
      let answered: Told['headers'] = {}
      let text = ''
      const settle = (trouble?: string) => {
        clearTimeout(late)
        resolve({ status, headers: answered, text, trouble })
      }
      const sent = request({
        agent,
        port: this.port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          host: 'localhost',
          authorization: basic('demo+fuzz'),
          ...headers,
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
      })
      const late = setTimeout(() => {
        settle('waited in vain')
        sent.destroy()
      }, patience)
      sent.on('response', response => {
        status = response.statusCode
        answered = response.headers
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => settle())
        response.on('error', error => settle(error.message))
      })
      sent.on('error', error => settle((error as NodeJS.ErrnoException).code ?? error.message))
      sent.end(body)
    })
  }

  /** Everything back to its beginning. */
  async reset(): Promise<void> {
    const told = await this.ask(
      'POST',
      '/_mock/reset',
      { 'content-type': 'application/json' },
      undefined,
      10_000,
    )
    expect(told, this.#running.errors()).toMatchObject({ status: 204 })
  }

  /** A space from its beginning. */
  async begin(space: string): Promise<void> {
    const path = `/_mock/spaces/${encodeURIComponent(space)}`
    const told = await this.ask('PUT', path, { 'content-type': 'application/json' }, '{}', 10_000)
    expect(told).toMatchObject({ status: 201 })
  }

  /** Those that nobody has ended take the room of further ones. */
  async endExams(): Promise<void> {
    const { _embedded } = await this.json('/_mock/exams')
    const headers = { 'content-type': 'application/json' }
    for (const { id } of _embedded.exams)
      await this.ask('DELETE', `/_mock/exams/${id}`, headers, undefined, 10_000)
  }

  /** It lives, answers the next normal request, and has complained of nothing. */
  async isWell(): Promise<void> {
    const told = await this.ask('GET', '/mailings', {}, undefined, 10_000)
    expect(this.#running.errors(), 'what the mock says on standard error').toBe('')
    expect(told).toMatchObject({ status: 200, trouble: undefined })
  }

  /** Open files and sockets of the process; undefined where the system does not tell. */
  get files(): number | undefined {
    return ofProcess(() => readdirSync(`/proc/${this.#running.pid}/fd`).length)
  }

  /** Megabytes of memory that are in use. */
  get memory(): number | undefined {
    return ofProcess(() => {
      const status = readFileSync(`/proc/${this.#running.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_024
    })
  }

  /** Everybody has left: nothing is held or open, and memory is as after any other work. */
  async leavesNothing(): Promise<void> {
    agent.destroy()
    await this.reset()
    agent.destroy()
    await eventually('sockets to be closed', () => (this.files ?? 0) <= this.#filesAtFirst + 3 || undefined)
    const { _embedded } = await this.json('/_mock/spaces')
    expect(_embedded.spaces.map((space: Json) => space.name)).toEqual(['demo'])
    expect(this.memory ?? 0).toBeLessThan(700)
    await this.isWell()
  }

  /** Ends it as an operator would. */
  async stop(): Promise<void> {
    agent.destroy()
    const { code, errors } = await this.#running.stop()
    expect([code, errors]).toEqual([0, ''])
  }
}

function ofProcess<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
