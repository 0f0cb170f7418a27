import { examples } from '../../src/contract/examples/examples.ts'
import { testSynchronizationId } from '../../src/contract/examples/fixture-ids.ts'
import { type OperationId, recogniseOperation } from '../../src/service/operations.ts'
import {
  customersPath,
  exampleRequest,
  halType,
  ids,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type TestMock,
  type TestMockOptions,
} from '../mock.ts'
import { ledgerOf } from './stage.ts'

/** Numbers at least 0, below 1, which follow from the seed: a linear congruential generator. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Scenarios of the catalogue whose faults need no real time. */
const scenarios = [
  'delivered-twice',
  'empty-created',
  'error-500-after',
  'failed-once',
  'foreign-sending',
  'garbage',
  'gateway-502-sent',
  'indeterminate-sent',
  'late-first-attempt',
  'malformed-json',
  'mixed-trouble',
  'overlapping-attempts',
  'pending-for-a-while',
  'pending-then-created',
  'reset-after',
  'slow-but-fine',
  'truncated-created',
  'unavailable-retry-after-date',
  'unspecified',
]

const segment = 'mailing-platform'

/** How their IDs begin; some of them hang. */
const testSynchronizations = testSynchronizationId(1).slice(0, 9)

/** An answer to the byte, or the error in its place. */
type Answered = string

/**
 * Random traffic of one user: every operation, sensible and not, with and without scenarios; time that is moved, holds
 * that are released, resets. What it does follows from its numbers and from what it was answered.
 */
export class Traffic {
  readonly answers: (Answered | undefined)[] = []
  /** Those that were asked for with success. */
  readonly operations = new Set<string>()
  readonly #mock: TestMock
  readonly #user: string
  readonly #number: () => number
  /** Links that stood in answers. */
  #links: string[] = []
  #open = 0

  constructor(mock: TestMock, user: string, seed: number) {
    this.#mock = mock
    this.#user = user
    this.#number = numbersFrom(seed)
  }

  /** Every example of every operation, which is what a new operation is met by. Takes no number: those of the moves stay. */
  async playExamples(): Promise<void> {
    for (const [id, ofOperation] of Object.entries(examples))
      for (const example of ofOperation) {
        const { method, target, headers, body } = exampleRequest(id as OperationId, example)
        this.#send(method, target, headers, body ?? null)
        await this.#quiet()
      }
  }

  /** One request, or one turn of what a tester can turn; everything that does not wait has come to its end then. */
  async move(): Promise<void> {
    const dice = this.#number()
    if (dice < 0.03) await this.#rig.moveClock(now => now + Math.floor(this.#number() * 120_000))
    else if (dice < 0.04) await this.#rig.moveClock(now => now + Math.floor((this.#number() - 0.5) * 1e9))
    else if (dice < 0.05) await this.#rig.holds.release('first')
    else if (dice < 0.052) await this.#reset()
    else if (dice < 0.55) this.#get()
    else this.#change()
    await this.#quiet()
  }

  /** Everything that waits comes to its end. */
  async finish(): Promise<void> {
    while (this.#open > 0) {
      await this.#rig.holds.release('first')
      await this.#rig.moveClock(now => now + 86_400_000)
      await this.#quiet()
    }
  }

  /** All that there is to see of it: answers, ledger, journal, data. */
  trace(): readonly unknown[] {
    const { seed: _, ...data } = { seed: 0, ...this.#mock.space(this.#user).data.toFixture() }
    const journal = this.#rig.journal
      .entries()
      .map(({ id, number, delivered, decision, truth, response: told, arrived }) => [
        id,
        number,
        delivered,
        decision?.scenario,
        decision?.rule,
        decision?.stepIndex,
        truth?.body,
        told?.body,
        arrived.clock,
      ])
    return [...this.answers, ledgerOf(this.#mock, this.#user), journal, data].map(it => JSON.stringify(it))
  }

  get #rig() {
    return this.#mock.rig(this.#user)
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#number() * items.length)]!
  }

  async #reset(): Promise<void> {
    await this.#mock.spaces.resetSpace(this.#user)
    this.#rig.clock.freeze()
    this.#links = []
  }

  #get(): void {
    const entrances = ['/mailings', synchronizationsPath, synchronizationPath(ids.ready), customersPath]
    const isLink = this.#links.length > 0 && this.#number() < 0.7
    const link = this.#pick(isLink ? this.#links : entrances)
    const odd = this.#pick(['', '', '', '?limit=2', '?includeAllStates=true', '?limit=x', '/nothing'])
    this.#ask('GET', link.includes('?') ? link : link + odd)
  }

