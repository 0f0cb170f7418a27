import { readFileSync, rmSync, truncateSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Disk, systemDisk } from '../../src/store/disk.ts'
import { diskFiles } from '../../src/store/disk-files.ts'
import type { Durability, Files } from '../../src/store/files.ts'
import { temporaryDirectory } from '../process.ts'

/** Logs that are open at the same time, at most; see docs/durability.md. */
const most = 128
const count = most + 20

let directory: ReturnType<typeof temporaryDirectory>
let files: Files
let isOpen: Set<number>
let mostOpen: number
/** Syncs that have begun and not ended. */
let syncs: (() => void)[]

beforeEach(() => {
  directory = temporaryDirectory()
  isOpen = new Set()
  mostOpen = 0
  syncs = []
})
afterEach(async () => {
  await files.close()
  directory[Symbol.dispose]()
})

/** A disk that counts open files, and on which a sync takes until `syncs` says so. */
const disk: Disk = {
  ...systemDisk,
  openSync(path, flags) {
    const file = systemDisk.openSync(path, flags)
    isOpen.add(file)
    mostOpen = Math.max(mostOpen, isOpen.size)
    return file
  },
  closeSync(file) {
    isOpen.delete(file)
    systemDisk.closeSync(file)
  },
  fdatasync: () => new Promise(resolve => syncs.push(resolve)),
}

const nameOf = (n: number) => `spaces/s${n}.d.1.log.jsonl`

async function openLogs(durability: Durability = 'os') {
  files = await diskFiles(directory.path, durability, disk)
  isOpen.clear()
  mostOpen = 0
  return Array.from({ length: count }, (_, n) => files.appender(nameOf(n), `header ${n}\n`))
}

it('of more logs than may be open, those that rest are closed, and go on where they were', async () => {
  const logs = await openLogs()
  for (const line of ['first', 'second'])
    for (const [n, log] of logs.entries()) log.append(`${line} of ${n}\n`)
  // One more, for the note that a log has begun.
  expect(mostOpen).toBeLessThanOrEqual(most + 1)
  for (const [n] of logs.entries())
    expect(readFileSync(files.pathOf(nameOf(n)), 'utf8')).toBe(`header ${n}\nfirst of ${n}\nsecond of ${n}\n`)
  for (const log of logs) log.close()
  expect(isOpen.size).toBe(0)
})

it('a log with a sync under way is not closed, however long it rests', async () => {
  const logs = await openLogs('fsync')
  const done = logs.map(log => {
    log.append('line\n')
    return log.sync()
  })
  expect(isOpen.size).toBe(count)
  for (const end of syncs) end()
  await Promise.all(done)
  // The next one that is written gives the descriptors back.
  logs[0]!.append('line\n')
  expect(isOpen.size).toBe(most)
})

it.each([
  ['removed', (path: string) => rmSync(path), 'has been removed'],
  ['cut', (path: string) => truncateSync(path, 3), 'has been cut to'],
])('a log that is %s while it rests is noticed by the next line', async (_, harm, told) => {
  const logs = await openLogs()
  for (const log of logs) log.append('line\n')
  harm(files.pathOf(nameOf(0)))
  expect(() => logs[0]!.append('more\n')).toThrow(/^cannot append to/)
  expect(logs[0]!.broken).toContain(told)
})
