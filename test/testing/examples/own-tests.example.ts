import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { naiveClients } from '../../../examples/clients/naive.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { createMock, type ScenarioName } from '../../../src/index.ts'
import { mailingSyncTest, test } from '../../../src/lib/vitest-fixture.ts'
import { halType, ids, synchronizationPath } from '../../mock.ts'
import { rightUses } from './right-uses.ts'

/** Tests as a user writes them; `test/testing/fixture.slow.test.ts` runs them and knows which of them must fail. */

const path = synchronizationPath(ids.ready, '/sendings')
type Where = {
  service: { url: string; fetch: typeof fetch }
  space: { authorization: string }
}
const send = ({ service, space }: Where, transactionId: string, more = {}) =>
  service.fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: space.authorization, 'content-type': halType },
    body: JSON.stringify({ transactionId, ...more }),
  })

test('passes: a client that repeats with the same ID', async ({ service, space }) => {
  await space.arm('reset-after')
  await send({ service, space }, 'a').catch(() => {})
  expect(await space.sent()).toHaveLength(1)
  await send({ service, space }, 'a')
  await expect(space).toHaveSentExactlyOnce(ids.ready)
  await expect(space).toHaveSent(0, ids.draftOnly)
  await expect(space).toHaveFired()
})

test('passes: the same name and ID in a space of its own', async ({ service, space }) => {
  expect((await send({ service, space }, 'a')).status).toBe(201)
  await expect(space).toHaveSentExactlyOnce()
  await expect(space).toHaveNoFindings({ believes: 'sent' })
})

test('passes: over the socket too', async ({ service, space }) => {
  const response = await fetch(`${service.url}/mailings`, { headers: { authorization: space.authorization } })
  expect(response.status).toBe(200)
})

async function changeTheRepeat({ service, space }: Where & { space: { arm(name: ScenarioName): unknown } }) {
  await space.arm('reset-after')
  await send({ service, space }, 'a').catch(() => {})
  await send({ service, space }, 'a', { scheduleDate: '2099-01-01T00:00:00Z' })
}

test('fails: the verdict', changeTheRepeat)

test('fails: a client that sends nothing', async ({ space }) => {
  await space.arm('reset-after')
})

test('fails: a client with a wrong password', async ({ service, space }) => {
  await space.arm('reset-after')
  await send({ service, space: { authorization: `Basic ${btoa(`${space.user}:nope`)}` } }, 'a')
})

const attempts: string[] = []
test('retried: a client that sends nothing in the second attempt', { retry: 1 }, async ({ space }) => {
  expect(attempts).not.toContain(space.name)
  attempts.push(space.name)
  expect(attempts.length).toBe(2)
  await space.arm('reset-after')
})

test('passes: it has removed its space itself', async ({ service, space }) => {
  await changeTheRepeat({ service, space })
  await space.remove()
})

test('passes: nothing armed, and nothing sent', async ({ space }) => {
  expect(await space.sent()).toEqual([])
})

test('fails: its own assertion', async ({ service, space }) => {
  await space.arm('reset-after')
  await send({ service, space }, '0b9ad3c2-5f1e-4c55-9d3e-0a4a6f0d7b11').catch(() => {})
  await send({ service, space }, '7c1e2b44-90fd-4a6b-8a51-3a1f7d22c0e9').catch(() => {})
  expect('sent').toBe('unknown')
})

test('fails: a mistake of the test', async ({ space }) => {
  await space.arm('reset-aftr' as ScenarioName)
})

test('fails: its own assertion, and nothing is proved', async ({ service, space }) => {
  await space.arm('pending-then-created')
  const { state } = (await (await send({ service, space }, 'a')).json()) as { state: string }
  expect(state).toBe('CREATED')
})

test('fails: sent twice', async ({ service, space }) => {
  await space.arm('error-500-after')
  await send({ service, space }, 'a')
  await send({ service, space }, 'b')
  await expect(space).toHaveSentExactlyOnce(ids.ready)
})

async function sendAfterError({ service, space }: Where & { space: { arm(name: ScenarioName): unknown } }) {
  await space.arm('error-500-after')
  expect((await send({ service, space }, 'a')).status).toBe(500)
  await send({ service, space }, 'b')
}

test('fails: a new ID after an error', sendAfterError)

const states = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-test-'))
afterAll(() => rmSync(states, { recursive: true }))

