import { describe, expect, it, test } from 'vitest'
import { naiveClients } from '../../examples/clients/naive.mjs'
import { ids } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { carefulClients, commands, place } from './commands.ts'

/** So many times real time: a client's limit of ten seconds is half a real one, which a busy machine can keep. */
const speed = 20

/** Where minutes are waited. */
const fast = 40

/** What a client has to live through on a real socket, and what it then says and has done. */
const trials = [
  ['nothing is disturbed', 'happy-path', { code: 0, sent: 1, requests: 1 }],
  ['the response is lost', 'reset-after', { code: 0, sent: 1, requests: 2 }],
  ['the body arrives byte by byte', 'drip', { code: 0, sent: 1, requests: 2 }],
  ['so it does on a connection that ends with it', 'loss-after-drip-1', { code: 0, sent: 1, requests: 2 }],
  ['the headers arrive byte by byte', 'drip-headers', { code: 0, sent: 1, requests: 2 }],
  ['the body stops halfway', 'stalled-body', { code: 0, sent: 1, requests: 2 }],
  ['a compressed body lacks its end', 'truncated-gzip', { code: 0, sent: 1, requests: 2 }],
  ['an informational answer comes first', 'early-hints', { code: 0, sent: 1, requests: [1, 2] }],
  ['it is redirected', 'redirect-301', { code: 0, sent: 1, requests: 2 }],
  [
    'it is told to come back in two minutes',
    'unavailable-retry-after-two-minutes',
    { code: 0, sent: 1, requests: 2 },
    fast,
  ],
  ['it fails for ever', 'failed-for-ever', { code: 1, sent: 0, requests: 4 }, fast],
  ['nobody knows', 'indeterminate-sent', { code: 3, sent: 1, requests: 1 }],
  ['every repeat is refused', 'list-no-longer-permitted', { code: 1, sent: 0, requests: 2 }],
] as const

// Java takes long to start; an exam puts several of it through the same at a time.
const quick = carefulClients.filter(({ command }) => command !== commands.java)

describe.each(quick)('$name, as a command,', ({ command, isHere }) => {
  test.runIf(isHere).each(trials)(
    'does right when %s',
    async (_, scenario, { code, sent, requests }, pace: number = speed) => {
      const at = await place(ids.ready, { speed: pace, scenario })
      const ended = await at.run(command)
      expect(ended).toMatchObject({ code })
      expect(await at.sent()).toBe(sent)
      expect([requests].flat()).toContain((await at.creates()).length)
    },
  )

  it.runIf(isHere)(
    'goes on with the same transaction ID when it was killed and is started again',
    async () => {
      const hangs = { phase: 'after', answer: { fault: 'hang' }, times: 1 }
      const rules = [{ on: 'createSending', steps: [hangs, { state: 'CREATED' }] }]
      // At the usual pace it is killed well before it would repeat by itself.
      const at = await place(ids.ready, { scenario: { rules } })
      await at.killAfterFirst(command)
      const ended = await at.run(command)
      expect(ended).toMatchObject({ code: 0 })
      expect(await at.sent()).toBe(1)
      expect(new Set((await at.creates()).map(({ transactionId }) => transactionId)).size).toBe(1)
    },
  )

  it.runIf(isHere)('sends nothing again once its end is known', async () => {
    const at = await place(ids.ready, { speed, scenario: 'indeterminate-sent' })
    expect((await at.run(command)).code).toBe(3)
    expect((await at.run(command)).code).toBe(3)
    expect(await at.creates()).toHaveLength(1)
  })

  it.runIf(isHere)('says which settings are missing', async () => {
    const at = await place(ids.ready)
    const { code, output } = await at.run(command, { MAILING_SYNC_STATE: '' })
    expect(code).toBe(2)
    expect(output).toMatch(/must be set/)
  })
})

const hasJava = carefulClients.some(({ command, isHere }) => isHere && command === commands.java)
it.runIf(hasJava)(
  titleOr('the Java client needs nothing but its one file', hasJava ? undefined : 'there is no JDK 17 here'),
  async () => {
    const at = await place(ids.ready)
    expect(await at.run(commands.java)).toMatchObject({ code: 0 })
    expect(await at.sent()).toBe(1)
  },
)

it('the reference client uses its connection again, and survives that it breaks just then', async () => {
  const at = await place(ids.ready, { speed, scenario: 'keepalive-race-sent' })
  expect(await at.run(commands.reference)).toMatchObject({ code: 0 })
  expect(await at.sent()).toBe(1)
  expect((await at.creates()).map(({ delivered }) => delivered)).toEqual(['none', 'handed'])
})

it('a mutant is a command as well, and a name that none has is refused with those there are', async () => {
  const at = await place(ids.ready, { speed, scenario: 'error-500-after' })
  expect((await at.run(commands.mutant('M2'))).code).toBe(0)
  expect(await at.sent()).toBe(2)
  const refused = await at.run(commands.mutant('M99'))
  expect(refused.code).toBe(2)
  expect(refused.output).toMatch(/expected one of M1, M2, .*M\d+, got M99/)
})

/** A first attempt that is answered like this; every request of the client counts, whatever its transaction ID. */
const first = (step: object, ...more: object[]) => ({
  rules: [{ on: 'createSending', per: 'client-request', steps: [step, ...more, { state: 'CREATED' }] }],
})
const lost = { phase: 'after', answer: { fault: 'reset' }, times: 1 }
const error = { phase: 'before', answer: { status: 500 } }

/** How each library, used naively, goes wrong: what it believes, what is so, and what it asked for. */
const naive: Record<string, readonly [string, object, { code: number; sent: number; requests: number }]> = {
  'naive-axios-retry': ['sends twice', first(lost), { code: 0, sent: 2, requests: 2 }],
  'naive-got': ['gives up what was sent', first(lost), { code: 1, sent: 1, requests: 1 }],
  'naive-p-retry': ['sends twice', first(lost), { code: 0, sent: 2, requests: 2 }],
  'naive-cockatiel': [
    'asks eleven times',
    first({ ...error, times: 20 }),
    { code: 1, sent: 0, requests: 11 },
  ],
  'naive-undici': [
    'believes in what has failed',
    first({ state: 'FAILED', times: 1 }),
    { code: 0, sent: 0, requests: 1 },
  ],
  'naive-fetch': ['sends twice', first(lost), { code: 0, sent: 2, requests: 2 }],
}

describe('a popular library, used naively, goes wrong', () => {
  test.each(naiveClients.map(({ name }) => [name, naive[name]![0]] as const))(
    'a popular library, used naively, goes wrong: %s %s',
    async name => {
      const [, scenario, { code, sent, requests }] = naive[name]!
      const at = await place(ids.ready, { scenario })
      expect(await at.run(commands.naive(name))).toMatchObject({ code })
      expect(await at.sent()).toBe(sent)
      expect(await at.creates()).toHaveLength(requests)
    },
  )
})
