import { test as base, expect, type TestAPI } from 'vitest'
import { type ConnectOptions, connect } from '../client/control.ts'
import type { MockControl } from '../client/mock-control.ts'
import type { Beginning, ClientEnd } from '../client/shapes.ts'
import type { SpaceControl } from '../client/space-control.ts'
import { createMock, type MockOptions } from '../index.ts'
import { findingsShown, requestsShown } from './account.ts'
import { matchers, type SpaceMatchers } from './matchers.ts'

export type { SpaceControl } from '../client/space-control.ts'
export { type MatcherResult, type MatcherState, matchers, type SpaceMatchers } from './matchers.ts'

declare module 'vitest' {
  // Declarations that are merged have the same parameters, whether they need them or not.
  interface Matchers<T> extends SpaceMatchers {}
}

/** The service that the client under test is pointed at. */
export interface Service {
  /** Its address. */
  readonly url: string
  /** The same without a socket, where the mock is in this process; else the global `fetch`. */
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
}

/** A mock that tests of a file share, in this process or in another one. */
interface Shared {
  readonly control: MockControl
  readonly service: Service
}

/** What a test gets. */
export interface MailingSyncFixtures {
  /** Where the client under test finds the service. */
  readonly service: Service
  /** A space of this test alone, with credentials for the client: `space.user`, `space.password`. */
  readonly space: SpaceControl
  /** How `space` begins: with a scenario, a clock, dials, content. Override it for a group of tests. */
  readonly beginning: Beginning
  /** See `TestOptions.verdict`. Override it for a group of tests. */
  readonly verdict: VerdictWish
}

/** Whether the judge is asked at the end of a test, and what only the test knows about the end of its client. */
export type VerdictWish = 'checked' | 'ignored' | ClientEnd

export interface TestOptions {
  /** Settings of the mock that each test file starts in its own process. */
  readonly mock?: MockOptions
  /** A mock in another process instead, such as a container. */
  readonly connect?: ConnectOptions
  /** How the space of each test begins. */
  readonly beginning?: Beginning
  /**
   * `checked`, unless given: a test fails, when it passed otherwise, if the judge proves that the client broke a rule in its
   * space. What the judge cannot know is not held against it; `{ believes: 'sent', expected: 1 }` tells it how each test's
   * client ends: that proves more, and harm is held against it too. `ignored`: it is not asked.
   */
  readonly verdict?: VerdictWish
}

/** A `test` whose fixtures are a service and a space of its own for each test; `expect` has the matchers for spaces. */
export function mailingSyncTest(options: TestOptions = {}): TestAPI<MailingSyncFixtures> {
  expect.extend(matchers)
  return base.extend<MailingSyncFixtures & { shared: Shared }>({
    beginning: options.beginning ?? {},
    verdict: options.verdict ?? 'checked',
    shared: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures are asked for
      async ({}, use) => {
        if (options.connect) return use(connected(options.connect))
        await using mock = await createMock(options.mock)
        const { url } = await mock.listen()
        await use({ control: mock.control, service: { url, fetch: mock.fetch } })
      },
      { scope: 'file' },
    ],
    service: async ({ shared }, use) => use(shared.service),
    space: async ({ shared, beginning, verdict, task, onTestFinished }, use) => {
      const space = await shared.control.privateSpace({ ...beginning, name: nameFor(task) })
      // Not after `use`: what fails there vitest 4 tells twice.
      onTestFinished(async () => {
        // The space of a test that failed stays, to be looked at.
        if (task.result?.state === 'fail') return
        if (verdict !== 'ignored') await refuseGuilt(space, verdict === 'checked' ? {} : verdict)
        await space.remove()
      })
      await use(space)
    },
  })
}

/** The same with the usual settings. */
export const test: TestAPI<MailingSyncFixtures> = mailingSyncTest()

const connected = (given: ConnectOptions): Shared => ({
  control: connect(given),
  service: {
    url: String(given.url).replace(/(?:\/_mock)?\/*$/, ''),
    fetch: (input, init) => globalThis.fetch(input, init),
  },
})

/** @throws an Error that tells what was done against the rules */
async function refuseGuilt(space: SpaceControl, end: ClientEnd): Promise<void> {
  const verdict = await space.verdict(end)
  const isHarmed = end.believes !== undefined && verdict.harm.findings.some(it => it.status === 'certain')
  if (verdict.outcome !== 'guilty' && !isHarmed) return
  const asked = await requestsShown(space)
  throw new Error(
    `the client under test ${verdict.outcome === 'guilty' ? 'broke rules of the service' : 'did harm'} in space "${space.name}"\n\n${findingsShown(verdict)}\n\n${asked}\n\nA test that wants no verdict says so: verdict: 'ignored'`,
  )
}

/** What tells a test from all others of the project, also from its own retries, in a form that a user name can have. */
function nameFor(task: {
  readonly id: string
  readonly name: string
  readonly result?: { readonly retryCount?: number; readonly repeatCount?: number }
}): string {
  const readable = task.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {}
  return `${readable}.${task.id}.${retryCount}.${repeatCount}`
}
