import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ids, type Json, synchronizationPath, type TestMock } from '../mock.ts'
import { listed, send, useStage } from './stage.ts'

const stage = useStage()
/** For dozens of snapshots on a machine that does much else besides. */
const json = { 'content-type': 'application/json' }
const control = (mock: TestMock, method: string, path: string, body?: object) =>
  mock.as('demo').send(method, `/_mock/spaces/${path}`, {
    headers: json,
    ...(body && { body: JSON.stringify(body) }),
  })

/** The contents on disk, beside that which the mock was started with. */
async function contents(mock: TestMock): Promise<string[]> {
  const { digest } = mock.space().data.content
  const found = readdirSync(stage.data('fixtures')).filter(name => name.length > 60)
  return found.filter(name => name !== `${digest}.json`)
}

/** Everything in a space in which something was done, unlike any other. */
async function snapshot(mock: TestMock, transactionId: string): Promise<Json> {
  expect(await send(mock, transactionId, 'demo+source')).toMatchObject({ status: 201 })
  return (await control(mock, 'GET', 'demo+source/snapshot')).json
}

async function put(mock: TestMock, space: string, given: Json): Promise<void> {
  expect(await mock.as(space).get(synchronizationPath(ids.ready))).toMatchObject({ status: 200 })
  expect(await control(mock, 'PUT', `${space}/snapshot`, given)).toMatchObject({ status: 200 })
}

it('a content goes with the last space that began from it', async () => {
  const mock = await stage.start()
  const given = await snapshot(mock, 'in-both')
  await put(mock, 'demo+one', given)
  await put(mock, 'demo+two', given)
  expect(await contents(mock)).toHaveLength(1)

  expect(await control(mock, 'DELETE', 'demo+one')).toMatchObject({ status: 204 })
  expect(await contents(mock)).toHaveLength(1)
  expect(await listed(mock, 'demo+two')).toContain('in-both')

  expect(await control(mock, 'DELETE', 'demo+two')).toMatchObject({ status: 204 })
  expect(await contents(mock)).toEqual([])
})

it('what a space still begins from is there after a kill, whatever others have let go', async () => {
  const first = await stage.start()
  const given = await snapshot(first, 'in-both')
  await put(first, 'demo+one', given)
  await put(first, 'demo+two', given)
  await control(first, 'DELETE', 'demo+one')
  await stage.kill()

  const second = await stage.start()
  expect(await listed(second, 'demo+two')).toContain('in-both')
})

it('a content that an earlier run has written stays, since files may name it that nobody has read', async () => {
  const first = await stage.start()
  const given = await snapshot(first, 'kept')
  await put(first, 'demo+one', given)
  await put(first, 'demo+two', given)
  await stage.stop(first)

  const second = await stage.start()
  await put(second, 'demo+three', given)
  expect(await control(second, 'DELETE', 'demo+three')).toMatchObject({ status: 204 })
  expect(await listed(second, 'demo+one')).toContain('kept')
  expect(await control(second, 'DELETE', 'demo+one')).toMatchObject({ status: 204 })
  expect(await listed(second, 'demo+two')).toContain('kept')
})

it('the content that the mock was started with stays, also when nothing of it is left', async () => {
  const mock = await stage.start()
  const all = () => readdirSync(stage.data('fixtures')).filter(name => name !== 'made.json')
  expect(await send(mock, 'only', 'demo+one')).toMatchObject({ status: 201 })
  const before = all()
  expect(before).toHaveLength(1)
  expect(await control(mock, 'DELETE', 'demo+one')).toMatchObject({ status: 204 })
  expect(all()).toEqual(before)
})

it('a space that goes from snapshot to snapshot does not keep them all, and stays as the last one says', async () => {
  const mock = await stage.start()
  let most = 0
  for (let time = 1; time <= 40; time++) {
    await put(mock, 'demo+one', await snapshot(mock, `t-${time}`))
    most = Math.max(most, (await contents(mock)).length)
  }
  // The log that names them may take 4 MiB with what it names, before a snapshot takes its place.
  expect(most).toBeLessThan(30)
  await stage.kill()

  const after = await stage.start()
  expect(await listed(after, 'demo+one')).toContain('t-40')
})

it('a reset of everything lets go of what private spaces began from, also of those that are put away', async () => {
  const mock = await stage.start()
  await put(mock, 'demo+one', await snapshot(mock, 'one'))
  await put(mock, 'demo+two', await snapshot(mock, 'two'))
  expect(await contents(mock)).toHaveLength(2)
  expect(await mock.as('demo').send('POST', '/_mock/reset', { headers: json })).toMatchObject({ status: 204 })
  expect(await contents(mock)).toEqual([])
})

it('what a made space began from goes with it, and with what it is made anew from', async () => {
  const first = await stage.start()
  const { users: _, ...given } = await snapshot(first, 'made')
  const made = (transactionId: string) => ({
    fixture: {
      ...given,
      space: 'made',
      users: [{ name: 'somebody', password: 'demo', rights: ['read', 'write'] }],
      description: transactionId,
    },
  })
  expect(await control(first, 'PUT', 'made', made('first'))).toMatchObject({ status: 201 })
  expect(await contents(first)).toHaveLength(1)
  await stage.kill()

  const second = await stage.start()
  expect(await listed(second, 'somebody')).toContain('made')
  expect(await control(second, 'PUT', 'made', made('second'))).toMatchObject({ status: 200 })
  expect(await send(second, 'more', 'somebody+copy')).toMatchObject({ status: 201 })
  await stage.kill()

  const third = await stage.start()
  expect(await listed(third, 'somebody+copy')).toContain('more')
  expect(await control(third, 'PUT', 'made', made('third'))).toMatchObject({ status: 200 })
  const before = (await contents(third)).length
  expect(await control(third, 'DELETE', 'made')).toMatchObject({ status: 204 })
  expect((await contents(third)).length).toBe(before - 1)
})
