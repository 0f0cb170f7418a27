import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { reasonOf, StorageError } from './disk.ts'

/** Maximum length of a socket path that works on every system; longer ones are cut silently (107 bytes on Linux). */
const maxPathLength = 100
const maxAttempts = 5

/**
 * Locks a directory for this process. The lock is a listening Unix socket. The kernel releases it however the process
 * ends, so a stale lock answers no connection and can be taken over at once.
 *
 * Sockets are numbered, and the highest live number holds the lock. A process takes a number by binding to it, which only
 * one process can do. Then it checks again, and gives up if there is another live socket. Removing a stale socket and
 * binding to the same name would leave a moment in which two processes both succeed.
 *
 * @throws StorageError naming the holder when another process has the directory
 */
export async function lock(directory: string): Promise<{ release(): Promise<void> }> {
  const prefix = socketPrefix(directory)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = listNumbers(prefix)
    for (const number of before) await refuseIfLocked(directory, prefix, number)
    const mine = (before.at(-1) ?? 0) + 1
    const server = await bind(socketPathOf(prefix, mine))
    if (!server) continue
    const others = listNumbers(prefix).filter(number => number !== mine)
    const live = await Promise.all(others.map(number => findHolder(socketPathOf(prefix, number))))
    if (live.every(holder => holder === undefined)) {
      for (const number of others) if (number < mine) rmSync(socketPathOf(prefix, number), { force: true })
      return { release: () => closeServer(server) }
    }
    await closeServer(server)
  }
  throw new StorageError(`${directory} is being started by another process; try again`)
}

function socketPrefix(directory: string): string {
  const inside = join(directory, 'lock.')
  if (Buffer.byteLength(inside) + 12 <= maxPathLength) return inside
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 24)
  return join(tmpdir(), `mailing-sync-mock-${digest}.`)
}

const socketPathOf = (prefix: string, number: number) => `${prefix}${number}.sock`

function listNumbers(prefix: string): number[] {
  const start = basename(prefix)
  return readdirSync(dirname(prefix))
    .filter(name => name.startsWith(start) && name.endsWith('.sock'))
    .map(name => Number(name.slice(start.length, -'.sock'.length)))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b)
}

async function refuseIfLocked(directory: string, prefix: string, number: number): Promise<void> {
  const holder = await findHolder(socketPathOf(prefix, number))
  if (holder !== undefined)
    throw new StorageError(
      `${directory} is in use by another mailing-sync-mock (${holder}); stop it, or give this one its own directory with --data, or --in-memory`,
    )
}

/** The process that listens there, or undefined. A suspended process accepts connections, but sends nothing. */
function findHolder(socketPath: string): Promise<string | undefined> {
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
      else
        reject(
          new StorageError(`cannot lock ${dirname(socketPath)}: ${reasonOf(error, dirname(socketPath))}`),
        )
    })
    server.listen(socketPath, () => {
      server.unref()
      resolve(server)
    })
  })
}

const closeServer = (server: Server) => new Promise<void>(resolve => void server.close(() => resolve()))
