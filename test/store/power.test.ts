import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { send, useStage } from './stage.ts'
import { VolatileDisk } from './volatile-disk.ts'

const stage = useStage()
const step = fc.constantFrom('send', 'send', 'send', 'group', 'upload', 'reset', 'remove', 'restart')

/** Does what the steps say, takes the power away, and gives what was there before and what is there after. */
async function throughFailure(steps: readonly string[], durability: 'os' | 'fsync', at: string) {
  const volatile = new VolatileDisk()
  let mock = await stage.start(volatile.disk, durability, at)
  for (const [n, what] of steps.entries()) {
    if (what === 'send') await send(mock, `t${n % 5}`, n % 2 === 0 ? 'demo' : 'demo+copy')
    if (what === 'group') await Promise.all([0, 1, 2].map(it => send(mock, `g${n}-${it}`)))
    if (what === 'upload') await mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    if (what === 'reset') await mock.spaces.reset()
    if (what === 'remove') await mock.spaces.remove('demo+copy')
    if (what === 'restart') {
      await stage.stop(mock)
      mock = await stage.start(volatile.disk, durability, at)
    }
  }
  const state = async (of: typeof mock) => {
    const spaces = ['demo', 'demo+copy'].map(async name => (await of.spaces.getOrOpen(name)).data.toFixture())
    return JSON.stringify(await Promise.all(spaces), (key, value) => (key === 'cause' ? '' : value))
  }
  const before = await state(mock)
  await stage.killAll()
  volatile.fail(`${at}/spaces`, `${at}/fixtures`)
  // With another fixture, so that what the spaces began with must be on the disk as well.
  const again = await stage.start(undefined, 'os', at, base => ({ ...base, description: 'another' }))
  const after = await state(again)
  await stage.killAll()
  return { before, after }
}

it('T31: with fsync, everything acknowledged is there after a power failure that takes whatever was not synced', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async steps => {
      const { before, after } = await throughFailure(steps, 'fsync', stage.data(`${runs++}`))
      expect(after).toBe(before)
    }),
    { numRuns: 25 },
  )
})

it('with os such a failure takes what had not been synced: that is what the setting is about', async () => {
  const { before, after } = await throughFailure(['send', 'send'], 'os', stage.data('os'))
  expect(after).not.toBe(before)
})
