import { writeSync } from 'node:fs'
import { type Disk, systemDisk } from '../../src/store/disk.ts'

/** Asked before each call: may throw what the system would say, or give a result in the place of the call's. */
export type Strike = (call: keyof Disk, args: readonly unknown[]) => unknown

/** Those that take place off the thread: they fail by rejecting. */
const inBackground = new Set<keyof Disk>(['write', 'read', 'fdatasync', 'fsync', 'rename'])

/** The machine's disk, where `strike` lets calls fail. */
export function faultyDisk(strike: Strike): Disk {
  const calls = Object.entries(systemDisk).map(([name, real]) => {
    const call = name as keyof Disk
    const struck = (...args: unknown[]) => {
      const instead = strike(call, args)
      return instead === undefined ? (real as (...args: unknown[]) => unknown)(...args) : instead
    }
    return [call, inBackground.has(call) ? async (...args: unknown[]) => struck(...args) : struck]
  })
  return Object.fromEntries(calls) as Disk
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
  EIO: 'i/o error',
  EMFILE: 'too many open files',
  EFBIG: 'file too large',
}

/** As Node tells of a call that the system refused. */
export const systemError = (code: string) => Object.assign(new Error(`${code}: ${words[code]}`), { code })

/** Writes whatever it changes on disk. */
export const changing: ReadonlySet<keyof Disk> = new Set<keyof Disk>([
  'writeSync',
  'write',
  'ftruncateSync',
  'renameSync',
  'rename',
  'mkdirSync',
  'rmSync',
])

/** A disk with a limit: what fits of a write is written, then it is full. */
export class SmallDisk {
  room: number

  constructor(room: number) {
    this.room = room
  }

  readonly disk = faultyDisk((call, args) => {
    if (call !== 'writeSync' && call !== 'write') return undefined
    const [file, bytes, from] = args as [number, Uint8Array, number]
    const wanted = bytes.length - from
    const fits = Math.min(wanted, this.room)
    if (fits === 0) throw systemError('ENOSPC')
    this.room -= fits
    return fits === wanted ? undefined : writeSync(file, bytes, from, fits)
  })
}
