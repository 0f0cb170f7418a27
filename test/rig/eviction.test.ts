import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/store/disk-files.ts'
import { basic, halType, ids, type Json, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { eventually, temporaryDirectory } from '../process.ts'
import { repetitions } from '../repetitions.ts'
import { startTester } from './control/tester.ts'
import { acting, ledgerOf, onCreate, scenarioOf } from './stage.ts'

const forever = 3_600_000
const copies = (mock: TestMock) => mock.spaces.names().filter(name => name !== 'demo')

/** Uses private spaces one after another, each a moment after the one before. */
async function visit(mock: TestMock, ...tags: string[]) {
  for (const tag of tags) {
    await acting(mock, `demo+${tag}`).post({ transactionId: tag })
    const { idleMilliseconds } = mock.rig(`demo+${tag}`).use
    await eventually(
      'time to pass',
      () => mock.rig(`demo+${tag}`).use.idleMilliseconds > idleMilliseconds + 0.01 || undefined,
    )
  }
}

const sendingsIn = (mock: TestMock, tag: string) => ledgerOf(mock, `demo+${tag}`).sendings.length

describe('private spaces beyond the limit', () => {
  it('private spaces beyond the limit make room, the one unused for longest first', async () => {
    const mock = await startMock({ copies: { count: 3, idle: forever } })
    await visit(mock, 'a', 'b', 'c', 'a', 'd')
    expect(copies(mock)).toEqual(['demo+a', 'demo+c', 'demo+d'])
    await visit(mock, 'e')
    expect(copies(mock)).toEqual(['demo+a', 'demo+d', 'demo+e'])
    expect(mock.spaces.evicted).toBe(2)
  })

  const json = { 'content-type': 'application/json' }

  it('private spaces in which nothing has changed make room before those with changes', async () => {
    const mock = await startMock({ copies: { count: 3, idle: forever } })
    await visit(mock, 'changed')
    for (const tag of ['looked-at', 'given', 'armed']) {
      await mock.as(`demo+${tag}`).get('/mailings')
      await eventually('it to be unused', () => mock.rig(`demo+${tag}`).use.idleMilliseconds > 0 || undefined)
      if (tag === 'armed')
        mock.rig('demo+armed').faults.arm(scenarioOf([onCreate([{ delay: '1s' }])]).rules[0]!)
      if (tag === 'given') await mock.as('demo').put('/_mock/spaces/demo+given', { seed: 7 }, json)
    }
    expect(copies(mock)).toEqual(['demo+changed', 'demo+given', 'demo+armed'])
    await visit(mock, 'next')
    expect(copies(mock)).not.toContain('demo+changed')
  })

  it('private spaces of users without the right to write make room for each other and for all, and push nobody out', async () => {
    const mock = await startMock({ copies: { count: 3, idle: forever } })
    await visit(mock, 'a', 'b')
    await mock.as('demo+reading').get('/mailings')
    for (let n = 0; n < 20; n++) {
      expect((await mock.as(`demo-viewer+flood-${n}`).get('/mailings')).status).toBe(200)
      const { use } = mock.rig(`demo+flood-${n}`)
      await eventually('it to be unused', () => use.idleMilliseconds > 0 || undefined)
    }
    expect(copies(mock)).toEqual(['demo+a', 'demo+b', 'demo+reading', 'demo+flood-19'])
    await visit(mock, 'c')
    expect(copies(mock)).toEqual(['demo+a', 'demo+b', 'demo+c'])
  })

  it('in memory begin anew when they are used again', async () => {
    const mock = await startMock({ copies: { count: 1, idle: forever } })
    await visit(mock, 'a', 'b')
    expect((await acting(mock, 'demo+a').post({ transactionId: 'a' })).status).toBe(201)
    expect(sendingsIn(mock, 'a')).toBe(1)
  })

  it('on disk are opened again with everything in them', async () => {
    using directory = temporaryDirectory()
    const files = await diskFiles(directory.path)
    const mock = await startMock({ files, copies: { count: 2, idle: forever } })
    await visit(mock, 'a')
    const made = (await acting(mock, 'demo+a').post({ transactionId: 'more', subject: 'kept' })).text
    await visit(mock, 'b', 'c', 'd')
    expect(copies(mock)).toEqual(['demo+c', 'demo+d'])
    const found = await acting(mock, 'demo+a').post({ transactionId: 'more' })
    expect([found.status, found.text]).toEqual([200, made])
    expect(sendingsIn(mock, 'a')).toBe(2)
    expect(mock.spaces.evicted).toBe(3)
    await mock.spaces.close()
  })

  it.each([
    ['in memory', false, 'it begins anew, and what was in it is gone.'],
    ['on disk', true, 'it has kept its data, and its requests before this are not on record.'],
  ])(
    'a private space that made room says so to its next request, in its journal and on its page: %s',
    async (_, isOnDisk, words) => {
      using directory = temporaryDirectory()
      await using tester = await startTester({
        spaceLimit: 1,
        hints: true,
        ...(isOnDisk && { data: directory.path }),
      })
      const post = (user: string, transactionId: string) =>
        tester.as(user).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
      for (const user of ['demo+a', 'demo+b']) {
        expect((await post(user, 'one')).headers.get('x-mock-hint')).toBeNull()
        await eventually('it to be unused', async () => {
          const { lastUsed } = (await tester.get(`/spaces/${user}`)).json
          return Date.parse(lastUsed) < Date.now() || undefined
        })
      }
      const sentence = `This private space made room for others (--space-limit, --space-idle); ${words}`
      expect((await post('demo+a', 'two')).headers.get('x-mock-hint')).toBe(sentence)
      expect((await post('demo+a', 'three')).headers.get('x-mock-hint')).toBeNull()
      const { json, text } = await tester.get('/spaces/demo+a/requests')
      expect(json).toMatchObject({ madeRoom: true, count: 2 })
      expect(text).toContain(sentence)
      const page = await tester.fetch('/_mock/spaces/demo+a', { headers: { accept: 'text/html' } })
      expect(await page.text()).toContain(sentence)
      const { cases } = (await tester.get('/report')).json
      const both = [
        ['demo+a', 'made room'],
        ['demo+a (2)', 'open'],
      ]
      // What could not be judged whole stands before what passed: data that was kept without its requests.
      const inOrder = isOnDisk ? both.toReversed() : both
      expect(cases.map(({ name, state }: Json) => [name, state])).toEqual([
        ...inOrder,
        ['demo+b', 'made room'],
      ])
      await tester.post('/spaces/demo+a/reset')
      expect((await tester.get('/spaces/demo+a/requests')).json).not.toHaveProperty('madeRoom')
    },
  )

  it('private spaces beyond the limit stay while a request waits in them, held or delayed', async () => {
    const mock = await startMock({ copies: { count: 2, idle: forever } })
    await visit(mock, 'held', 'delayed')
    mock.rig('demo+held').scenarios.arm(scenarioOf([onCreate([{ hold: 'gate' }])]))
    mock.rig('demo+delayed').scenarios.arm(scenarioOf([onCreate([{ deliver: 'late', delay: '1h' }])]))
    mock.rig('demo+delayed').clock.freeze()
    const waiting = ['held', 'delayed'].map(tag => acting(mock, `demo+${tag}`).post({ transactionId: 'T' }))
    await eventually('both to wait', () => {
      const isHeld = mock.rig('demo+held').holds.counts().size === 1
      return (isHeld && mock.rig('demo+delayed').clock.due.length === 1) || undefined
    })
    await visit(mock, 'x', 'y', 'z')
    expect(copies(mock)).toEqual(['demo+held', 'demo+delayed', 'demo+z'])
    await mock.rig('demo+held').holds.release('gate')
    await mock.rig('demo+delayed').moveClock(it => it + forever)
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201])
    await visit(mock, 'more', 'still')
    expect(copies(mock)).toEqual(['demo+more', 'demo+still'])
  })

  it('private spaces beyond the limit make room although abandoned requests wait in them, held or late', async () => {
    const mock = await startMock({ copies: { count: 2, idle: forever } })
    await visit(mock, 'held', 'late')
    mock.rig('demo+held').scenarios.arm(scenarioOf([onCreate([{ hold: 'gate' }])]))
    mock.rig('demo+late').scenarios.arm(scenarioOf([onCreate([{ deliver: 'late', delay: '1h' }])]))
    mock.rig('demo+late').clock.freeze()
    const client = new AbortController()
    const url = `http://localhost${synchronizationPath(ids.ready, '/sendings')}`
    const requests = ['held', 'late'].map(tag => {
      const headers = { authorization: basic(`demo+${tag}`), 'content-type': halType }
      return new Request(url, {
        method: 'POST',
        headers,
        body: '{"transactionId":"T"}',
        signal: client.signal,
      })
    })
    const given = Promise.allSettled(requests.map(request => mock.fetch(request)))
    await eventually('both to wait', () => {
      const isHeld = mock.rig('demo+held').holds.counts().size === 1
      return (isHeld && mock.rig('demo+late').clock.due.length === 1) || undefined
    })
    expect([mock.rig('demo+held').use.idleMilliseconds, mock.rig('demo+late').use.idleMilliseconds]).toEqual([
      0, 0,
    ])
    client.abort()
    expect((await given).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await eventually('both to be unused', () => {
      const unused = ['held', 'late'].map(tag => mock.rig(`demo+${tag}`).use.idleMilliseconds)
      return unused.every(since => since > 0) || undefined
    })
    await visit(mock, 'x', 'y')
    expect(copies(mock)).toEqual(['demo+x', 'demo+y'])
  })

  it('private spaces beyond the limit are as many as the limit when thousands of users come', async () => {
    const [limit, many] = [repetitions(60, 100), repetitions(1_000, 5_000)]
    const mock = await startMock({ copies: { count: limit, idle: forever } })
    for (let n = 0; n < many; n += 50) {
      const users = Array.from({ length: 50 }, (_, at) => `demo+${n + at}`)
      for (const { status } of await Promise.all(users.map(user => acting(mock, user).post())))
        expect(status).toBe(201)
    }
    expect(copies(mock).length).toBeLessThanOrEqual(limit)
    expect(copies(mock)).toContain(`demo+${many - 1}`)
    expect(mock.spaces.evicted).toBe(many - copies(mock).length)
  })

  it('private spaces beyond the limit are never taken from under those who come at the same time', async () => {
    using directory = temporaryDirectory()
    const files = await diskFiles(directory.path)
    const mock = await startMock({ files, copies: { count: 1, idle: forever } })
    const users = Array.from({ length: 100 }, (_, n) => `demo+${n % 10}`)
    const answers = await Promise.all(
      users.map((user, n) => acting(mock, user).post({ transactionId: `T${n}` })),
    )
    for (const { status } of answers) expect(status).toBe(201)
    for (let n = 0; n < 10; n++) {
      const user = `demo+${n}`
      const again = await acting(mock, user).states(
        ...users.map((_, at) => `T${at}`).filter((_, at) => at % 10 === n),
      )
      expect(again).toEqual(Array(10).fill('CREATED'))
      expect(sendingsIn(mock, `${n}`)).toBe(10)
    }
    await mock.spaces.close()
  })

  it('private spaces beyond the limit leave alone the spaces of fixtures', async () => {
    const mock = await startMock({ copies: { count: 1, idle: forever } })
    await acting(mock).post({ transactionId: 'T' })
    await visit(mock, 'a', 'b', 'c')
    expect((await acting(mock).post({ transactionId: 'T' })).status).toBe(200)
  })
})

