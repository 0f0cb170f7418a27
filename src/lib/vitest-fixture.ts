import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test as base, expect, type TestAPI, type TestContext } from 'vitest'
import { createMock, type MockOptions } from '../index.ts'
import { openLine } from '../judge/exam/reproduce.ts'
import { UserError } from '../store/user-error.ts'
import { describeAlternatives } from '../store/validation-messages.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { requireObject } from './control-calls.ts'
import { beginningMembers, type MockControl, type SpaceControl } from './control-client.ts'
import type { Beginning, ClientEnd } from './control-types.ts'
import { describeFindings, describeRequests, isOnlyUnfired, ofOneWorker } from './failure-messages.ts'
import { matchers, type SpaceMatchers } from './matchers.ts'
import { checkKeys, checkOptions } from './settings.ts'

export type { SpaceControl } from './control-client.ts'
export { type MatcherResult, type MatcherState, matchers, type SpaceMatchers } from './matchers.ts'

declare module 'vitest' {
  // Merged declarations must have the same type parameters.
  interface Matchers<T> extends SpaceMatchers {}
}

/** The service for the client under test. */
export interface Service {
  /** Address of the service. */
  readonly url: string
  /** `fetch` without a socket if the mock is in this process; otherwise the global `fetch`. */
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
}

/** A mock shared by the tests of a file, in this process or in another one. */
interface SharedMock {
  readonly control: MockControl
  readonly service: Service
  /** Where the pages of spaces are that stay after the run; undefined where none do. */
  readonly pages?: string
}

export interface MailingSyncFixtures {
  /** The service for the client under test. */
  readonly service: Service
  /** A space for this test alone, with credentials for the client: `space.user`, `space.password`. */
  readonly space: SpaceControl
  /** Initial state of `space`: scenario, clock, dials, content. Override it for a group of tests. */
  readonly beginning: Beginning
  /** See `TestOptions.verdict`. Override it for a group of tests. */
  readonly verdict: VerdictWish
}

/** Whether the verdict is checked at the end of a test, or what only the test knows about the end of its client. */
export type VerdictWish = 'checked' | 'ignored' | ClientEnd

export interface TestOptions {
  /** Settings of the mock that each test file starts in its own process. */
  readonly mock?: MockOptions
  /** A mock in another process instead, such as a container; without a `url`, as of a variable that is not set, a mock as without `connect`. */
  readonly connect?: Omit<ConnectOptions, 'url'> & { readonly url: ConnectOptions['url'] | undefined }
  /** Initial state of the space of each test. */
  readonly beginning?: Beginning
  /**
   * `checked` (default): an otherwise passing test fails at its end if its client certainly broke a rule in its space, if
   * one mailing seems to have been sent twice, or can be, or if no request met what was armed.
   * `{ expected: 2 }` says how many mailings were meant, `{ workers: 2 }` how many workers the client had, 1 unless given,
   * `{ believes: 'sent', expected: 1 }` also how the client of each test ends: this proves more, and harm fails the test,
   * too. The message of a test that failed by itself gets the same text. `ignored`: no verdict.
   */
  readonly verdict?: VerdictWish
  /**
   * The folder in which a failed test leaves its capsule, a file that `mailing-sync-mock open` shows on any machine. By default that of
   * the variable MAILING_SYNC_MOCK_CAPSULES, or `test-results`. `off`, here or there, keeps none.
   */
  readonly capsules?: string
}

