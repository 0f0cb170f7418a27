import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testSynchronizations } from '../../../scripts/default-fixture/test-synchronizations.ts'
import type { ListeningServer } from '../../../src/http/server.ts'
import type { RequestRecord } from '../../../src/rig/request-record.ts'
import { ScenarioLibrary } from '../../../src/rig/scenarios/library.ts'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import type { Scenario, Step } from '../../../src/rig/scenarios/scenario.ts'
import type { SpaceRig } from '../../../src/rig/space-rig.ts'
import { basic, halType, ids, type Json, startMock, synchronizationPath, type TestMock } from '../../mock.ts'
import { expectEffect, isWhole, type Seen } from '../faults/effects.ts'
import { RawClient } from '../faults/raw-client.ts'
import { ledgerOf } from '../stage.ts'

const library = await ScenarioLibrary.open()
const catalogue = await library.all()
const cells = await Promise.all(lossNames.map(name => library.get(name)))
const ready = ids.ready

let mock: TestMock
let server: ListeningServer
beforeAll(async () => {
  mock = await startMock()
  server = await mock.listen()
})
afterAll(() => server.close())

const expectWhole = (seen: Seen) => expect([isWhole(seen), seen.ending]).toEqual([true, 'open'])

/** A space of its own for a scenario, and the connections to it. */
class Playing {
  readonly #user: string
  readonly #path: string
  readonly rig: SpaceRig
  readonly entries: RequestRecord[] = []

  private constructor(user: string, synchronizationId: string) {
    this.#user = user
    this.#path = synchronizationPath(synchronizationId, '/sendings')
    this.rig = mock.rig(user)
  }

  static async start(scenario: Scenario, synchronizationId: string, isArmed: boolean): Promise<Playing> {
    const user = `demo+play-${scenario.name}`
    await mock.as(user).get('/mailings')
    const playing = new Playing(user, synchronizationId)
    playing.rig.clock.freeze()
    if (isArmed) playing.rig.scenarios.arm(scenario)
    return playing
  }

