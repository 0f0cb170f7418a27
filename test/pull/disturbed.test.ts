import { afterEach, expect, test } from 'vitest'
import { pull } from '../../src/contract/pull/pull.ts'
import { createMock, type Mock } from '../../src/index.ts'
import type { FaultRule } from '../../src/lib/control-types.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { ownTime, undisturbed } from './pulling.ts'

let mock: Mock | undefined
afterEach(() => mock?.close())

/** Pulls over a socket, while the service is disturbed; only failures of the wire take real time. */
async function pulledThrough(faults: readonly FaultRule[]) {
  const [fixture] = await readFixtures(defaultFixture)
  mock = await createMock({ logLevel: 'silent', fixtures: undisturbed(fixture!) })
  const { url } = await mock.listen()
  const space = mock.space()
  const { wait, now, waits } = ownTime()
  const asked = { url, user: 'demo', password: 'demo', wait, now, timeout: 1_000 }
  const calm = await pull(asked)
  for (const fault of faults) await space.faults.arm(fault)
  waits.length = 0
  const disturbed = await pull(asked)
  const { neverStruck } = await space.faults.list()
  expect(neverStruck).toBe(0)
  return { calm, disturbed, waits }
}

const on = (operation: FaultRule['on'], answer: unknown, times = 2) =>
  ({ on: operation, phase: 'before', answer, times }) as FaultRule

test.each<[string, FaultRule[]]>([
  ['500 here and there', [on('listSendings', { status: 500 }), on('getPreview', { status: 502 }, 5)]],
  [
    'connections that are reset',
    [on('listMailings', { fault: 'reset' }, 1), on('getPreview', { fault: 'reset' })],
  ],
  ['silence', [on('getSendingStatistics', { fault: 'hang' }, 1)]],
  [
    'answers that are cut',
    [on('listCustomerLists', { fault: 'truncate' }), on('getPreview', { fault: 'status-cut' })],
  ],
  [
    'bodies that are no JSON',
    [on('getMailingUpload', { fault: 'malformed-json' }), on('listSendings', { fault: 'html-200' })],
  ],
  [
    'all of it at once',
    [
      on('getPreview', { status: 429, retryAfter: 3 }, 4),
      on('listTestProfiles', { fault: 'reset-mid-body' }),
      on('getAccessibleLists', { status: 503 }, 3),
      on('listSendings', { fault: 'close' }),
    ],
  ],
])('a pull is whole in spite of %s', async (_, faults) => {
  const { calm, disturbed } = await pulledThrough(faults)
  expect(disturbed.fixture).toEqual(calm.fixture)
  expect(disturbed.notes).toEqual(calm.notes)
})

test.each<[string, unknown, number, number]>([
  ['429 with seconds', { status: 429, retryAfter: 7 }, 7_000, 7_000],
  ['503 with seconds', { status: 503, retryAfter: 11 }, 11_000, 11_000],
  ['503 with a date', { status: 503, retryAfter: { dateIn: '40s' } }, 39_000, 40_000],
  ['429 that names no time', { status: 429 }, 30_000, 30_000],
])('a pull waits as it is asked to: %s', async (_, answer, least, most) => {
  const { calm, disturbed, waits } = await pulledThrough([on('getPreview', answer, 1)])
  expect(disturbed.fixture).toEqual(calm.fixture)
  const longest = Math.max(...waits)
  expect(longest).toBeGreaterThan(least - 300)
  expect(longest).toBeLessThanOrEqual(most)
})

test('what fails for good ends the pull with a sentence', async () => {
  await expect(pulledThrough([on('listSendings', { status: 500 }, 1_000)])).rejects.toThrow(
    /^\/integrations\/mailing-platform\/mailing-synchronizations\/[0-9a-f-]+\/sendings was answered 500, 7 times in a row$/,
  )
})

test('whoever is asked to wait for hours is told so, and does not wait', async () => {
  await expect(pulledThrough([on('getPreview', { status: 429, retryAfter: 7_200 }, 1)])).rejects.toThrow(
    /^the service answers 429 and asks for 7200 s of patience; run it again/,
  )
})
