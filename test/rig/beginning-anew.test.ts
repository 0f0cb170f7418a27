import { describe, expect, it } from 'vitest'
import { defaultJournalLimits } from '../../src/rig/journal.ts'
import { Rigs } from '../../src/rig/rigs.ts'
import { diskFiles } from '../../src/store/disk-files.ts'
import { noFiles } from '../../src/store/files.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { basic, ids, startMock, synchronizationPath } from '../mock.ts'
import { eventually, temporaryDirectory } from '../process.ts'
import { RawClient } from './faults/raw-client.ts'
import { acting, ledgerOf, onCreate, staged } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const body = '{"transactionId":"T"}'
const head = `POST ${sendings} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('demo')}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

describe.each(['in memory', 'on disk'])('a request that a reset overtakes, %s', where => {
  it('comes to its end as if it had come before, and leaves no trace in what follows', async () => {
    using directory = temporaryDirectory()
    const files = where === 'on disk' ? await diskFiles(directory.path) : noFiles
    const { mock, act, ledger, listen } = await staged([], { files })
    await act.post({ transactionId: 'before' })
    const { port } = await listen()
    using client = await RawClient.connect(port)
    client.send(head + body.slice(0, 5))
    const before = mock.rig()
    const entry = await eventually('it to arrive', () => before.journal.entries()[1])
    await mock.spaces.reset()
    client.send(body.slice(5))
    await client.until('"state":"CREATED"')
    expect(client.seen).toMatch(/^HTTP\/1\.1 201 /)
    await eventually('its entry to close', () => entry.ended)

    expect([ledger(), mock.rig().journal.entries()]).toEqual([{ mailings: [], sendings: [] }, []])
    const again = await act.post({ transactionId: 'T' })
    expect(again.status).toBe(201)
    expect(ledger().sendings.map(({ cause }) => cause)).toEqual(['r0-1'])
    expect(
      mock
        .rig()
        .journal.entries()
        .map(({ id }) => id),
    ).toEqual(['r0-1'])
    expect([before.use.idleMilliseconds > 0, mock.rig().use.idleMilliseconds > 0]).toEqual([true, true])

    if (where === 'in memory') return
    await mock.spaces.close()
    const reopened = await startMock({ files: await diskFiles(directory.path) })
    expect(ledgerOf(reopened).sendings.map(({ cause }) => cause)).toEqual(['r0-1'])
    expect((await acting(reopened).post({ transactionId: 'before' })).status).toBe(201)
    await reopened.spaces.close()
  })
})

describe('a space', () => {
  it('reset many times at once amid traffic is on disk what it is in memory', async () => {
    using directory = temporaryDirectory()
    const mock = await startMock({ files: await diskFiles(directory.path) })
    const traffic = Array.from({ length: 200 }, async (_, n) => {
      if (n % 10 === 0) await mock.spaces.resetSpace('demo')
      return acting(mock).post({ transactionId: `T${n}` })
    })
    for (const { status } of await Promise.all(traffic)) expect(status).toBe(201)
    await acting(mock).post({ transactionId: 'last' })
    const { sendings: rows } = mock.space().data.tables
    const inMemory = [...rows.changes()].map(({ row }) => row)
    expect(inMemory.length).toBeGreaterThan(0)
    const journal = new Set(
      mock
        .rig()
        .journal.entries()
        .map(({ id }) => id),
    )
    for (const { cause } of inMemory) expect(journal).toContain(cause)
    await mock.spaces.close()
    const reopened = await startMock({ files: await diskFiles(directory.path) })
    expect([...reopened.space().data.tables.sendings.changes()].map(({ row }) => row)).toEqual(inMemory)
    await reopened.spaces.close()
  })

  it('a space begins with everything at its beginning: clock, scenario, faults, holds, journal, counts', async () => {
    const { mock, act } = await staged([onCreate([{ hold: 'gate', times: 1 }, { phase: 'before' }])])
    mock.rig().faults.arm(mock.rig().scenarios.active!.scenario.rules[0]!)
    const held = act.post({ transactionId: 'T' })
    await eventually('it to be held', () => mock.rig().holds.counts().get('gate'))
    await mock.rig().moveClock(it => it + 86_400_000)
    mock.rig().clock.freeze()
    await mock.spaces.resetSpace('demo')
    expect((await held).status).toBe(500)
    const rig = mock.rig()
    expect([rig.clock.now(), rig.clock.isFrozen, rig.clock.epoch]).toEqual([mock.clock.now(), false, 0])
    expect([rig.scenarios.active, rig.faults.all(), rig.scenarios.chosen, rig.holds.counts().size]).toEqual([
      undefined,
      [],
      [],
      0,
    ])
    expect([rig.journal.entries(), rig.journal.dropped]).toEqual([[], 0])
    expect((await act.post({ transactionId: 'T' })).status).toBe(201)
  })
})

it('a request that comes to a space as that ends does not wait in it', async () => {
  const mock = await startMock()
  let found = (_: undefined) => {}
  const rigs = new Rigs({
    memory: new MemoryBudget(),
    names: { relationPrefix: 'svc', platformSegment: 'mailing-platform' },
    limits: defaultJournalLimits,
    holdLimit: 100,
    pagesUrl: undefined,
    hidesTestSynchronizations: false,
    dials: {},
    scenarioOf: () => 'unread',
    readScenario: () =>
      new Promise(resolve => {
        found = resolve
      }),
  })
  const space = mock.space()
  const ready = rigs.of(space)
  rigs.end(space)
  found(undefined)
  const rig = await ready
  expect(await rig.holds.runWhenReleased('gate', async () => 'done')).toBeUndefined()
  expect(await rig.clock.after(0, async () => 'done')).toBeUndefined()
  expect([rig.journal.hasEnded, rigs.known(space)]).toEqual([true, undefined])
})

describe('clients that leave', () => {
  const states = ['in the middle of the body', 'while held', 'while delayed', 'while late'] as const
  const rules = [
    onCreate([{ hold: 'gate' }], { when: { transactionId: { prefix: 'held' } } }),
    onCreate([{ delay: '1h' }], { when: { transactionId: { prefix: 'delayed' } } }),
    onCreate([{ deliver: 'late', delay: '1h' }], { when: { transactionId: { prefix: 'late' } } }),
  ]
  const named = { 'while held': 'held', 'while delayed': 'delayed', 'while late': 'late' } as const
  const each = 60

  it('by the hundred, at any moment, leave nobody inside and no wait behind', async () => {
    const { mock, ledger, listen } = await staged(rules)
    mock.rig().clock.freeze()
    const { port } = await listen()
    const clients = await Promise.all(
      states.flatMap(state =>
        Array.from({ length: each }, async (_, n) => {
          const client = await RawClient.connect(port)
          if (state === 'in the middle of the body') return client.send(head + body.slice(0, 5))
          const text = JSON.stringify({ transactionId: `${named[state]}${n}` })
          return client.send(head.replace(/Content-Length: \d+/, `Content-Length: ${text.length}`) + text)
        }),
      ),
    )
    const { clock, holds, journal } = mock.rig()
    await eventually('all to have arrived', () => {
      const waiting = clock.due.length === 2 * each && holds.counts().get('gate') === each
      return (waiting && journal.entries().length === states.length * each) || undefined
    })
    for (const [n, client] of clients.entries()) client.leave(n % 2 === 0 ? 'reset' : 'close')
    await eventually('the delayed ones to be let go', () => clock.due.length === each || undefined)
    await mock.rig().moveClock(now => now + 3_600_000)
    expect(await holds.release('gate')).toBe(each)
    await eventually('all entries to close', () =>
      journal.entries().every(({ ended }) => ended) ? true : undefined,
    )
    expect(new Set(journal.entries().map(({ delivered }) => delivered))).toEqual(new Set(['aborted']))
    expect([mock.rig().use.idleMilliseconds > 0, clock.due, holds.counts().size]).toEqual([true, [], 0])
    // Those whose request had come whole were processed, once each.
    expect(ledger().sendings).toHaveLength(3 * each)
  })
})
