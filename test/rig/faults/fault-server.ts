import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { SocketWire, type WatchedWire, type WireOutcome } from '../../../src/http/wire.ts'
import type { FaultContext } from '../../../src/rig/faults/fault.ts'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import type { Answer } from '../../../src/service/response.ts'
import { deliver } from './deliver.ts'

/** A sending as the service would answer it; the faults are about what becomes of it. */
export const sending = {
  id: 'aaaaaaaa-0000-4000-8000-000000000001',
  mailingSynchronizationId: 'bbbbbbbb-0000-4000-8000-000000000002',
  state: 'CREATED',
  transactionId: 'order:4711',
  target: { mailingId: 100_016, sendingId: 500_011 },
  _links: { self: { href: 'http://localhost/syncs/bbbbbbbb-0000-4000-8000-000000000002/sendings/x' } },
}

export const answer: Answer = {
  status: 201,
  headers: {
    'Content-Type': 'application/hal+json;charset=UTF-8',
    Location: 'http://localhost/sendings/aaaaaaaa-0000-4000-8000-000000000001',
  },
  body: JSON.stringify(sending),
}

/** Chance that always says the same, so that a test can name the outcome. */
export const context = (path = '/sendings', base = 'http://localhost'): FaultContext => ({
  base,
  path,
  fraction: () => 0.5,
})

export interface FaultServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** One for each request that a fault was asked for, in the order of arrival. */
  readonly wires: readonly WatchedWire[]
  /** How each exchange had ended when the fault on the wire said that it was over. */
  readonly outcomes: readonly WireOutcome[]
  /** Resolves when all that was begun is over. */
  over(): Promise<unknown>
  /** Paths of all requests, in the order of arrival. */
  readonly arrived: readonly string[]
  /** Their methods. */
  readonly methods: readonly string[]
  /** How many there are. */
  readonly connections: () => Promise<number>
  /** How many listeners for an event the connection has that asked last. */
  listeners(event: string): number
  /** Lets the requests to `/held` and `/late-wire` go on. */
  release(): void
}

/**
 * A server with a fixed answer. `/NAME?{settings}` lets that fault strike it, as the JSON after the question mark sets it
 * up; `/held` answers once it is released; `/late-wire` gets its wire only then; `/waited?MILLISECONDS` pauses on a wire
 * before it is answered; anything else is answered whole and at once.
 */
export async function faultServer(given: Answer = answer): Promise<FaultServer> {
  const wires: WatchedWire[] = []
  const outcomes: WireOutcome[] = []
  const arrived: string[] = []
  const methods: string[] = []
  const handled: Promise<void>[] = []
  const used = new WeakSet<Socket>()
  let last: Socket | undefined
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    arrived.push(incoming.url!)
    methods.push(incoming.method!)
    last = incoming.socket
    const isReused = used.has(incoming.socket)
    used.add(incoming.socket)
    handled.push(handle(incoming, outgoing, isReused))
  })

  async function handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    isReused: boolean,
  ): Promise<void> {
    const [path, query] = incoming.url!.slice(1).split('?')
    const fault = faults.get(path!)
    if (fault && fault.applies !== 'before body') for await (const _ of incoming);
    if (path === 'held' || path === 'late-wire') await released
    if (path === 'late-wire') return void wires.push(new SocketWire(incoming.socket, outgoing))
    if (path === 'waited') {
      const wire = new SocketWire(incoming.socket, outgoing)
      wires.push(wire)
      await wire.pause(Number(query ?? 1))
    }
    if (!fault || (fault.applies === 'on reused connection' && !isReused)) return whole(outgoing, given)
    const settings = fault.settings.parse(JSON.parse(decodeURIComponent(query ?? '{}')))
    const wire = new SocketWire(incoming.socket, outgoing)
    wires.push(wire)
    const told = await deliver(
      fault,
      settings,
      given,
      wire,
      context(incoming.url, `http://localhost:${port}`),
    )
    if (told) whole(outgoing, told)
    else outcomes.push(wire.outcome)
  }

  await new Promise<void>(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    wires,
    outcomes,
    over: () => Promise.all(handled),
    arrived,
    methods,
    release,
    listeners: event => last?.listenerCount(event) ?? 0,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function whole(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...headers, ...length }).end(body)
}
