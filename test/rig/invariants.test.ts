import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ids, type Json, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { repetitions } from '../repetitions.ts'
import { anyScenario } from './any-scenario.ts'
import { ledgerOf } from './stage.ts'

/** What some client does: anything, with no regard to the rules. */
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      synchronization: fc.constantFrom(ids.ready, ids.both),
      transactionId: fc.constantFrom(undefined, undefined, 'A', 'A', 'B', 'C'),
      subject: fc.constantFrom(undefined, 'x', 'y'),
      times: fc.constantFrom(1, 1, 1, 2, 5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      by: fc.constantFrom(0, 1, 999, 5_000, 30_000, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      name: fc.constantFrom('one', 'two'),
      count: fc.constantFrom(1, 10),
    }),
  },
)
type Action = typeof action extends fc.Arbitrary<infer Some> ? Some : never

/** A sending as somebody was told of it. */
interface Told {
  readonly status: number
  readonly sending: Json
  readonly transactionId: string | undefined
}

const final = new Set(['CREATED', 'FAILED', 'INDETERMINATE_FAILURE'])

/** Plays a client, and notes what it was told. */
class Client {
  readonly mock: TestMock
  readonly told: Told[] = []
  #asked = 0
  #answered = 0

  constructor(mock: TestMock) {
    this.mock = mock
  }

  async do(one: Action): Promise<void> {
    const rig = this.mock.rig()
    if (one.kind === 'create') for (let n = 0; n < one.times; n++) this.#create(one)
    if (one.kind === 'advance') await rig.moveClock(now => now + one.by)
    if (one.kind === 'release') await rig.holds.release(one.name, one.count)
    if (one.kind === 'look') await this.#look()
    await this.#quiet()
  }

  /** Lets everything that waits come to its end. */
  async finish(): Promise<void> {
    const rig = this.mock.rig()
    while (this.#answered < this.#asked) {
      for (const name of rig.holds.counts().keys()) await rig.holds.release(name)
      await this.#quiet()
      await rig.moveClock(now => now + 86_400_000)
      await this.#quiet()
    }
    await this.#look()
  }

  #create({ synchronization, transactionId, subject }: Extract<Action, { kind: 'create' }>): void {
    this.#asked++
    void this.mock
      .as('demo')
      .post(synchronizationPath(synchronization, '/sendings'), { transactionId, subject })
      .then(
        ({ status, json }) => this.#hear({ status, sending: json, transactionId }),
        () => {},
      )
      .finally(() => this.#answered++)
  }

  async #look(): Promise<void> {
    for (const id of [ids.ready, ids.both]) {
      const { json } = await this.mock
        .as('demo')
        .get(`${synchronizationPath(id, '/sendings')}?includeAllStates=true`)
      for (const sending of json._embedded['svc:sendings'])
        this.#hear({ status: 200, sending, transactionId: sending.transactionId ?? undefined })
    }
  }

  #hear(told: Told): void {
    this.told.push(told)
    if (told.sending?.state !== 'CREATED') return
    const { platformSendings } = this.mock.space().data.tables
    // At the very moment at which it is told.
    expect(platformSendings.get(told.sending.target.sendingId)).toMatchObject({
      platformMailingId: told.sending.target.mailingId,
    })
  }

  /** Until every request that was made is answered or waits for something. */
  async #quiet(): Promise<void> {
    const { clock, holds } = this.mock.rig()
    const isQuiet = () => {
      const held = [...holds.counts().values()].reduce((sum, count) => sum + count, 0)
      return this.#asked - this.#answered === clock.due.length + held
    }
    const end = Date.now() + 60_000
    while (!isQuiet()) {
      if (Date.now() > end) throw new Error('a request is neither answered nor does it wait')
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}

async function played(
  scenario: Parameters<ReturnType<TestMock['rig']>['scenarios']['arm']>[0],
  actions: Action[],
) {
  const mock = await startMock()
  mock.rig().clock.freeze()
  mock.rig().scenarios.arm(scenario)
  const client = new Client(mock)
  for (const one of actions) await client.do(one)
  await client.finish()
  return { mock, told: client.told }
}

