import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ids, synchronizationPath, type TestMock } from '../mock.ts'
import { changing, faultyDisk, SmallDisk, systemError } from './faulty-disk.ts'
import { expectExactly, listed, send, useStage } from './stage.ts'

const stage = useStage()
const logs = () => readdirSync(stage.data('spaces')).filter(name => name.endsWith('.log.jsonl'))

/** Sends one after the other. Gives which were acknowledged, and sees to it that the others were refused in order. */
async function attempts(mock: TestMock, transactionIds: readonly string[]): Promise<string[]> {
  const told: string[] = []
  for (const transactionId of transactionIds) {
    const { status, json } = await send(mock, transactionId)
    if (status === 201) told.push(transactionId)
    else
      expect([status, json.detail]).toEqual([500, 'The request could not be processed; nothing was changed'])
  }
  return told
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

/** A mock that has just been started anew has exactly this, and goes on. */
async function expectAfterRestart(
  told: readonly string[],
  end: () => Promise<void> = stage.kill,
): Promise<void> {
  await end()
  const mock = await stage.start()
  expectExactly(mock, told)
  expect((await send(mock, 'after-restart')).status).toBe(201)
  await stage.kill()
  expectExactly(await stage.start(), [...told, 'after-restart'])
}

describe('a disk that is full', () => {
  it('T04: refuses changes and does nothing of them, answers everything else, and goes on when there is room', async () => {
    const small = new SmallDisk(1_000_000)
    const mock = await stage.start(small.disk)
    await send(mock, 'a0')
    small.room = 10_000
    const told = ['a0', ...(await attempts(mock, names('a', 40).slice(1)))]
    expect(told.length).toBeGreaterThan(3)
    expect(told.length).toBeLessThan(40)
    expectExactly(mock, told)
    expect(await listed(mock)).toEqual([...told].sort())
    small.room = 1_000_000
    const refused = names('a', 40).filter(id => !told.includes(id))
    expect(await attempts(mock, refused)).toEqual(refused)
    expectExactly(mock, names('a', 40))
    await expectAfterRestart(names('a', 40))
  })

  it('T04: leaves the last snapshot and its logs, where a snapshot finds no room, and says so at the stop', async () => {
    const small = new SmallDisk(1_000_000)
    const mock = await stage.start(small.disk)
    const told = await attempts(mock, names('a', 5))
    small.room = 100
    await expect(stage.stop(mock)).rejects.toThrow(/^cannot write .*ENOSPC/)
    expect(readdirSync(stage.data('spaces')).filter(name => name.endsWith('.tmp'))).toEqual([])
    await expectAfterRestart(told, async () => {})
  })

  it('T04: takes a whole group of simultaneous changes back', async () => {
    const small = new SmallDisk(1_000_000)
    const mock = await stage.start(small.disk)
    await send(mock, 'before')
    small.room = 3_000
    const answers = await Promise.all(names('a', 8).map(id => send(mock, id)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(500))
    expectExactly(mock, ['before'])
    small.room = 1_000_000
    expect((await send(mock, 'a0')).status).toBe(201)
    await expectAfterRestart(['before', 'a0'])
  })
})

describe('a disk that cannot be written', () => {
  it('T05: ends the start with a sentence when it is so from the beginning', async () => {
    const readOnly = faultyDisk(call => {
      if (changing.has(call)) throw systemError('EROFS')
    })
    await expect(stage.start(readOnly, 'os', stage.data('new'))).rejects.toThrow(
      `cannot use ${stage.data('new')} as the data directory: it is read-only here`,
    )
    expect(existsSync(stage.data('new'))).toBe(false)
  })

  it.each(['EROFS', 'EIO', 'EFBIG'])(
    'T05, T06, T08: refuses changes while it says %s, answers everything else, and goes on afterwards',
    async code => {
      let isBroken = false
      const disk = faultyDisk(call => {
        if (isBroken && changing.has(call)) throw systemError(code)
      })
      const mock = await stage.start(disk)
      const before = await attempts(mock, ['a', 'b'])
      isBroken = true
      expect(await attempts(mock, ['c', 'd', 'e'])).toEqual([])
      expectExactly(mock, before)
      expect(await listed(mock)).toEqual(['a', 'b'])
      isBroken = false
      // The log could not even be cut: everything is written to a new file first, and that takes a moment.
      await expect.poll(async () => (await send(mock, 'c')).status).toBe(201)
      expect(await attempts(mock, ['f'])).toEqual(['f'])
      expectExactly(mock, ['a', 'b', 'c', 'f'])
      await expectAfterRestart(['a', 'b', 'c', 'f'])
    },
  )

  it.each(['a log that was begun', 'the first change', 'a log that is broken'])(
    'T20: a reset that cannot be recorded with %s leaves everything as it is, and succeeds later',
    async where => {
      let broken: ReadonlySet<string> = new Set()
      const disk = faultyDisk(call => {
        if (broken.has(call)) throw systemError('EIO')
      })
      const first = await stage.start(disk)
      await attempts(first, ['a', 'b'])
      await stage.stop(first)
      const mock = await stage.start(disk)
      if (where !== 'the first change') await attempts(mock, ['c'])
      const there = where === 'the first change' ? ['a', 'b'] : ['a', 'b', 'c']
      broken = new Set(
        where === 'a log that is broken' ? ['writeSync', 'write', 'ftruncateSync'] : ['writeSync'],
      )
      if (where === 'a log that is broken') expect(await attempts(mock, ['d'])).toEqual([])
      for (let n = 0; n < 3; n++) await expect(mock.spaces.reset()).rejects.toThrow(/EIO/)
      expectExactly(mock, there)
      broken = new Set()
      await expect.poll(async () => mock.spaces.reset().then(() => 'done', String)).toBe('done')
      expectExactly(mock, [])
      expect(await attempts(mock, ['e'])).toEqual(['e'])
      await expectAfterRestart(['e'])
    },
  )

  it('T08: refuses a new space while no file can be opened, and opens it when one can', async () => {
    let isBroken = false
    const disk = faultyDisk(call => {
      if (isBroken && call === 'openSync') throw systemError('EMFILE')
    })
    const mock = await stage.start(disk)
    isBroken = true
    expect((await send(mock, 'a', 'demo+other')).status).toBe(500)
    isBroken = false
    expect((await send(mock, 'a', 'demo+other')).status).toBe(201)
    expectExactly(mock, ['a'], 'demo+other')
  })

  it('T06: a rename that fails leaves the old snapshot, the logs, and no leftovers', async () => {
    let isBroken = false
    const disk = faultyDisk(call => {
      if (isBroken && call === 'rename') throw systemError('EIO')
    })
    const first = await stage.start(disk)
    await attempts(first, ['a'])
    await stage.stop(first)
    const second = await stage.start(disk)
    await attempts(second, ['b'])
    isBroken = true
    await expect(stage.stop(second)).rejects.toThrow(/^cannot write .*EIO/)
    expect(readdirSync(stage.data('spaces')).filter(name => name.endsWith('.tmp'))).toEqual([])
    await expectAfterRestart(['a', 'b'], async () => {})
  })

  it('T06: after a sync that failed what waited for it is taken back, and its file is never written again', async () => {
    let isBroken = false
    const disk = faultyDisk(call => {
      if (isBroken && (call === 'fdatasync' || call === 'fdatasyncSync')) throw systemError('EIO')
    })
    const mock = await stage.start(disk, 'fsync')
    await attempts(mock, ['a', 'b'])
    const [log] = logs()
    isBroken = true
    const answers = await Promise.all(['c', 'd'].map(id => send(mock, id)))
    expect(answers.map(({ status }) => status)).toEqual([500, 500])
    expectExactly(mock, ['a', 'b'])
    isBroken = false
    await expect.poll(async () => (await send(mock, 'c')).status).toBe(201)
    expect(logs()).not.toContain(log)
    expectExactly(mock, ['a', 'b', 'c'])
    await expectAfterRestart(['a', 'b', 'c'])
  })
})

describe('a disk that lies', () => {
  it('T07: a write that takes less than it says is found at once, and what it lost is refused', async () => {
    let lies = 0
    const disk = faultyDisk((call, args) => {
      if (call !== 'writeSync' || lies-- !== 1) return undefined
      const [file, bytes, from] = args as [number, Uint8Array, number]
      writeSync(file, bytes, from, bytes.length - from - 3)
      return bytes.length - from
    })
    const mock = await stage.start(disk)
    await attempts(mock, ['a', 'b'])
    lies = 1
    expect(await attempts(mock, ['c', 'd'])).toEqual(['d'])
    expectExactly(mock, ['a', 'b', 'd'])
    await expectAfterRestart(['a', 'b', 'd'])
  })

  it.each(['less', 'something else'])(
    'T07: a snapshot of which the disk has %s does not replace anything',
    async what => {
      const disk = faultyDisk((call, args) => {
        if (call !== 'write') return undefined
        const [file, bytes] = args as [number, Uint8Array]
        if (what === 'less') writeSync(file, bytes, 0, bytes.length - 3)
        else writeSync(file, Buffer.from(bytes).fill(0, 10, 12))
        return Promise.resolve(bytes.length)
      })
      const mock = await stage.start(disk)
      const told = await attempts(mock, ['a', 'b'])
      await expect(stage.stop(mock)).rejects.toThrow(
        /what can be read back \(\d+ bytes\) is not what was written/,
      )
      await expectAfterRestart(told, async () => {})
    },
  )
})

describe('somebody else at the files', () => {
  it('T09: a directory that is removed is told of, crashes nothing, and is not made again', async () => {
    const mock = await stage.start()
    const told = await attempts(mock, ['a', 'b'])
    rmSync(stage.data('spaces'), { recursive: true })
    expect(await attempts(mock, ['c', 'd'])).toEqual([])
    expectExactly(mock, told)
    expect(await listed(mock)).toEqual(['a', 'b'])
    await expect(stage.stop(mock)).rejects.toThrow(/there is no such file/)
    expect(existsSync(stage.data('spaces'))).toBe(false)
  })

  it('T09: a log that is removed or cut is noticed before the next answer, and everything is written anew', async () => {
    for (const harm of [(path: string) => rmSync(path), (path: string) => truncateSync(path, 10)]) {
      const mock = await stage.start()
      const [log] = logs()
      const before = await attempts(mock, log ? ['c'] : ['a', 'b'])
      expect(before.length).toBeGreaterThan(0)
      for (const name of logs()) harm(stage.data('spaces', name))
      expect(await attempts(mock, ['lost'])).toEqual([])
      await expect.poll(async () => (await send(mock, 'lost')).status).toBeLessThan(300)
      await stage.stop(mock)
      const again = await stage.start()
      expect(await listed(again)).toEqual(expect.arrayContaining([...before, 'lost']))
      await stage.kill()
      rmSync(stage.data('spaces'), { recursive: true })
    }
  })

  it('T30: a file that has grown beyond all measure is refused by name, not read', async () => {
    const mock = await stage.start()
    await send(mock, 'a')
    await stage.stop(mock)
    const name = readdirSync(stage.data('spaces')).find(it => it.endsWith('.json'))
    truncateSync(stage.data('spaces', name!), 3 * 2 ** 30) // a hole, which takes no room
    await expect(stage.start()).rejects.toThrow(/^cannot read .*2 GiB/)
  })

  it.each(['a link', 'a directory'])(
    'T09: where %s stands in the place of a log, nothing goes through it',
    async what => {
      const outside = stage.data('outside')
      writeFileSync(outside, 'mine')
      const mock = await stage.start()
      await send(mock, 'a')
      const next = stage.data('spaces', logs()[0]!.replace('.1.log', '.2.log'))
      await stage.kill()
      if (what === 'a link') symlinkSync(outside, next)
      const again = await stage.start().catch(error => error)
      if (what === 'a link') expect(again.message).toContain(next)
      else {
        mkdirSync(next)
        expect((await send(again, 'b')).status).toBe(500)
        expectExactly(again, ['a'])
      }
      expect(readFileSync(outside, 'utf8')).toBe('mine')
    },
  )
})

describe('the n-th call of the disk', () => {
  const script = async (mock: TestMock) => {
    const told: string[] = []
    const note = async (id: string) => (await send(mock, id)).status === 201 && told.push(id)
    await note('a')
    await Promise.all(['b', 'c', 'd'].map(note))
    await note('b')
    const uploaded = await mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    expect([200, 500]).toContain(uploaded.status)
    await note('e')
    return { told: new Set(told), uploads: uploaded.status === 200 ? 1 : 0 }
  }
  const transactions = (mock: TestMock) =>
    [...mock.space().data.tables.sendings.changes()].map(({ row }) => row.transactionId)
  const uploadsOf = (mock: TestMock) => [...mock.space().data.tables.mailingUploads.changes()].length

  // Not for ever with fsync: after a sync and a cut that failed, what was refused is in the log, and nobody can take it out.
  it.each([
    ['once', 'os'],
    ['once', 'fsync'],
    ['for ever', 'os'],
  ] as const)(
    'T20: whichever it is that fails %s with --durability %s, every request is done and told, or neither',
    async (how, durability) => {
      let count = 0
      for (let nth = 1; count >= nth - 1; nth++) {
        count = 0
        const disk = faultyDisk(() => {
          count++
          if (count === nth || (how === 'for ever' && count > nth)) throw systemError('EIO')
        })
        const at = stage.data(`${nth}`)
        const mock = await stage.start(disk, durability, at).catch((error: Error) => error)
        if (mock instanceof Error) {
          expect(mock.message).toMatch(/EIO/)
          continue
        }
        const { told, uploads } = await script(mock)
        expectOnly(mock, told, uploads)
        if (nth % 2 === 0) await stage.stop(mock).catch(error => expect(error.message).toMatch(/EIO|anew/))
        else await stage.kill()
        const again = await stage.start(undefined, 'os', at)
        expectOnly(again, told, uploads)
        await stage.kill()
      }
      expect(count).toBeGreaterThan(10)
    },
    60_000,
  )

  /** Transactions and uploads, neither more nor less. */
  function expectOnly(mock: TestMock, told: ReadonlySet<string>, uploads: number): void {
    const { tables } = mock.space().data
    expect(transactions(mock).sort()).toEqual([...told].sort())
    expect(uploadsOf(mock)).toBe(uploads)
    expect([...tables.platformSendings.changes()]).toHaveLength(told.size)
    expect([...tables.platformMailings.changes()]).toHaveLength(told.size + uploads)
  }
})