describe('private spaces that nobody uses', () => {
  it('private spaces that nobody uses go when the next one comes', async () => {
    const mock = await startMock({ copies: { count: 1_000, idle: 20 } })
    await visit(mock, 'a', 'b')
    await eventually('both to be idle', () => mock.rig('demo+b').use.idleMilliseconds > 20 || undefined)
    await acting(mock, 'demo+c').post()
    expect(copies(mock)).toEqual(['demo+c'])
    expect(mock.spaces.evicted).toBe(2)
  })

  it('end: nobody waits in them any longer', async () => {
    const mock = await startMock({ copies: { count: 1, idle: forever } })
    await visit(mock, 'a')
    const { journal, clock } = mock.rig('demo+a')
    const met = journal.waitUntil(() => false, new Promise(() => {}))
    await visit(mock, 'b')
    expect(await met).toBe(false)
    expect([journal.hasEnded, await clock.after(0, async () => 1)]).toEqual([true, undefined])
  })
})

describe('a private space that is removed', () => {
  it('a private space that is removed is left by a request at the same time either before or after, in memory as on disk', async () => {
    using directory = temporaryDirectory()
    const mock = await startMock({ files: await diskFiles(directory.path) })
    const told: number[] = []
    for (let turns = 0; turns < 20; turns++) {
      const copy = acting(mock, `demo+${turns}`)
      await copy.post({ transactionId: 'T' })
      const removing = mock.spaces.remove(`demo+${turns}`)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const meanwhile = copy.post({ transactionId: 'T' })
      await removing
      told.push((await meanwhile).status)
    }
    expect(new Set(told)).toEqual(new Set([200, 201]))
    const statuses = async (it: TestMock) =>
      Promise.all(
        told.map(async (_, n) => (await acting(it, `demo+${n}`).post({ transactionId: 'T' })).status),
      )
    const left = told.map(status => (status === 200 ? 201 : 200))
    expect(await statuses(mock)).toEqual(left)
    await mock.spaces.close()
    const again = await startMock({ files: await diskFiles(directory.path) })
    expect(await statuses(again)).toEqual(told.map(() => 200))
    await again.spaces.close()
  })
})