const optionsFor = (url: string, { user, password }: { user: string; password: string }) => ({
  ...{
    url,
    user,
    password,
    synchronizationId: ids.ready,
    state: mkdtempSync(join(states, 'state-')),
  },
  fetch,
  sleep: (milliseconds: number, signal?: AbortSignal) => setTimeout(milliseconds, undefined, { signal }),
  now: () => performance.now(),
})
const naive = naiveClients.map(({ name, rules }) => {
  const title = rules.some(rule => ['R01', 'R02'].includes(rule)) ? `fails: ${name}` : `passes: ${name}`
  return [title, import(`../../../examples/clients/${name}/send.mjs`)] as const
})
const lostAnswer = { on: 'createSending', phase: 'after', answer: { fault: 'reset' } } as const

test.for(naive)('%s', async ([, client], { service, space }) => {
  await space.faults.arm(lostAnswer)
  await (await client).send(optionsFor(service.url, space))
})
test.for([['the reference client', reference] as const, ...rightUses])(
  'passes: %s, with one transaction ID',
  async ([, send], { service, space }) => {
    await space.faults.arm(lostAnswer)
    await send(optionsFor(service.url, space))
    await expect(space).toHaveSentExactlyOnce()
    await expect(space).toHaveFired()
  },
)

const local = mailingSyncTest({ connect: { url: process.env.MAILING_SYNC_URL_THAT_IS_NOT_SET } })
local('passes: without an address the mock is one of its own', async ({ service, space }) => {
  expect((await send({ service, space }, 'a')).status).toBe(201)
})

const twoMailings = mailingSyncTest({ verdict: { expected: 2 } })
twoMailings('passes: two mailings, as it says', sendAfterError)

test('fails: nobody awaited the matcher', async ({ space }) => {
  expect(space).toHaveSent(3)
})

const own = mailingSyncTest({
  beginning: { scenario: 'failed-once', clock: { now: '2026-03-01T09:30:00Z', frozen: true } },
  verdict: 'ignored',
})
own('passes: begins as told', async ({ service, space }) => {
  expect(await space.clock.now()).toEqual(new Date('2026-03-01T09:30:00Z'))
  expect(await (await send({ service, space }, 'a')).json()).toMatchObject({ state: 'FAILED' })
})
own('passes: nobody judges', async ({ service, space }) => {
  await changeTheRepeat({ service, space })
  expect((await space.verdict()).outcome).toBe('guilty')
})

const ended = mailingSyncTest({ verdict: { believes: 'not-sent' } })
ended('fails: what its client believes is not true', async ({ service, space }) => {
  await send({ service, space }, 'a')
})

test('fails: a matcher that is told what the client believes', async ({ service, space }) => {
  await space.arm('indeterminate-not-sent')
  await send({ service, space }, 'a')
  await expect(space).toHaveNoFindings({ believes: 'sent' })
})

describe('in a group that says how many mailings are meant', () => {
  const counted = test.override({ verdict: { expected: 1 } })
  counted('fails: two where one was expected', async ({ service, space }) => {
    for (const id of ['a', 'b']) await send({ service, space }, id)
  })
})

describe('in a group with settings of its own', () => {
  const grouped = test.override({ verdict: 'ignored', beginning: { scenario: 'failed-once' } })
  grouped('passes: the settings of its group', async ({ service, space }) => {
    expect((await space.scenario()).scenario?.name).toBe('failed-once')
    await changeTheRepeat({ service, space })
  })
})

const elsewhere = await createMock()
const { url } = await elsewhere.listen()
const remote = mailingSyncTest({ connect: { url: `${url}/_mock` } })
remote('fails: sent never, and its space stays', async ({ service, space }) => {
  expect(service.url).toBe(url)
  await send({ service, space }, 'a')
  await expect(space).toHaveSent(0)
})
remote('fails: its own assertion in a shared mock', async ({ service, space }) => {
  await send({ service, space }, 'a')
  expect('sent').toBe('unknown')
})
remote('passes: the space of one that passed is gone', async ({ service, space }) => {
  await send({ service, space }, 'a')
  await expect(space).toHaveSentExactlyOnce()
  const names = (await elsewhere.control.spaces()).map(it => it.name)
  expect(names.filter(name => /^demo\+fails-sent-never-and/.test(name))).toHaveLength(1)
})
remote(
  'passes: other runs of the same tests in a shared mock have spaces of their own',
  async ({ space }) => {
    expect(space.name).toMatch(/^demo\+passes-other-runs.*\.[\da-f]{8}$/)
  },
)
remote('passes: and the mock is left as it was', async () => {
  const names = (await elsewhere.control.spaces()).map(it => it.name)
  expect(names.filter(name => /passed-is-gone/.test(name))).toEqual([])
  await elsewhere.close()
})
