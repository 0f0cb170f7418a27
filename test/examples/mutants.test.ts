import { beforeAll, describe, expect, it, test } from 'vitest'
import type { Mutant } from '../../examples/clients/mutants/mutant.d.ts'
import { clientOf, mutants } from '../../examples/clients/mutants/registry.mjs'
import { testSynchronizations } from '../../scripts/default-fixture/test-synchronizations.ts'
import { ScenarioLibrary } from '../../src/rig/scenarios/library.ts'
import { startMock, type TestMock } from '../mock.ts'
import { type Played, type Playing, play, type Sent } from './virtual-time.ts'

const library = await ScenarioLibrary.open()
await library.all()

let mock: TestMock
beforeAll(async () => {
  mock = await startMock({ scenario: name => library.loaded(name)! })
})

const idsOf = (creates: readonly Sent[]) => creates.map(({ body }) => body?.transactionId)
const distinct = <Item>(items: readonly Item[]) => new Set(items).size
/** From the end of one attempt to the next one. */
const gaps = (creates: readonly Sent[]) => creates.slice(1).map(({ at }, nth) => at - creates[nth]!.ended!)
const minutes = (milliseconds: number) => milliseconds / 60_000

function playing({ id, scenario }: Mutant, more: Partial<Playing> = {}): Playing {
  const synchronizationId = testSynchronizations.find(it => it.scenario === scenario)!.id
  const isScheduled = library.loaded(scenario)!.tags.includes('scheduled')
  const scheduleDate = new Date(mock.clock.now() + 20_000).toISOString()
  return { user: `demo+${id}`, synchronizationId, ...(isScheduled && { scheduleDate }), ...more }
}

async function played(mutant: Mutant): Promise<Played> {
  const send = clientOf(mutant)
  if (mutant.needs !== 'two-intents')
    return play(mock, send, playing(mutant, mutant.needs === 'restart' ? { killedAfter: 1 } : {}))
  const first = await play(mock, send, playing(mutant))
  const second = await play(mock, send, playing(mutant))
  return { ...second, creates: [...first.creates, ...second.creates] }
}

/** How each fault shows in what is sent, in what goes out and in what is believed. */
const shows: Record<string, (it: Played) => void> = {
  M1: ({ creates, sent }) => {
    expect([distinct(idsOf(creates)), sent]).toEqual([5, 5])
  },
  M2: ({ creates, sent }) => {
    expect(new Set(idsOf(creates))).toEqual(new Set([undefined]))
    expect(sent).toBe(2)
  },
  M3: ({ creates, sent }) => {
    expect(gaps(creates)).toContain(0)
    expect(new Set(idsOf(creates))).toEqual(new Set([undefined]))
    expect(sent).toBe(2)
  },
  M4: ({ creates }) => expect(distinct(idsOf(creates))).toBe(4),
  M5: ({ creates, sent }) => {
    expect(distinct(idsOf(creates))).toBe(4)
    expect(sent).toBe(4)
  },
  M6: ({ creates, sent }) => {
    expect([creates.length, distinct(idsOf(creates))]).toEqual([4, 1])
    expect(sent).toBe(1)
  },
  M7: ({ creates, sent, belief }) => {
    expect([creates.length, distinct(idsOf(creates))]).toEqual([4, 1])
    expect([sent, belief]).toEqual([0, 'not-sent'])
  },
  M8: ({ creates }) => expect(distinct(idsOf(creates))).toBe(6),
  M9: ({ creates }) => expect(minutes(creates.at(-1)!.at - creates[0]!.at)).toBeGreaterThan(15),
  M10: ({ creates, belief }) => expect([creates.length, belief]).toEqual([3, 'not-sent']),
  M11: ({ creates }) => {
    expect(distinct(idsOf(creates))).toBe(1)
    expect(distinct(creates.map(({ body }) => body?.scheduleDate))).toBe(2)
  },
  M12: ({ creates }) => {
    expect(distinct(idsOf(creates))).toBe(1)
    expect(creates.map(({ body }) => body?.attempt)).toEqual([1, 2])
  },
  M13: ({ creates }) => expect(gaps(creates)).toEqual(Array(7).fill(5000)),
  M14: ({ creates }) => expect(gaps(creates)).toEqual(Array(7).fill(0)),
  M15: ({ creates: [first, second] }) => {
    expect(second!.at).toBe(first!.at + 1000)
    expect(first!.ended).toBeGreaterThan(second!.at)
  },
  M16: ({ creates, sent, belief }) => expect([creates.length, sent, belief]).toEqual([1, 0, 'sent']),
  M17: ({ creates, sent, belief }) => {
    expect(creates.filter(({ told }) => told === 200).length).toBeGreaterThan(1)
    expect([sent, belief]).toEqual([1, 'unknown'])
  },
  M18: ({ creates, sent, belief }) =>
    expect([creates.length, distinct(idsOf(creates)), sent, belief]).toEqual([2, 1, 1, 'sent']),
  M19: ({ creates, sent, belief }) =>
    expect([creates.length, distinct(idsOf(creates)), sent, belief]).toEqual([2, 1, 1, 'sent']),
  M20: ({ creates, requests, sent, belief }) => {
    expect(requests.at(-1)).toMatchObject({ method: 'GET', target: creates[0]!.target })
    expect([creates.length, sent, belief]).toEqual([1, 0, 'sent'])
  },
  M21: ({ creates, requests, sent }) => {
    expect([distinct(idsOf(creates)), sent]).toEqual([5, 5])
    expect(
      requests.filter(({ method, target }) => method === 'GET' && target === creates[0]!.target),
    ).not.toEqual([])
    expect(distinct(idsOf(creates))).toBeGreaterThan(1)
  },
  M22: ({ creates, sent }) => {
    expect(distinct(idsOf(creates))).toBe(2)
    expect(sent).toBe(2)
  },
  M23: ({ creates }) => {
    expect(creates.map(({ told }) => told)).toEqual(Array(6).fill(400))
    expect(distinct(creates.map(({ body }) => JSON.stringify(body)))).toBe(1)
  },
  M24: ({ creates }) => expect(gaps(creates)[0]).toBeLessThan(120_000),
  M25: ({ creates, sent }) => {
    expect(distinct(idsOf(creates))).toBeGreaterThan(1)
    expect(sent).toBeGreaterThan(1)
  },
  M27: ({ creates }) => {
    const isShort = gaps(creates).map(gap => gap === 200)
    expect(isShort).toEqual([true, true, false, true, true, false, true])
  },
}

describe('a mutant shows its fault', () => {
  test.each(mutants.filter(({ id }) => id in shows).map(it => [it.id, it.fault, it] as const))(
    'a mutant shows its fault: %s: %s',
    async (id, _, mutant) => shows[id]!(await played(mutant)),
  )

  it('M26: it never ends where a body stops halfway', async () => {
    const mutant = mutants.find(({ id }) => id === 'M26')!
    await expect(played(mutant)).rejects.toThrow('waits for something that never comes')
  })
})

it('the mutants are numbered from M1 on, each with a scenario that there is', () => {
  expect(mutants.map(({ id }) => id)).toEqual(Array.from(mutants, (_, nth) => `M${nth + 1}`))
  for (const { scenario } of mutants) expect(library.loaded(scenario), scenario).toBeDefined()
})
