import { onTestFinished } from 'vitest'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import type { Scenario } from '../../src/rig/scenarios/scenario.ts'
import type { PlatformMailing, PlatformSending } from '../../src/store/rows.ts'
import {
  ids,
  type Seen,
  startMock,
  synchronizationPath,
  type TestMock,
  type TestMockOptions,
} from '../mock.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')

/** A scenario that only the test has. */
export const scenarioOf = (rules: readonly object[], name = 'a-test', more: object = {}): Scenario =>
  scenarioFrom({ description: 'a test', rules, ...more }, name, 'the test')

/** A rule about sendings that are created. */
export const onCreate = (steps: readonly object[], more: object = {}) => ({
  on: 'createSending',
  steps,
  ...more,
})

/** What requests, not the fixture, have made on the platform, in that order. */
export interface Ledger {
  readonly mailings: readonly PlatformMailing[]
  readonly sendings: readonly PlatformSending[]
}

export function ledgerOf(mock: TestMock, space?: string): Ledger {
  const { platformMailings, platformSendings } = mock.space(space).data.tables
  return {
    mailings: [...platformMailings.changes()].map(({ row }) => row),
    sendings: [...platformSendings.changes()].map(({ row }) => row),
  }
}

/** Speaks for one user to one synchronization. */
export interface Acting {
  post(body?: object, headers?: Record<string, string>): Promise<Seen>
  states(...transactionIds: (string | undefined)[]): Promise<(string | number)[]>
}

export function acting(mock: TestMock, user = 'demo'): Acting {
  const post = (body: object = {}, headers: Record<string, string> = {}) =>
    mock.as(user).post(sendings, body, headers)
  return {
    post,
    async states(...transactionIds) {
      const told: (string | number)[] = []
      for (const transactionId of transactionIds) {
        const { status, json } = await post({ transactionId })
        told.push(json?.state ?? status)
      }
      return told
    },
  }
}

export interface Stage {
  readonly mock: TestMock
  readonly act: Acting
  readonly ledger: () => Ledger
  /** Puts it behind a socket until the test is over. */
  readonly listen: () => Promise<{ readonly url: string; readonly port: number }>
}

/** A fresh mock with these rules in force in space `demo`; none leaves it undisturbed. */
export async function staged(rules: readonly object[], options?: TestMockOptions): Promise<Stage> {
  const mock = await startMock(options)
  if (rules.length > 0) mock.rig().scenarios.arm(scenarioOf(rules))
  return {
    mock,
    act: acting(mock),
    ledger: () => ledgerOf(mock),
    async listen() {
      const server = await mock.listen()
      onTestFinished(() => server.close())
      return server
    },
  }
}