  /** One attempt, on a connection that has been used before: some faults strike only there. */
  async attempt(payload: object): Promise<{ seen: Seen; entry: RequestRecord }> {
    using client = await RawClient.connect(server.port)
    const head = (line: string, more = '') =>
      `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic(this.#user)}\r\n${more}\r\n`
    client.send(head(`GET /mailings/${ids.mailing.ready}`))
    const before = (await answerOn(client, 0, isWhole)).bytes.length
    const body = JSON.stringify(payload)
    client.send(
      `${head(`POST ${this.#path}`, `Content-Type: ${halType}\r\nContent-Length: ${body.length}\r\n`)}${body}`,
    )
    const count = this.rig.journal.count
    const record = () => this.rig.journal.entries().find(({ number }) => number > count)
    const isAsExpected = (seen: Seen) => {
      const entry = record()
      return entry !== undefined && (entry.decision ? isAsStep(seen, entry) : isWhole(seen))
    }
    const seen = await answerOn(client, before, isAsExpected, () => void this.#goOn())
    const entry = record()!
    this.entries.push(entry)
    return { seen, entry }
  }

  /** What waits for the clock or for a tester gets it. */
  async #goOn(): Promise<void> {
    for (const name of this.rig.holds.counts().keys()) await this.rig.holds.release(name)
    const [due] = this.rig.clock.due
    if (due !== undefined) await this.rig.moveClock(due)
  }

  sent(): number {
    return ledgerOf(mock, this.#user).sendings.length
  }
}

/** Real milliseconds without a byte after which nothing more is expected. */
const quiet = 60
/** Real milliseconds to wait for what is expected: a busy machine may leave a connection silent for long. */
const deadline = 30_000

/** What comes on a connection after the bytes before, once it is as expected and nothing more comes. */
async function answerOn(
  client: RawClient,
  before: number,
  isAsExpected: (seen: Seen) => boolean,
  nudge = () => {},
): Promise<Seen> {
  const now = () => read(client.seen.slice(before), client.ending ?? 'open')
  const end = Date.now() + deadline
  let length = before
  for (let still = 0; Date.now() < end; still++) {
    await new Promise(resolve => setTimeout(resolve, quiet / 4))
    if (client.seen.length > length && !isDripping(client, length)) still = 0
    length = client.seen.length
    const isQuiet = still >= (isWhole(now()) ? 1 : 4) || client.ending !== undefined
    if (isQuiet && isAsExpected(now())) break
    nudge()
  }
  return now()
}

/** A few bytes at a time: it would go on for ever. */
const isDripping = (client: RawClient, length: number) => client.seen.length - length < 10

function read(bytes: string, ending: Seen['ending']): Seen {
  const end = bytes.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(bytes)?.[1]
  return {
    bytes,
    ending,
    status: status === undefined || end < 0 ? undefined : Number(status),
    headers: end < 0 ? bytes : bytes.slice(0, end),
    body: end < 0 ? '' : bytes.slice(end + 4),
  }
}

/** Holds what was seen of one attempt against what the step that fired says. */
function compare(seen: Seen, step: Step, entry: RequestRecord): void {
  const told = String(entry.response?.body ?? '')
  const { answer, phase } = step
  if (answer === undefined) {
    expectWhole(seen)
    if (phase !== 'after') expect(seen.status).toBe(500)
    else expect(seen.body).toBe(String(entry.truth!.body))
  } else if ('fault' in answer)
    expectEffect(answer.fault.name, seen, phase === 'after' ? String(entry.truth!.body) : told)
  else {
    expectWhole(seen)
    expect(seen.status).toBe(answer.status)
    if (answer.body === 'gateway-html') expect(seen.headers).toMatch(/content-type: text\/html/i)
    if (answer.retryAfter !== undefined) expect(seen.headers).toMatch(/retry-after: /i)
  }
  // In the phases before the effect nobody was sent anything by this very attempt.
  if (phase === 'before') expect(entry.truth).toBeUndefined()
}

function isAsStep(seen: Seen, entry: RequestRecord): boolean {
  try {
    compare(seen, entry.decision!.step, entry)
    return true
  } catch {
    return false
  }
}

/** Plays each step once, as attempts of one transaction; after FAILED as another. */
async function play(scenario: Scenario, playing: Playing): Promise<void> {
  const inAMinute = new Date(playing.rig.clock.now() + 60_000).toISOString()
  const payload = scenario.tags.includes('scheduled') ? { scheduleDate: inAMinute } : {}
  const steps = scenario.rules[0]?.steps ?? []
  let transaction = 1
  for (let attempt = 1; attempt <= Math.min(steps.length + 1, 5); attempt++) {
    const { seen, entry } = await playing.attempt({ ...payload, transactionId: `T${transaction}` })
    if (entry.decision) compare(seen, entry.decision.step, entry)
    const told: Json = entry.truth && JSON.parse(String(entry.truth.body) || '{}')
    if (told?.state === 'FAILED') transaction++
    const stays = entry.decision?.step.for
    if (stays !== undefined) await playing.rig.moveClock(now => now + stays)
  }
}

const isChance = ({ rules }: Scenario) => rules.some(({ chance }) => chance !== undefined)

describe('on the wire, and in the ledger, it is as the file says', () => {
  test.concurrent.each(catalogue.map(it => [it.name, it] as const))(
    'on the wire, and in the ledger, it is as the file says: %s',
    async (_, scenario) => {
      const { id } = testSynchronizations.find(it => it.scenario === scenario.name)!
      const playing = await Playing.start(scenario, id, false)
      await play(scenario, playing)
      if (scenario.rules.length > 0 && !isChance(scenario))
        expect(playing.entries.some(({ decision }) => decision?.scenario === scenario.name)).toBe(true)
      await playing.rig.moveClock(now => now + 15 * 60_000)
      expect(playing.sent()).toBeLessThanOrEqual(Math.max(1, scenario.expect?.sent ?? 1))
    },
  )
})

describe('the loss matrix strikes the attempt that it names', () => {
  test.concurrent.each(cells.map(it => [it.name, it] as const))(
    'the loss matrix strikes the attempt that it names: %s',
    async (name, scenario) => {
      const playing = await Playing.start(scenario, ready, true)
      await play(scenario, playing)
      const struckAt = Number(name.at(-1)) - 1
      expect(playing.entries[struckAt]!.decision?.scenario).toBe(name)
      expect(playing.entries[struckAt]!.decision?.step.phase).toBe(name.split('-')[1])
    },
  )
})
