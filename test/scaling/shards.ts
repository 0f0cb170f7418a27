import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Json } from '../mock.ts'
import { basic, halType } from '../mock.ts'
import { eventually, type Running, start, temporaryDirectory } from '../process.ts'

/** HAProxy 2.6 brought the balancing that the recipe is made of. */
export const hasProxy = versionOf(spawnSync('haproxy', ['-v'], { encoding: 'utf8' }).stdout) >= 2.6
const config = fileURLToPath(new URL('../../examples/scaling/haproxy.cfg', import.meta.url))

function versionOf(text: string | null): number {
  const [, version = '0'] = /version (\d+\.\d+)/.exec(text ?? '') ?? []
  return Number(version)
}

/** How a request ended for the client. */
export interface Told {
  /** Undefined when no answer came. */
  readonly status: number | undefined
  readonly json: Json
  readonly text: string
  readonly headers: Headers
}

/** Three mocks with data on disk behind the proxy of the recipe. */
export class Shards implements AsyncDisposable {
  readonly url: string
  readonly #mocks: Running[]
  readonly #directories: (Disposable & { readonly path: string })[]
  readonly #proxy: ChildProcess

  private constructor(url: string, mocks: Running[], directories: (Disposable & { path: string })[]) {
    this.url = url
    this.#mocks = mocks
    this.#directories = directories
    const { PATH = '' } = process.env
    const places = mocks.map(({ port }, at) => [`SHARD_${at + 1}`, `127.0.0.1:${port}`])
    this.#proxy = spawn('haproxy', ['-db', '-f', config], {
      env: { PATH, MOCK: new URL(url).host, ...Object.fromEntries(places) },
      stdio: 'ignore',
    })
  }

  static async start(): Promise<Shards> {
    const directories = [1, 2, 3].map(() => temporaryDirectory())
    const mocks = await Promise.all(directories.map(({ path }) => startOne(path, '0')))
    const shards = new Shards(`http://127.0.0.1:${await freePort()}`, mocks, directories)
    try {
      await shards.health(200)
    } catch (error) {
      await shards[Symbol.asyncDispose]()
      throw error
    }
    return shards
  }

  /** Waits until the whole tells so of itself. */
  health = (status: number): Promise<true> =>
    eventually(`health to be ${status}`, async () => {
      const told = await this.get('/_mock/health')
      return told.status === status ? true : undefined
    })

  ask = async (path: string, init: RequestInit = {}): Promise<Told> => {
    try {
      const response = await fetch(this.url + path, init)
      const text = await response.text()
      const isJson = /json/.test(response.headers.get('content-type') ?? '')
      return {
        status: response.status,
        text,
        json: isJson ? JSON.parse(text) : undefined,
        headers: response.headers,
      }
    } catch {
      return { status: undefined, text: '', json: undefined, headers: new Headers() }
    }
  }

  /** As a user of the service, or without one as a tester. */
  get = (path: string, user?: string): Promise<Told> =>
    this.ask(path, user === undefined ? {} : { headers: { authorization: basic(user) } })

  send = (path: string, body: unknown, user: string): Promise<Told> =>
    this.ask(path, {
      method: 'POST',
      headers: { authorization: basic(user), 'content-type': halType },
      body: JSON.stringify(body),
    })

  /** A control call that changes something. */
  turn = (method: string, path: string, body: unknown = {}): Promise<Told> =>
    this.ask(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

  /** Names of the spaces that are open in each process, asked of it directly. */
  open(): Promise<string[][]> {
    return Promise.all(
      this.#mocks.map(async ({ url }) => {
        const { _embedded } = (await (await fetch(`${url}/_mock/spaces`)).json()) as Json
        return _embedded.spaces.map((space: Json) => space.name)
      }),
    )
  }

  /** Ends one process, as nobody has planned it. */
  async lose(at: number): Promise<void> {
    await this.#mocks[at]!.stop('SIGKILL')
  }

  /** Starts it again where it was. */
  async bringBack(at: number): Promise<void> {
    this.#mocks[at] = await startOne(this.#directories[at]!.path, String(this.#mocks[at]!.port))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise(resolve => this.#proxy.once('exit', resolve))
    if (this.#proxy.kill('SIGKILL')) await ended
    for (const mock of this.#mocks) await mock[Symbol.asyncDispose]()
    for (const directory of this.#directories) directory[Symbol.dispose]()
  }
}

const startOne = (data: string, port: string) =>
  start(['--data', data, '--port', port, '--trust-proxy', '--quiet'])

/** A port that nobody listens on. */
const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