/** One after another, so that all are checked against the same play. */
const invariants: Record<string, (mock: TestMock, told: readonly Told[]) => void> = {
  'one synchronization and transaction ID have one sending, and one effect at most'(mock) {
    const { sendings } = mock.space().data.tables
    const keys = [...sendings.changes()]
      .map(({ row }) => row)
      .filter(row => row.transactionId !== null)
      .map(row => `${row.synchronizationId} ${row.transactionId}`)
    expect(new Set(keys).size).toBe(keys.length)
    const effects = ledgerOf(mock).sendings.map(({ platformMailingId }) => platformMailingId)
    expect(new Set(effects).size).toBe(effects.length)
  },

  'every effect belongs to one sending, and is of its making'(mock) {
    const rows = [...mock.space().data.tables.sendings.changes()].map(({ row }) => row)
    for (const { id, platformMailingId, cause } of ledgerOf(mock).sendings) {
      const owners = rows.filter(row => row.platformSendingId === id)
      expect(owners.map(row => [row.platformMailingId, row.cause])).toEqual([[platformMailingId, cause]])
    }
  },

  'every effect has one causing request, and it is in the journal'(mock) {
    const requests = mock.rig().journal.entries()
    const { mailings, sendings } = ledgerOf(mock)
    for (const { cause } of [...mailings, ...sendings])
      expect(requests.filter(({ id }) => id === cause)).toHaveLength(1)
    const causes = sendings.map(({ cause }) => cause)
    expect(new Set(causes).size).toBe(causes.length)
  },

  'FAILED told: it was never sent, and never will be'(mock, told) {
    const { sendings } = mock.space().data.tables
    for (const { sending } of told)
      if (sending?.state === 'FAILED') expect(sendings.get(sending.id)!.platformSendingId).toBeNull()
  },

  'a success without a transaction ID is CREATED'(_, told) {
    for (const { status, sending, transactionId } of told)
      if (transactionId === undefined && status < 300) expect(sending.state).toBe('CREATED')
  },

  'what was answered before the work left nothing behind'(mock) {
    const { sendings, platformMailings } = mock.space().data.tables
    const causes = new Set([...sendings.changes(), ...platformMailings.changes()].map(({ row }) => row.cause))
    for (const { id, decision } of mock.rig().journal.entries())
      if (decision?.step.phase === 'before') expect(causes).not.toContain(id)
  },

  'a terminal state never changes, nor does what a sending is told to be'(_, told) {
    // Answers overtake one another, so nothing follows from their order.
    const known = new Map<string, Map<string, unknown>>()
    for (const { sending } of told) {
      if (!sending?.id) continue
      const facts = known.get(sending.id) ?? new Map<string, unknown>()
      known.set(sending.id, facts)
      const { transactionId, creationDate, target } = sending
      const state = final.has(sending.state) ? sending.state : null
      for (const [name, fact] of Object.entries({ transactionId, creationDate, state, ...target })) {
        expect([name, facts.get(name) ?? fact]).toEqual([name, fact ?? facts.get(name) ?? null])
        if (fact !== null) facts.set(name, fact)
      }
    }
  },

  'an indeterminate sending was sent or not, as its plan says'(mock) {
    for (const { row } of mock.space().data.tables.sendings.changes()) {
      const last = row.plan[row.step]!
      if (last.state === 'INDETERMINATE_FAILURE')
        expect(row.platformSendingId !== null).toBe(last.truth === 'sent')
    }
  },

  'every request came to its end, and nobody is left inside'(mock) {
    for (const { ended, delivered } of mock.rig().journal.entries()) {
      expect(ended).toBeDefined()
      expect(delivered).not.toBe('open')
    }
    expect(mock.rig().use.idleMilliseconds).toBeGreaterThan(0)
    expect([mock.rig().clock.due, mock.rig().holds.counts().size]).toEqual([[], 0])
  },

  'each step fired as often as the journal says'(mock) {
    const decisions = mock
      .rig()
      .journal.entries()
      .flatMap(({ decision }) => (decision ? [`${decision.rule}/${decision.stepIndex}`] : []))
    for (const { rule, hits, steps } of mock.rig().scenarios.active!.hits()) {
      const counted = steps.map((_, index) => decisions.filter(it => it === `${rule}/${index}`).length)
      expect([counted, counted.reduce((a, b) => a + b, 0)]).toEqual([steps, hits])
    }
  },
}

const runs = repetitions(50, 150)

describe('whatever the scenario, and whatever the client does', () => {
  it('what is told, what is true and what is on record go together', async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        anyScenario,
        fc.array(action, { minLength: 5, maxLength: 25 }),
        async (scenario, actions) => {
          const { mock, told } = await played(scenario, actions)
          for (const [name, check] of Object.entries(invariants))
            try {
              check(mock, told)
            } catch (error) {
              throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
            }
          for (const { status, sending } of told) {
            const what = sending?.state ?? `${status}`
            seen.set(what, (seen.get(what) ?? 0) + 1)
          }
        },
      ),
      { numRuns: runs, seed: Number(process.env.SEED ?? 20_261_121) },
    )
    // Otherwise it would prove nothing.
    for (const state of [...final, 'PENDING', '500', '503']) expect(seen.get(state)).toBeGreaterThan(runs / 8)
  })
})