  #change(): void {
    const id = this.#pick([ids.ready, ids.ready, ids.both, ids.draftOnly, ids.emptyList])
    const transactionId = this.#pick([
      undefined,
      `T${Math.floor(this.#number() * 200)}`,
      `T${Math.floor(this.#number() * 200)}`,
      `mock:${this.#pick(scenarios)}:${Math.floor(this.#number() * 20)}`,
    ])
    const scheduleDate = this.#pick([
      undefined,
      undefined,
      '2030-01-01T00:00:00Z',
      '2020-01-01T00:00:00Z',
      'x',
    ])
    const create = () =>
      this.#ask('POST', synchronizationPath(id, '/sendings'), { transactionId, scheduleDate })
    const listId = this.#pick([2001, 2002, 2003, 7])
    this.#pick([
      create,
      create,
      create,
      () => this.#ask('POST', synchronizationPath(id, '/mailing-uploads'), {}),
      () =>
        this.#ask('POST', synchronizationPath(id, '/test-sendings'), {
          recipientAddresses: [this.#pick(['a@example.com', 'nobody'])],
        }),
      () => this.#ask('POST', synchronizationsPath, { customer: 'lindenau', listId }),
      () =>
        this.#ask('PUT', `${customersPath}/lindenau/configuration/accessible-lists`, {
          permitAll: this.#number() < 0.5,
        }),
      () => this.#ask('POST', this.#pick(this.#links.length > 0 ? this.#links : ['/']), '{"broken'),
    ])()
  }

  #ask(method: string, path: string, body?: unknown): void {
    const headers: Record<string, string> = { 'content-type': halType }
    if (this.#number() < 0.15) headers['x-mock-scenario'] = this.#pick([...scenarios, 'nothing'])
    this.#send(
      method,
      path,
      headers,
      body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    )
  }

  #send(method: string, path: string, headers: Record<string, string>, text: string | null): void {
    const at = this.answers.push(undefined) - 1
    this.#open++
    void this.#mock
      .as(this.#user)
      .send(method, path, { headers, body: text })
      .then(
        ({ status, headers: told, text: bytes }) => {
          this.answers[at] = `${status}\n${JSON.stringify([...told])}\n${bytes}`
          const operation = recogniseOperation(method, path, segment)
          if (operation && status < 300) this.operations.add(operation.id)
          // What the tester's side links to is not for a client to follow: events would never end.
          if (!path.startsWith('/_mock')) this.#learn(bytes)
        },
        (error: Error & { cause?: Error }) => {
          this.answers[at] = `${error.name}: ${error.message} (${error.cause?.message})`
        },
      )
      .finally(() => this.#open--)
  }

  #learn(bytes: string): void {
    for (const [, link] of bytes.matchAll(/"href":"http:\/\/localhost(\/[^"{]+)"/g))
      if (!link!.includes(testSynchronizations)) this.#links.push(link!)
    // The latest ones are enough, and lead everywhere.
    this.#links = this.#links.slice(-300)
  }

  async #quiet(): Promise<void> {
    const { clock, holds } = this.#rig
    const held = () => [...holds.counts().values()].reduce((sum, count) => sum + count, 0)
    const end = Date.now() + 60_000
    while (this.#open !== clock.due.length + held()) {
      if (Date.now() > end) throw new Error('a request is neither answered nor does it wait')
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}

/** A fresh mock in which this user's copy of the space stands still in time. */
export async function mockFor(user: string, options: TestMockOptions = {}): Promise<TestMock> {
  const mock = await startMock({ hints: true, report: () => {}, ...options })
  await mock.as(user).get('/mailings')
  mock.rig(user).clock.freeze()
  return mock
}
