import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import {
  type Disk,
  diskOfDirectory,
  notThroughLinks,
  reason,
  reasonOf,
  StorageError,
  syncDirectory,
  syncDirectoryInBackground,
  systemDisk,
  writeAtOnce,
  writeInPieces,
} from './disk.ts'
import type { Durability, Files } from './files.ts'
import { begunName, type OpenLogs, openLogFile, segmentOf } from './log.ts'
import { getOrMake } from './maps.ts'
import { limitParallel } from './parallel.ts'

/** Of the data directory. */
const folders = ['content', 'fixtures', 'spaces']

/** Creates a folder and its parents one by one. If the system refuses one, Node's own recursive mkdir may never return. */
function mkdirp(disk: Disk, folder: string): void {
  if (existsSync(folder)) return
  const around = dirname(folder)
  if (around !== folder) mkdirp(disk, around)
  try {
    disk.mkdirSync(folder)
  } catch (error) {
    // Another process may have created it. If it is no folder, creating the next one in it fails.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function readBeginning(path: string, most: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(most)
    return bytes.subarray(0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** Maximum number of files that are written in pieces at the same time. */
const maxParallelWrites = 16

/** Files in a directory, which is locked. @throws StorageError when it cannot be used, or another process has locked it */
export async function diskFiles(
  directory: string,
  durability: Durability = 'os',
  system: Disk = systemDisk,
): Promise<Files> {
  try {
    for (const folder of folders) mkdirp(system, resolve(directory, folder))
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it cannot be created' : reasonOf(error, directory)
    throw new StorageError(`cannot use ${directory} as the data directory: ${why}`)
  }
  const root = realpathSync(directory)
  const { release, descriptor } = await lock(root)
  const disk = diskOfDirectory(system, root, descriptor)
  const at = (name: string) => join(root, name)
  const isSynced = durability === 'fsync'
  const openLogs: OpenLogs = new Set()
  const inTurn = limitParallel(maxParallelWrites)
  let temporary = 0
  const temporaryName = (name: string) => `${at(name)}.${process.pid}.${temporary++}.tmp`

  // The directory is locked, so it is listed once: listing it again for each of many spaces would be slow.
  const known = new Map<string, Set<string>>()
  const note = (name: string) => {
    getOrMake(known, stemOf(name), () => new Set()).add(name)
  }
  try {
    for (const folder of folders)
      for (const name of readdirSync(at(folder)))
        if (name.endsWith('.tmp')) disk.rmSync(at(join(folder, name)))
        else note(`${folder}/${name}`)
    if (isSynced) for (const folder of [root, dirname(root)]) syncDirectory(disk, folder)
  } catch (error) {
    await release()
    throw new StorageError(`cannot use ${directory} as the data directory: ${reasonOf(error, directory)}`)
  }

  /** Removes an unfinished file. If that fails, the next start removes it. */
  function drop(path: string): void {
    try {
      disk.rmSync(path)
    } catch {}
  }

  return {
    persistent: true,
    pathOf: at,
    list: stem => [...(known.get(stem) ?? [])],
    changedAt(stem) {
      const times = [...(known.get(stem) ?? [])].flatMap(
        name => statSync(at(name), { throwIfNoEntry: false })?.mtimeMs ?? [],
      )
      return times.length === 0 ? undefined : Math.max(...times)
    },
    stems: folder => [...known.keys()].filter(stem => stem.startsWith(`${folder}/`)),
    read(name, most) {
      disk.checkPlace()
      if (!existsSync(at(name))) return undefined
      try {
        return most === undefined ? readFileSync(at(name)) : readBeginning(at(name), most)
      } catch (error) {
        throw new StorageError(`cannot read ${at(name)}: ${reason(error)}`)
      }
    },
    async replace(name, pieces) {
      const fresh = temporaryName(name)
      try {
        await inTurn(async () => {
          await writeInPieces(disk, fresh, pieces, isSynced)
          await disk.rename(fresh, at(name))
          if (isSynced) await syncDirectoryInBackground(disk, dirname(fresh))
        })
        note(name)
      } catch (error) {
        drop(fresh)
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    writeOnce(name, text) {
      if (existsSync(at(name))) return
      const fresh = temporaryName(name)
      try {
        writeAtOnce(disk, fresh, Buffer.from(text()), isSynced)
        disk.renameSync(fresh, at(name))
        if (isSynced) syncDirectory(disk, dirname(fresh))
      } catch (error) {
        drop(fresh)
        throw new StorageError(`cannot write ${at(name)}: ${reason(error)}`)
      }
    },
    appender(name, header, kind = 'log') {
      const begun = begunName(name)
      return openLogFile(at(name), header, disk, openLogs, kind === 'log' ? durability : 'os', {
        noteCreated: () => note(name),
        markBegun() {
          if (kind !== 'log') return
          try {
            const file = disk.openSync(at(begun), 'a')
            note(begun)
            disk.closeSync(file)
          } catch {
            // The log is as good without it; only its loss would not be noticed.
          }
        },
      })
    },
    cut(name, size) {
      try {
        const file = disk.openSync(at(name), notThroughLinks)
        try {
          disk.ftruncateSync(file, size)
          if (isSynced) disk.fdatasyncSync(file)
        } finally {
          disk.closeSync(file)
        }
      } catch (error) {
        throw new StorageError(`cannot cut ${at(name)} to ${size} bytes: ${reason(error)}`)
      }
    },
    remove(names) {
      // What follows goes first, and the note before its log: what is left of a removal that is cut off can be read.
      for (const name of names.toSorted().sort((a, b) => segmentOf(b) - segmentOf(a))) {
        try {
          disk.rmSync(at(name))
        } catch (error) {
          throw new StorageError(`cannot remove ${at(name)}: ${reason(error)}`)
        }
        const others = known.get(stemOf(name))
        if (others?.delete(name) && others.size === 0) known.delete(stemOf(name))
      }
      if (!isSynced) return
      try {
        for (const folder of new Set(names.map(name => dirname(at(name))))) syncDirectory(disk, folder)
      } catch (error) {
        throw new StorageError(`cannot sync ${directory}: ${reason(error)}`)
      }
    },
    close: release,
  }
}

const stemOf = (name: string) => name.split('.', 2).join('.')

/** Maximum length of a socket path that works on every system; longer ones are cut silently (107 bytes on Linux). */
const maxSocketPathLength = 100
const maxLockAttempts = 5

interface Lock {
  /** Of the directory that is locked, whatever its path is meanwhile. */
  readonly descriptor: number
  readonly release: () => Promise<void>
}

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
async function lock(directory: string): Promise<Lock> {
  const descriptor = openDirectory(directory)
  try {
    const server = await takeNumber(directory, lockPlace(directory, descriptor))
    let released: Promise<void> | undefined
    return {
      descriptor,
      // Once: a second close would be of whatever has the descriptor then.
      release: () => (released ??= closeServer(server).then(() => closeSync(descriptor))),
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function openDirectory(directory: string): number {
  try {
    return openSync(directory, 'r')
  } catch (error) {
    throw new StorageError(`cannot lock ${directory}: ${reasonOf(error, directory)}`)
  }
}

/**
 * A path of the directory in which sockets can be bound. Linux has one that is short however long the path of the directory
 * is, and stays that of this directory when it is moved: the socket that is removed at the end is our own.
 */
function lockPlace(directory: string, descriptor: number): string {
  const ofDescriptor = `/proc/self/fd/${descriptor}`
  if (existsSync(ofDescriptor)) return ofDescriptor
  const length = Buffer.byteLength(directory)
  const most = maxSocketPathLength - '/lock.1000000.sock'.length
  if (length <= most) return directory
  throw new StorageError(
    `cannot lock ${directory}: its path is ${length} bytes long, and here a lock needs one of at most ${most}; use a directory with a shorter path`,
  )
}

async function takeNumber(directory: string, place: string): Promise<Server> {
  const pathOf = (number: number) => join(place, `lock.${number}.sock`)
  for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
    const before = listNumbers(place)
    for (const number of before) {
      const holder = await findHolder(pathOf(number))
      if (holder !== undefined)
        throw new StorageError(
          `${directory} is in use by another mailing-sync-mock (${holder}); stop it, or give this one its own directory with --data, or --in-memory`,
        )
    }
    const mine = (before.at(-1) ?? 0) + 1
    const server = await bind(directory, pathOf(mine))
    if (!server) continue
    const others = listNumbers(place).filter(number => number !== mine)
    const live = await Promise.all(others.map(number => findHolder(pathOf(number))))
    if (live.every(holder => holder === undefined)) {
      for (const number of others) if (number < mine) rmSync(pathOf(number), { force: true })
      return server
    }
    await closeServer(server)
  }
  throw new StorageError(`${directory} is being started by another process; try again`)
}

const listNumbers = (place: string): number[] =>
  readdirSync(place)
    .flatMap(name => /^lock\.(\d+)\.sock$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)

/** The process that listens there, or undefined. A suspended process accepts connections, but sends nothing. */
async function findHolder(socketPath: string): Promise<string | undefined> {
  const socket = connect(socketPath).setEncoding('utf8')
  let connected = false
  let said = ''
  socket.on('connect', () => {
    connected = true
  })
  socket.setTimeout(500, () => socket.destroy())
  try {
    for await (const text of socket) said += text
  } catch {
    // No process listens there, or the time is over.
  }
  return connected ? said || 'a process that does not answer' : undefined
}

async function bind(directory: string, socketPath: string): Promise<Server | undefined> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.end(`process ${process.pid}`)
  })
  // A connection that fails later does not matter.
  server.on('error', () => {})
  try {
    await once(server.listen(socketPath), 'listening')
    return server.unref()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return undefined
    // Here files can be written, as the folders before.
    const cure =
      code === 'EACCES'
        ? ''
        : '; the lock is a socket, which some shared file systems do not have: use a local directory or a volume, or --in-memory'
    throw new StorageError(`cannot lock ${directory}: ${reasonOf(error, directory)}${cure}`)
  }
}

const closeServer = (server: Server) => new Promise<void>(resolve => void server.close(() => resolve()))