/** A `test` with a service and a space of its own; `expect` has matchers. @throws UserError for an unknown option */
export function mailingSyncTest(options: TestOptions = {}): TestAPI<MailingSyncFixtures> {
  requireObject('mailingSyncTest', options, { verdict: 'ignored' })
  requireObject('mailingSyncTest, mock', options.mock, { frozen: true })
  requireObject('mailingSyncTest, beginning', options.beginning, { scenario: 'reset-after' })
  const place = options.connect instanceof URL ? options.connect.href : options.connect
  requireObject('mailingSyncTest, connect', place, { url: 'http://localhost:4025' })
  checkKeys('mailingSyncTest', options, ['mock', 'connect', 'beginning', 'verdict', 'capsules'])
  checkOptions({ ...options.mock }, 'mailingSyncTest, mock')
  checkWish(options.verdict)
  checkKeys('mailingSyncTest, connect', options.connect ?? {}, ['url', 'token', 'users', 'fetch'])
  checkKeys('mailingSyncTest, beginning', options.beginning ?? {}, beginningMembers)
  const { url } = options.connect ?? {}
  const remote = url ? { ...options.connect, url } : undefined
  expect.extend(matchers)
  return base.extend<MailingSyncFixtures & { shared: SharedMock }>({
    beginning: options.beginning ?? {},
    verdict: options.verdict ?? 'checked',
    shared: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures are asked for
      async ({}, use) => {
        if (remote) return use(connectShared(remote))
        await using mock = await createMock(options.mock)
        const { url } = await mock.listen()
        await use({ control: mock.control, service: { url, fetch: mock.fetch } })
      },
      { scope: 'file' },
    ],
    service: async ({ shared }, use) => use(shared.service),
    space: async ({ shared, beginning, verdict, task, onTestFinished }, use) => {
      checkWish(verdict)
      // One name for each attempt of a test, the same in each run, unless other runs may use the same mock.
      const { retryCount = 0, repeatCount = 0 } = task.result ?? {}
      const tail = remote ? crypto.randomUUID() : hashOf(`${task.id}.${retryCount}.${repeatCount}`)
      const name = `${slugOf(task.name, 60)}.${tail.slice(0, 8)}`
      const space = await shared.control.privateSpace({ ...beginning, name })
      const { remove, verdict: judge } = space
      let isRemoved = false
      space.remove = () => {
        isRemoved = true
        return remove()
      }
      // Of the client, by whatever asked for a verdict last.
      let lastEnd: ClientEnd = {}
      space.verdict = (end = {}) => {
        lastEnd = end
        return judge(end)
      }
      // Those of earlier attempts, where the test is retried.
      const earlier = task.result?.errors?.length ?? 0
      // Not after `use`: vitest 4 reports failures there twice.
      onTestFinished(async () => {
        // A test that has removed its space wants no verdict.
        if (isRemoved) return
        const errors = (task.result?.errors ?? []).slice(earlier)
        // After a call that was refused, a mistake of the test, a verdict on the client would lead astray.
        if (errors.some(({ name }) => name === 'ControlError')) return
        const said = errors.map(({ message }) => message).join('\n')
        const isOfMatcher = said.includes(`expected space "${space.name}"`)
        // What the matcher that failed was told counts in the capsule and on the pages, too.
        const end = {
          ...ofOneWorker,
          ...(isOfMatcher && lastEnd),
          ...(typeof verdict === 'object' && verdict),
        }
        const isFailed = task.result?.state === 'fail'
        const accused = verdict === 'ignored' ? undefined : await accuse(space, end, said, isOfMatcher)
        if (!isFailed && accused === undefined) return remove()
        const folder = options.capsules ?? (process.env.MAILING_SYNC_MOCK_CAPSULES || 'test-results')
        const kept = await keepCapsule(space, folder, fullName(task))
        // The space of a failed test stays, for inspection.
        if (!isFailed) throw await failureAt(task, `${accused}${kept}`)
        const [error] = errors
        if (!error || (accused === undefined && kept === '')) return
        const page =
          shared.pages === undefined || accused === undefined
            ? ''
            : `\n\nIts page: ${shared.pages}/${encodeURIComponent(space.name)}/verdict`
        const message = `${error.message}${accused === undefined ? '' : `\n\n${accused}`}${page}${kept}`
        // Some reporters print the message, some the stack.
        if (error.stack) error.stack = error.stack.replace(error.message, () => message)
        error.message = message
      })
      await use(space)
    },
  })
}

/** `mailingSyncTest()` with default options. */
export const test: TestAPI<MailingSyncFixtures> = mailingSyncTest()

