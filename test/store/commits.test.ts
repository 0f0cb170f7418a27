import { describe, expect, it, vi } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { faultyDisk, systemError } from './faulty-disk.ts'
import { expectExactly, send, useStage } from './stage.ts'

const stage = useStage()

/** A disk whose syncs off the thread end when the test says so. */
function slowDisk() {
  const waiting: { end(): void; fail(): void }[] = []
  const disk = faultyDisk(call => {
    if (call !== 'fdatasync') return undefined
    return new Promise<void>((resolve, reject) => {
      waiting.push({ end: resolve, fail: () => reject(systemError('EIO')) })
    })
  })
  const next = () => expect.poll(() => waiting.length).toBeGreaterThan(0)
  return {
    disk,
    async end() {
      await next()
      waiting.shift()!.end()
    },
    async fail() {
      await next()
      waiting.shift()!.fail()
    },
    get syncs() {
      return waiting.length
    },
  }
}

/** Whether a promise is settled once everything that can go on has gone on. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  return settled
}

describe('changes that come together', () => {
  it('changes that come together go to the log in one write', async () => {
    let writes = 0
    const disk = faultyDisk(call => {
      if (call === 'writeSync') writes++
    })
    const mock = await stage.start(disk)
    await send(mock, 'first')
    writes = 0
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => send(mock, `t${n}`)))
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    expect(writes).toBeLessThanOrEqual(2)
    await stage.kill()
    expectExactly(await stage.start(), ['first', ...Array.from({ length: 50 }, (_, n) => `t${n}`)])
  })

  it('with fsync wait for the disk, and those that come meanwhile share the next sync', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const first = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    const others = Promise.all(['b', 'c', 'd'].map(id => send(mock, id)))
    expect(await isSettled(first)).toBe(false)
    expect(await isSettled(others)).toBe(false)
    expect(slow.syncs).toBe(1)
    await slow.end()
    expect((await first).status).toBe(201)
    await slow.end()
    expect((await others).map(({ status }) => status)).toEqual([201, 201, 201])
  })

  it('with the same transaction ID make one sending, whose repeats wait as well', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const first = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    const repeat = send(mock, 'a')
    expect(await isSettled(repeat)).toBe(false)
    await slow.end()
    expect([(await first).status, (await repeat).status]).toEqual([201, 200])
    expect((await repeat).json.id).toBe((await first).json.id)
  })
})

it('changes are safe and answered while a test has put timers of its own in place', async () => {
  const mock = await stage.start()
  vi.useFakeTimers()
  try {
    expect((await send(mock, 'a')).status).toBe(201)
  } finally {
    vi.useRealTimers()
  }
})

describe('a reader', () => {
  it('a reader is told of a change only once that is safe', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const made = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    const list = mock.as('demo').get(synchronizationPath(ids.ready, '/sendings'))
    expect(await isSettled(list)).toBe(false)
    await slow.end()
    expect((await list).text).toContain((await made).json.id)
  })

  it('of the control API is told of a change only once that is safe', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const ledger = () => mock.fetch(new Request('http://localhost/_mock/spaces/demo/platform'))
    await ledger() // loads the control API
    const made = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    const read = ledger()
    expect(await isSettled(read)).toBe(false)
    await slow.fail()
    expect([(await made).status, (await read).status]).toEqual([500, 500])
    expect(await (await ledger()).json()).toMatchObject({ sendings: [] })
  })

  it('a reader gets 500 where it would have told of a change that had to be taken back', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const made = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    const list = mock.as('demo').get(synchronizationPath(ids.ready, '/sendings'))
    const later = send(mock, 'b')
    await slow.fail()
    expect([(await made).status, (await list).status, (await later).status]).toEqual([500, 500, 500])
    expectExactly(mock, [])
    const again = await mock.as('demo').get(synchronizationPath(ids.ready, '/sendings'))
    expect(again.json._embedded['svc:sendings']).toEqual([])
  })

  it('of another space does not wait', async () => {
    const slow = slowDisk()
    const mock = await stage.start(slow.disk, 'fsync')
    const made = send(mock, 'a')
    await expect.poll(() => slow.syncs).toBe(1)
    expect((await mock.as('demo+other').get(synchronizationPath(ids.ready))).status).toBe(200)
    expect(await isSettled(made)).toBe(false)
    await slow.end()
    await made
  })
})

it('a reset while a sync is under way is safe when it is told, and what was under way is told as it went', async () => {
  const slow = slowDisk()
  const mock = await stage.start(slow.disk, 'fsync')
  const made = send(mock, 'a')
  await expect.poll(() => slow.syncs).toBe(1)
  await mock.spaces.reset()
  expect((await made).status).toBe(201)
  expectExactly(mock, [])
  await stage.kill()
  expectExactly(await stage.start(), [])
})
