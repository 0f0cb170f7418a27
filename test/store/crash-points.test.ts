import { writeSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ids, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { changing, faultyDisk } from './faulty-disk.ts'
import { send, useStage } from './stage.ts'

const stage = useStage()

/** A disk that ends with its n-th change: of a write it may have taken a part, and nothing comes after it. */
function mortalDisk(n: number, part: number) {
  let left = n
  let isDead = false
  const disk = faultyDisk((call, args) => {
    if (isDead) throw new Error('the process is gone')
    if (!changing.has(call) || --left > 0) return
    isDead = true
    if (call === 'writeSync' || call === 'write') {
      const [file, bytes, from] = args as [number, Uint8Array, number]
      writeSync(file, bytes, from, Math.floor((bytes.length - from) * part))
    }
    throw new Error('the process is gone')
  })
  return { disk, isDead: () => isDead }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('send' as const), id: fc.integer({ min: 0, max: 7 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('group' as const), id: fc.integer({ min: 0, max: 7 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('upload' as const), id: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reset' as const), id: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const), id: fc.constant(0) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** The requests that a step makes, all at once. Each gives whether it was acknowledged. */
function requestsOf({ what, id }: Step): ((mock: TestMock) => Promise<boolean>)[] {
  const sending = (n: number) => async (mock: TestMock) => (await send(mock, `t${n}`)).status < 300
  switch (what) {
    case 'send':
      return [sending(id)]
    case 'group':
      return [sending(id), sending(id + 1), sending(id)]
    case 'upload':
      return [
        async mock =>
          (await mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})).status < 300,
      ]
    case 'reset':
      return [
        mock =>
          mock.spaces.reset().then(
            () => true,
            () => false,
          ),
      ]
    case 'restart':
      return []
  }
}

/** All rows, but for what differs with the process. */
function stateOf(mock: TestMock): string {
  const withoutCause = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && 'cause' in value ? { ...value, cause: '' } : value
  return JSON.stringify(mock.space().data.toFixture(), withoutCause)
}

it('T31: over random series of changes that end at a random point of writing, what is there afterwards is what was acknowledged, or that and a part of the last step', async () => {
  let deaths = 0
  let runs = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 3, max: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('os' as const, 'fsync' as const),
      async (steps, moment, part, durability) => {
        const at = stage.data(`${runs++}`)
        const { disk, isDead } = mortalDisk(moment, part)
        const model = await startMock()
        let mock = await stage.start(disk, durability, at).catch(() => undefined)
        /** What may be there: what was acknowledged, and what each request since then would have added. */
        let possible = [stateOf(model)]
        for (const one of steps) {
          if (!mock || isDead()) break
          if (one.what === 'restart') {
            await stage.stop(mock).catch(() => {})
            mock = isDead() ? undefined : await stage.start(disk, durability, at).catch(() => undefined)
            continue
          }
          const requests = requestsOf(one)
          for (const request of requests) {
            await request(model)
            possible.push(stateOf(model))
          }
          const told = await Promise.all(requests.map(request => request(mock!)))
          if (told.every(Boolean)) possible = possible.slice(-1)
          else expect(isDead()).toBe(true)
        }
        if (isDead()) deaths++
        await stage.killAll()
        const after = await stage.start(undefined, 'os', at)
        expect(possible).toContain(stateOf(after))
        await stage.killAll()
      },
    ),
    { numRuns: 25 },
  )
  // A good half of them usually: without deaths nothing was tried.
  expect(deaths).toBeGreaterThan(5)
})

it.each(['removed', 'reset with all others'])(
  'T31: a private space that is being %s when the process ends, at any of its files, can be used afterwards',
  async how => {
    let isDead = true
    for (let moment = 1; isDead; moment++) {
      const at = stage.data(`${moment}`)
      // A snapshot, the note of the log that it covers, and a log with its note.
      for (const id of ['a', 'b']) {
        const mock = await stage.start(undefined, 'os', at)
        await send(mock, id, 'demo+x')
        await (id === 'a' ? stage.stop(mock) : stage.kill())
      }
      let left = moment
      isDead = false
      const disk = faultyDisk((call, [path]) => {
        if (call !== 'rmSync' || !String(path).includes('demo-x.') || --left > 0) return
        isDead = true
        throw new Error('the process is gone')
      })
      const mock = await stage.start(disk, 'os', at)
      if (how === 'removed') await send(mock, 'c', 'demo+x')
      const ending = how === 'removed' ? mock.spaces.remove('demo+x') : mock.spaces.reset()
      await ending.catch(() => {})
      await stage.kill()
      expect((await send(await stage.start(undefined, 'os', at), 'd', 'demo+x')).status).toBe(201)
      await stage.kill()
    }
  },
)
