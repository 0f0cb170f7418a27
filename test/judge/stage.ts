import { onTestFinished } from 'vitest'
import type { Attempt } from '../../src/judge/attempt.ts'
import { collectEvidence, type Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import type { Verdict } from '../../src/judge/verdict-shape.ts'
import { RecordReader } from '../../src/rig/record-reader.ts'
import type { Operation } from '../../src/service/operation.ts'
import { type OperationId, operations } from '../../src/service/operations.ts'
import {
  basic,
  halType,
  ids,
  type Json,
  startMock,
  synchronizationPath,
  type TestMock,
  type TestMockOptions,
} from '../mock.ts'
import { scenarioOf } from '../rig/stage.ts'

export const sendingsPath = synchronizationPath(ids.ready, '/sendings')

/** What a test does as a client, and what the judge says of it. */
export interface Trial {
  readonly mock: TestMock
  post(body?: object, path?: string): Promise<Json>
  get(path: string): Promise<Json>
  /** Asks, and does not wait for the answer; resolves when whatever delays it does so. */
  ask(body: object): Promise<Asking>
  /** Lets time pass without anybody moving the space's clock by hand. */
  wait(milliseconds: number): void
  evidence(): Promise<Evidence>
  /** With the end of the client, when it is given; it meant one mailing. */
  verdict(end?: ClientEnd): Promise<Verdict>
  /** Rules of which it is accused, each with its status: `R02 guilty`. */
  accused(end?: ClientEnd): Promise<string[]>
}

/** A request that is under way. */
export interface Asking {
  readonly answer: Promise<unknown>
  /** Gives it up; resolves when that is on record. */
  leave(): Promise<void>
}

export const notSent: ClientEnd = { believes: 'not-sent' }
export const unknown: ClientEnd = { believes: 'unknown' }
export const sent: ClientEnd = { believes: 'sent' }

/**
 * A space in which these rules are in force, without a socket, on a clock that stands still.
 * @param definitions what the judge takes for the definitions of the service's operations
 */
export async function trial(
  rules: readonly object[] = [],
  options: TestMockOptions = {},
  definitions = operations as Readonly<Record<OperationId, Operation>>,
): Promise<Trial> {
  const mock = await startMock(options)
  const rig = mock.rig()
  const reader = new RecordReader(rig.reader.segment, definitions)
  if (rules.length > 0) rig.scenarios.arm(scenarioOf(rules))
  const evidence = async () => onOneClock(await collectEvidence(rig, reader))
  const verdict = async (end?: ClientEnd) => judge(await evidence(), end)
  const as = mock.as('demo')
  return {
    mock,
    post: async (body = {}, path = sendingsPath) => (await as.post(path, body).catch(() => undefined))?.json,
    async ask(body) {
      const leaving = new AbortController()
      const headers = { 'content-type': halType }
      const init = { headers, body: JSON.stringify(body), signal: leaving.signal }
      const answer = as.send('POST', sendingsPath, init).catch(() => undefined)
      await turns()
      return {
        answer,
        async leave() {
          leaving.abort()
          await turns()
        },
      }
    },
    get: async path => (await as.get(path).catch(() => undefined))?.json,
    wait: milliseconds => mock.clock.advance(milliseconds),
    evidence,
    verdict,
    accused: async end => accusedIn(await verdict(end)),
  }
}

/** With the real times of a client for which the clock was the real time, however busy this machine is. */
function onOneClock(evidence: Evidence): Evidence {
  const times = evidence.attempts.flatMap(({ arrived, ended }) => (ended ? [arrived, ended] : [arrived]))
  const [first, ...later] = [...times, evidence.at].toSorted((one, other) => one.real - other.real)
  const real = new Map([[first!, first!.real]])
  let before = first!
  for (const time of later) {
    real.set(time, real.get(before)! + Math.max(0, time.clock - before.clock))
    before = time
  }
  const moved = (time: Evidence['at']) => ({ ...time, real: real.get(time)! })
  const attempts = evidence.attempts.map(attempt => ({
    ...attempt,
    arrived: moved(attempt.arrived),
    ended: attempt.ended && moved(attempt.ended),
  }))
  return { ...evidence, attempts, at: moved(evidence.at) }
}

/** Lets whatever does not wait for time come to rest. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
}

/** Rules of which somebody is accused, by errors and warnings alone. */
export const accusedIn = ({ findings }: Verdict): string[] =>
  findings.filter(({ severity }) => severity !== 'information').map(({ rule, status }) => `${rule} ${status}`)

/** Puts a mock behind a socket until the test is over. */
export async function onSocket(mock: TestMock): Promise<{
  /** @param init what differs from a creation by `demo` */
  post(body: object, init?: RequestInit): Promise<Response | undefined>
  readonly port: number
}> {
  const server = await mock.listen()
  onTestFinished(() => server.close())
  const headers = { authorization: basic('demo'), 'content-type': halType }
  return {
    port: server.port,
    async post(body, init = {}) {
      try {
        const response = await fetch(server.url + sendingsPath, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          ...init,
        })
        await response.text()
        return response
      } catch {
        return undefined
      }
    },
  }
}

export interface Wire {
  /** Milliseconds of real time from asking to the end of the answer. */
  readonly took: number
  /** Of each attempt. */
  readonly connections: readonly number[]
  /** Which request on its connection; as many as are shown unless given. */
  readonly positions?: readonly number[]
  /** Milliseconds of real time between two attempts, a second unless given; less than nothing where they overlap. */
  readonly pause?: number | readonly number[]
  /** Of the space's clock. */
  readonly rate?: number
}

/** The same requests, as they would have come over a socket. */
export function over(
  evidence: Evidence,
  { took, connections, positions, pause = 1_000, rate = 1 }: Wire,
): Evidence {
  let real = evidence.attempts[0]!.arrived.real
  const attempts = evidence.attempts.map((attempt, at): Attempt => {
    if (at > 0) real += took + (typeof pause === 'number' ? pause : pause[at - 1]!)
    return {
      ...attempt,
      connection: connections[at]!,
      position: positions?.[at] ?? connections.slice(0, at + 1).filter(it => it === connections[at]).length,
      arrived: { ...attempt.arrived, real },
      ended: attempt.ended && { ...attempt.ended, real: real + took },
    }
  })
  return { ...evidence, attempts, rate }
}