function connectShared(given: ConnectOptions): SharedMock {
  const url = String(given.url).replace(/(?:\/_mock)?\/*$/, '')
  return {
    control: connect(given),
    service: { url, fetch: (input, init) => globalThis.fetch(input, init) },
    // At the end of a job of CI the mock is gone.
    ...(process.env.CI !== 'true' && { pages: `${url}/_mock/spaces` }),
  }
}

/** @throws UserError for a wish that there is not */
function checkWish(wish: unknown): void {
  const names = ['expected', 'believes', 'workers'] satisfies (keyof ClientEnd)[]
  const possible = ['checked', 'ignored', `{ ${names.join(', ')} }`]
  if (typeof wish === 'object' && wish !== null) checkKeys('verdict', wish, names)
  else if (wish !== undefined && !possible.slice(0, 2).includes(String(wish)))
    throw new UserError(`verdict is "${wish}";${describeAlternatives(String(wish), possible)}`)
}

/**
 * Why a test fails that passed by itself, or what was asked and found in the space of one that failed; undefined where there is
 * nothing to add.
 * @param said messages of the failed test: what they list already, as those of matchers do, is not said again
 * @param isMatcher whether a matcher has failed
 */
async function accuse(
  space: SpaceControl,
  end: ClientEnd,
  said: string,
  isMatcher: boolean,
): Promise<string | undefined> {
  const verdict = await space.verdict(end)
  const findings = describeFindings(verdict)
  // With the end of the client more may be proved than the matcher could list.
  const isListed = end.believes === undefined || findings.split('\n').every(line => said.includes(line))
  if (isMatcher && isListed) return undefined
  const asked = await describeRequests(space)
  if (verdict.failure === null)
    return said === '' ? undefined : `In space "${space.name}":\n\n${asked}\n\n${findings}`
  const besides = said === '' ? '' : 'Besides, '
  const ignoring = `A test that wants no verdict says so: test.override({ verdict: 'ignored' }). With vitest 3 write test.scoped (docs/library.md).`
  // What was armed and met nothing is no reason beside a failure of the test's own.
  if (isOnlyUnfired(verdict))
    return said === ''
      ? `in space "${space.name}" ${verdict.failure}, so the test proves nothing. ${ignoring}`
      : `In space "${space.name}":\n\n${asked}\n\n${findings}`
  const isCounted = end.expected !== undefined
  const deed = verdict.failure === verdict.suspicion ? 'more was sent than was expected' : verdict.failure
  const suspected = verdict.suspicion === null ? '' : `\n\n${verdict.suspicion}`
  const several = `If several mailings were meant, say how many: test.override({ verdict: { expected: ${Math.max(2, verdict.harm.sent)} } }). `
  const cure = suspected && !isCounted ? several : ''
  return `${besides}${deed}, in space "${space.name}"${suspected}\n\n${findings}\n\n${asked}\n\n${cure}${ignoring}`
}

/** A failure at the line of its test: the reporter for GitHub leaves out a failure whose stack has no line of the project. */
async function failureAt({ name, file, location }: TestContext['task'], message: string): Promise<Error> {
  const lines = (await readFile(file.filepath, 'utf8').catch(() => '')).split('\n')
  const titles = [`'${name}'`, `"${name}"`, `\`${name}\``]
  const line =
    location?.line ?? (lines.findIndex(line => titles.some(title => line.includes(title))) + 1 || 1)
  const error = new Error(message)
  error.stack = `Error: ${message}\n    at ${file.filepath}:${line}:${location?.column ?? 1}`
  return error
}

/** The name of a test with those of its file and of what it stands in. */
function fullName({ name, suite, file }: TestContext['task']): string {
  const names = [name]
  for (let around = suite; around; around = around.suite) names.unshift(around.name)
  return [basename(file.name).replace(/\.[jt]sx?$/, ''), ...names].join(' ')
}

/** Writes the capsule of a failed test. @returns how to open it, for its message; why there is none; nothing if none is wanted */
async function keepCapsule(space: SpaceControl, folder: string, name: string): Promise<string> {
  if (folder === 'off') return ''
  const file = join(folder, `${slugOf(name, 120)}.capsule.json`)
  try {
    const text = await space.capsule()
    await mkdir(folder, { recursive: true })
    await writeFile(file, text)
    return `\n\nTo see it on any machine: ${openLine(file)}`
  } catch (error) {
    return `\n\nNo capsule was kept: ${(error as Error).message}`
  }
}

const slugOf = (text: string, longest: number): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, longest)

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
