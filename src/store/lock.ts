import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { StorageError } from './storage-error.ts'

/** Longest socket path that every system takes whole; longer ones are cut without a word (107 bytes on Linux). */
const longestPath = 100
const attempts = 5

/**
 * Holds a directory for this process alone. The lock is a listening Unix socket: the kernel lets go of it when the
 * process ends, however it ends, so a lock left behind answers no connection and can be taken over at once.
 *
 * Sockets are numbered, and the highest live number holds. A number is taken by binding to it, which only one
 * process can do; after that each looks again, and whoever sees another live one gives way. Removing a stale
 * socket and binding to the same name would leave a moment in which two processes both succeed.
 *
 * @throws StorageError naming the holder when another process has the directory
 */
export async function lock(directory: string): Promise<{ release(): Promise<void> }> {
  const prefix = socketPrefix(directory)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = numbers(prefix)
    for (const number of before) await refuseIfHeld(directory, prefix, number)
    const mine = (before.at(-1) ?? 0) + 1
    const server = await bind(path(prefix, mine))
    if (!server) continue
    const others = numbers(prefix).filter(number => number !== mine)
    const live = await Promise.all(others.map(number => holderOf(path(prefix, number))))
    if (live.every(holder => holder === undefined)) {
      for (const number of others) if (number < mine) rmSync(path(prefix, number), { force: true })
      return { release: () => close(server) }
    }
    await close(server)
  }
  throw new StorageError(`${directory} is being started by another process; try again`)
}

function socketPrefix(directory: string): string {
  const inside = join(directory, 'lock.')
  if (Buffer.byteLength(inside) + 12 <= longestPath) return inside
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 24)
  return join(tmpdir(), `mailing-sync-mock-${digest}.`)
}

const path = (prefix: string, number: number) => `${prefix}${number}.sock`

function numbers(prefix: string): number[] {
  const start = basename(prefix)
  return readdirSync(dirname(prefix))
    .filter(name => name.startsWith(start) && name.endsWith('.sock'))
    .map(name => Number(name.slice(start.length, -'.sock'.length)))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b)
}

async function refuseIfHeld(directory: string, prefix: string, number: number): Promise<void> {
  const holder = await holderOf(path(prefix, number))
  if (holder !== undefined)
    throw new StorageError(
      `${directory} is in use by another mailing-sync-mock (${holder}); stop it, or give this one its own directory with --data, or --in-memory`,
    )
}

/** Who listens there, or undefined when nobody does. A holder that is stopped accepts, but tells nothing. */
function holderOf(socketPath: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect(socketPath)
    let said = ''
    socket.setEncoding('utf8').setTimeout(500)
    socket.on('data', text => {
      said += text
    })
    socket.on('timeout', () => socket.destroy())
    let connected = false
    socket.on('connect', () => {
      connected = true
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(connected ? said || 'a process that does not answer' : undefined))
  })
}

function bind(socketPath: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.end(`process ${process.pid}`)
    })
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new StorageError(`cannot lock ${dirname(socketPath)}: ${error.message}`))
    })
    server.listen(socketPath, () => {
      server.unref()
      resolve(server)
    })
  })
}

const close = (server: Server) => new Promise<void>(resolve => void server.close(() => resolve()))
