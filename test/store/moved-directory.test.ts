import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { diskFiles } from '../../src/store/disk-files.ts'
import { startMock } from '../mock.ts'
import { eventually, temporaryDirectory } from '../process.ts'
import { faultyDisk, systemError } from './faulty-disk.ts'
import { expectExactly, listed, send, useStage } from './stage.ts'

const stage = useStage()

/** Moves the directory away, and starts a second mock on a new one in its place. */
async function replaceDirectory() {
  const at = stage.data('data')
  const first = await stage.start(undefined, 'os', at)
  expect((await send(first, 'of-first')).status).toBe(201)
  renameSync(at, stage.data('data.old'))
  const second = await stage.start(undefined, 'os', at)
  return { at, first, second }
}

it('a mock whose directory was moved away changes nothing in the one that stands in its place', async () => {
  const { at, first, second } = await replaceDirectory()
  const told: string[] = []
  for (let n = 0; n < 20; n++) {
    expect((await send(second, `b${n}`)).status).toBe(201)
    told.push(`b${n}`)
    await send(first, `a${n}`)
    // Needs a new file, and a snapshot.
    await send(first, `a${n}`, `demo+a${n}`)
    await first.spaces.resetSpace('demo').catch(() => {})
  }
  await first.spaces.close().catch(() => {})
  await stage.killAll()
  expectExactly(await stage.start(undefined, 'os', at), told)
})

it('a mock whose directory was moved away loses nothing that it acknowledged: it is in the moved one', async () => {
  const { first } = await replaceDirectory()
  const told = ['of-first']
  for (let n = 0; n < 20; n++) if ((await send(first, `a${n}`)).status === 201) told.push(`a${n}`)
  await stage.killAll()
  expectExactly(await stage.start(undefined, 'os', stage.data('data.old')), told)
})

it('a change that needs a file of a directory that was moved away is refused with what happened', async () => {
  const at = stage.data('data')
  const files = await diskFiles(at)
  const mock = await startMock({ files, hints: true, report: () => {} })
  try {
    renameSync(at, stage.data('data.old'))
    mkdirSync(at)
    const { status, headers } = await send(mock, 'new')
    expect(status).toBe(500)
    expect(headers.get('x-mock-hint')).toContain(`${at} is another directory now`)
    expect(readdirSync(at)).toEqual([])
  } finally {
    await mock.spaces.close()
  }
})

it('a mock whose directory was moved away leaves the lock of the one in its place', async () => {
  const { at, first } = await replaceDirectory()
  await first.spaces.close().catch(() => {})
  await expect(diskFiles(at)).rejects.toThrow('is in use by another mailing-sync-mock')
})

it('a directory that is moved back is written again', async () => {
  const { at, first } = await replaceDirectory()
  expect((await send(first, 'refused', 'demo+new')).status).toBe(500)
  await stage.kill()
  renameSync(at, stage.data('data.new'))
  renameSync(stage.data('data.old'), at)
  expect((await send(first, 'made', 'demo+new')).status).toBe(201)
})

it('a log in whose place another file stands after a rest is not written to, and its changes go to a new one', async () => {
  const path = stage.data('spaces', 's0.d.1.log.jsonl')
  const files = await diskFiles(stage.data())
  try {
    const logs = Array.from({ length: 130 }, (_, n) =>
      files.appender(`spaces/s${n}.d.1.log.jsonl`, 'header\n'),
    )
    for (const log of logs) log.append('line\n')
    renameSync(path, `${path}.old`)
    writeFileSync(path, 'of somebody else, and longer than the log\n')
    expect(() => logs[0]!.append('line\n')).toThrow('it is another file now')
    expect(logs[0]!.broken).toBe(`${path} is another file now`)
    expect(readFileSync(path, 'utf8')).toBe('of somebody else, and longer than the log\n')
  } finally {
    await files.close()
  }
})

it('a directory with a long path is locked in itself, whatever the temporary folder of a process', async () => {
  const long = stage.data('d'.repeat(120))
  const files = await diskFiles(long)
  try {
    expect(readdirSync(long)).toContain('lock.1.sock')
    using other = temporaryDirectory()
    vi.stubEnv('TMPDIR', other.path)
    await expect(diskFiles(long)).rejects.toThrow('is in use by another mailing-sync-mock (process')
  } finally {
    vi.unstubAllEnvs()
    await files.close()
  }
  expect(readdirSync(long)).not.toContain('lock.1.sock')
})

it.each(['EACCES', 'EMFILE', 'ENOSPC'])(
  'a private copy whose log could not be created (%s) can be used and changed again after it was evicted',
  async code => {
    let isStruck = true
    const disk = faultyDisk((call, [path]) => {
      if (isStruck && call === 'openSync' && String(path).includes('/spaces/')) throw systemError(code)
      return undefined
    })
    const files = await diskFiles(stage.data(), 'os', disk)
    const copies = { count: 1, idle: 3_600_000 }
    const mock = await startMock({ files, copies, report: () => {} })
    try {
      expect((await send(mock, 'refused', 'demo+copy')).status).toBe(500)
      await eventually('it to be unused', () => mock.rig('demo+copy').use.idleMilliseconds > 0 || undefined)
      await mock.as('demo+other').get('/mailings')
      expect(mock.spaces.wasEvicted('demo+copy')).toBe(true)
      expect(await listed(mock, 'demo+copy')).toEqual([])
      isStruck = false
      expect((await send(mock, 'made', 'demo+copy')).status).toBe(201)
    } finally {
      await mock.spaces.close()
    }
  },
)

it('a damaged private copy is answered 500 at its first use, with a hint that names the file', async () => {
  const start = async () => startMock({ files: await diskFiles(stage.data()), hints: true, report: () => {} })
  const first = await start()
  await send(first, 'a', 'demo+copy')
  await first.spaces.close()
  const [snapshot = ''] = readdirSync(stage.data('spaces')).filter(it => /^demo-copy.*json$/.test(it))
  writeFileSync(stage.data('spaces', snapshot), '{}')
  const mock = await start()
  try {
    const ofClient = await mock.as('demo+copy').get('/mailings')
    const ofTester = await mock.as('demo').get('/_mock/spaces/demo%2Bcopy')
    for (const { status, headers } of [ofClient, ofTester]) {
      expect(status).toBe(500)
      expect(headers.get('x-mock-hint')).toContain(snapshot)
    }
    expect((await mock.as('demo').get('/mailings')).status).toBe(200)
  } finally {
    await mock.spaces.close()
  }
})
