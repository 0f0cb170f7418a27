import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ClientCall } from '../../../src/judge/exam/client.ts'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'
import { commandClient } from '../../../src/judge/exam/command-client.ts'
import { type CaseResult, examResult } from '../../../src/judge/exam/exam-result.ts'
import { type ExamOptions, examine, runExam } from '../../../src/lib/run-exam.ts'
import { eventually, temporaryDirectory } from '../../process.ts'

const clients = 'test/judge/exam/client.mjs'
const client = (way: string, ...args: string[]) => [process.execPath, clients, way, ...args]

/** Plays one case to a client of the tests, none of which ends by a deadline of its own: a late machine changes nothing. */
async function played(
  way: string,
  name: string,
  options: Partial<Omit<ExamOptions, 'client'>> = {},
): Promise<CaseResult> {
  const running = new RunningProcesses()
  const given = commandClient(client(way), process.env, running)
  const result = await examine({
    ...{ client: given, only: [name], speed: 5, ...options },
    startDelayMeter: () => () => 0,
  }).finally(() => running.killAll())
  expect(result.cases.map(it => it.name)).toEqual([name])
  return result.cases[0]!
}

const isGuilty = ({ status }: CaseResult['findings'][number]) => status === 'guilty'
const rulesOf = ({ findings }: CaseResult) => findings.map(({ rule }) => rule)

describe.concurrent('what is wrong with a client has a name:', () => {
  test.each<[what: string, way: string, name: string, rule: string]>([
    ['a new ID after silence sends twice', 'new-id', 'reset-after', 'sent-too-often'],
    ['any 2xx taken for sent', 'any-success', 'html-200', 'wrong-belief'],
    ['sent, and believed for no reason', 'any-success', 'empty-created', 'guessed'],
    ['an ID that does not outlive a restart', 'forgetful', 'restart-when-sent', 'sent-too-often'],
    ['one ID for two mailings', 'one-id', 'two-mailings', 'wrong-belief'],
    ['giving up when nothing was sent', 'gives-up', 'error-500-before', 'given-up'],
    ['giving up before the service is reached', 'gives-up', 'connection-refused', 'given-up'],
    [
      'belief in a request that never came',
      'hopes-for-the-best',
      'connection-reset-at-accept',
      'wrong-belief',
    ],
    ['credentials shown to another host', 'follows-anywhere', 'redirect-307-elsewhere', 'R30'],
    ['the same after a redirect that asks for a GET', 'follows-anywhere', 'redirect-301-elsewhere', 'R30'],
    ['giving up when it was sent', 'gives-up', 'error-500-after', 'unaware'],
    ['an end before the first request', 'not-ready', 'happy-path', 'ended-at-start'],
    ['an exception before the first request', 'crashes', 'happy-path', 'crashed'],
    ['an exception after it was told CREATED', 'throws-when-sent', 'happy-path', 'crashed'],
    ['another synchronization', 'another-synchronization', 'happy-path', 'environment-ignored'],
    [
      'the same, where its scenario never fired',
      'another-synchronization',
      'reset-after',
      'environment-ignored',
    ],
    ['a date that was not sent along', 'no-date', 'clock-ahead', 'wrong-time'],
    ['the same, where nothing is to be sent', 'no-date', 'clock-ahead-date-passed', 'wrong-time'],
    ['"not sent" after INDETERMINATE_FAILURE', 'takes-doubt-for-no', 'indeterminate-sent', 'wrong-belief'],
    ['the same by luck', 'takes-doubt-for-no', 'indeterminate-not-sent', 'guessed'],
    ['a CREATED that is not believed', 'takes-200-for-nothing', 'delivered-twice', 'unaware'],
    ['no deadline for an answer', 'waits-for-ever', 'hang-before', 'never-ended'],
    ['no end after CREATED', 'stays', 'happy-path', 'never-ended'],
    ['an end by a signal', 'dies-later', 'reset-after', 'crashed'],
    ['an environment that is not read', 'ignores-environment', 'happy-path', 'environment-ignored'],
    ['a flood of requests', 'floods', 'pending-for-ever', 'flooded'],
  ])('what is wrong with a client has a name: %s', async (_, way, name, rule) => {
    const it = await played(way, name, rule === 'never-ended' ? { timeout: 15_000 } : {})
    expect(it.status).toBe('failed')
    expect(rulesOf(it)).toContain(rule)
  })

  test('no request within the time limit', async () => {
    const it = await played('silent', 'happy-path', { timeout: 700 })
    expect([it.status, ...rulesOf(it)]).toEqual(['failed', 'silent'])
  })
})

describe.concurrent('a case', () => {
  test('whose disturbance never fired proves nothing', async () => {
    const result = await runExam({ client: client('right'), only: ['keepalive-race-sent'] })
    expect(result).toMatchObject({ passed: 0, failed: 0, inconclusive: 1 })
    expect(result.cases[0]).toMatchObject({ status: 'inconclusive', struck: false })
  })

  test('in which a client only pauses when its time is over proves nothing', async () => {
    // On a slow machine a client may take seconds to start.
    let it = await played('endless', 'error-500-before', { timeout: 1_500 })
    for (const timeout of [6_000, 24_000])
      if (rulesOf(it).includes('silent')) it = await played('endless', 'error-500-before', { timeout })
    expect(rulesOf(it)).toEqual([])
    expect([it.status, it.mayProveNothing]).toEqual(['inconclusive', false])
    expect(it.reason).toMatch(
      /^the client was still pausing when it was stopped after [\d.]+ s, its last request \d/,
    )
  })

  test('a case is not failed by a client that tries long, and tells honestly that it does not know', async () => {
    const it = await played('patient', 'error-500-seven-times')
    expect(it).toMatchObject({ status: 'passed', reached: { sent: 0, belief: 'unknown' } })
    expect(it.findings.filter(isGuilty)).toMatchObject([{ rule: 'given-up', severity: 'warning' }])
  })

  test('a case names the requests that sent, each', async () => {
    const it = await played('new-id', 'gateway-502-sent')
    const found = it.findings.find(({ rule }) => rule === 'sent-too-often')!
    expect(found.evidence).toEqual(it.effects.map(({ cause }) => cause))
    expect(found.evidence.length).toBeGreaterThan(1)
  })

  test('a case tells what was found again and again once', async () => {
    const it = await played('new-id', 'error-500-seven-times')
    expect(it.findings.filter(({ rule }) => rule === 'R02')).toMatchObject([{ times: 3 }])
  })

  test('a case tells an exception from the exit code that says "not sent"', async () => {
    const it = await played('throws-when-sent', 'reset-after')
    expect(it.reached.belief).toBe('unknown')
    expect(it.findings.filter(isGuilty).map(({ sentence }) => sentence)).toEqual([
      `The client crashed (exit code 1) after ${it.attempts[1]!.id} had told it CREATED: TypeError: cannot write the log`,
    ])
  })

  test('a case takes a stack trace that was only logged for nothing else', async () => {
    const it = await played('logs-a-trace', 'date-passes-unbound')
    expect(it).toMatchObject({ status: 'passed', reached: { belief: 'not-sent' } })
  })

  test('a case ends also when something that left the group of the client holds its output, and ends that', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('ids.json')
    const [it] = (await runExam({ client: client('leaves-a-stray', file), only: ['happy-path'] })).cases
    expect(it!.status).toBe('passed')
    const [id] = JSON.parse(readFileSync(file, 'utf8'))
    await eventually(`process ${id} to be gone`, () => (isAlive(id) ? undefined : true))
  })

  test('that a client should be killed in proves nothing when it ends before', async () => {
    const it = await played('ignores-environment', 'restart-when-sent')
    expect(it).toMatchObject({ status: 'failed', reason: 'it ended before it could be killed' })
  })

  test('a case tells the client where to send, and nothing that stood in the environment of the exam', async () => {
    process.env.MAILING_SYNC_SCHEDULE_DATE = '2001-01-01T00:00:00Z'
    const it = await played('environment', 'happy-path', { speed: 2 })
    const told = JSON.parse(it.client.output)
    expect(told).toMatchObject({
      MAILING_SYNC_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      MAILING_SYNC_USER: 'demo+happy-path',
      MAILING_SYNC_PASSWORD: 'demo',
      MAILING_SYNC_CASE: 'happy-path',
      MAILING_SYNC_SPEED: '2',
      MAILING_SYNC_STATE: expect.stringContaining('mailing-sync-exam-'),
      PATH: process.env.PATH,
    })
    expect(told).not.toHaveProperty('MAILING_SYNC_SCHEDULE_DATE')
  })

  test.each([
    [{ NO_PROXY: undefined, no_proxy: undefined }, 'localhost,127.0.0.1'],
    [{ NO_PROXY: 'a.example,localhost', no_proxy: 'b.example' }, 'a.example,localhost,b.example,127.0.0.1'],
    [{ NO_PROXY: '*', no_proxy: undefined }, '*'],
  ])(
    'a client of a case reaches the mock although the environment has a proxy: %j',
    async (given, expected) => {
      const proxies = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' }
      const environment = { ...process.env, ...proxies, ...given }
      const running = new RunningProcesses()
      const { output } = await commandClient(client('environment'), environment, running).run({
        case: 'one',
        url: 'http://127.0.0.1:1',
        caFile: undefined,
        user: 'demo',
        password: 'demo',
        synchronizationId: 'x',
        state: 'here',
        scheduleDate: undefined,
        speed: 1,
        signal: new AbortController().signal,
      })
      expect(JSON.parse(output)).toMatchObject({ ...proxies, NO_PROXY: expected, no_proxy: expected })
    },
  )

  test('whose date passes is refused by the service itself', async () => {
    const it = await played('right', 'date-passes-unbound')
    expect(it.attempts.map(({ told, truth }) => [told, truth])).toEqual([
      ['500', 'not processed'],
      ['400', '400'],
    ])
    expect(it).toMatchObject({ status: 'passed', reached: { sent: 0, belief: 'not-sent' } })
  })

  test('at whose port connections break tells how many', async () => {
    const it = await played('right', 'connection-reset-at-data')
    expect(it).toMatchObject({ struck: true, brokenConnections: 2 })
    expect(it.attempts).toHaveLength(1)
  })

  test('that leads to another host convicts nobody who does not go there', async () => {
    const it = await played('right', 'redirect-307-elsewhere')
    expect(rulesOf(it)).toEqual([])
    expect(it.attempts.map(({ told }) => told)).toEqual(['307', '201 CREATED'])
  })

  test('that wants a scheduled sending gives the date', async () => {
    const it = await played('environment', 'schedule-passes-bound')
    expect(Date.parse(JSON.parse(it.client.output).MAILING_SYNC_SCHEDULE_DATE)).toBeGreaterThan(Date.now())
  })

  test('a case keeps the beginning and the end of what the client prints', async () => {
    const { client } = await played('prints', 'happy-path')
    expect(client.output).toMatch(/^(end\n)?begin/)
    expect(client.output).toMatch(/\n\[\d+ bytes left out\]\n/)
    expect(client.output).toMatch(/line 19999\n(end\n)?$/)
    expect(client.output.length).toBeLessThan(70_000)
  })

  test('kills what the client has started, when it kills the client', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('ids.json')
    // On a slow machine a short limit ends before the client has started anything.
    for (const timeout of [4_000, 30_000]) {
      if (existsSync(file)) break
      const result = await runExam({ client: client('with-child', file), only: ['happy-path'], timeout })
      expect(rulesOf(result.cases[0]!)).toContain('never-ended')
    }
    const ids: number[] = JSON.parse(readFileSync(file, 'utf8'))
    for (const id of ids) await eventually(`process ${id} to be gone`, () => (isAlive(id) ? undefined : true))
  })

  test('a case shows what was asked, what was told and what was true', async () => {
    const it = await played('right', 'reset-after')
    expect(it.attempts).toMatchObject([
      { operation: 'createSending', told: 'nothing (reset)', truth: '201 CREATED, sent', isDisturbed: true },
      { operation: 'createSending', told: '200 CREATED', truth: '200 CREATED' },
    ])
    expect(it.effects).toMatchObject([{ what: 'sent', cause: it.attempts[0]!.id }])
  })
})

/** A process that has ended but was not waited for yet is as good as gone. */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Sends once, as a client that is a function. */
const send = ({ url, user, password, synchronizationId }: ClientCall): Promise<Response> =>
  fetch(`${url}/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${user}:${password}`)}`,
      'content-type': 'application/hal+json',
    },
    body: '{"transactionId":"of-a-function"}',
  })

describe.concurrent('an exam', () => {
  test('an exam plays the same case the same way with the same seed', async () => {
    const steps = async (seed: number) =>
      (await played('right', 'mixed-trouble', { seed })).attempts.map(({ told }) => told)
    const [first, again, other] = await Promise.all([steps(7), steps(7), steps(8)])
    expect(again).toEqual(first)
    expect(other.length).toBeGreaterThan(0)
  })

  test('an exam gives a result of the form that its JSON Schema describes', async () => {
    const result = await runExam({ client: client('gives-up'), only: ['error-500-*'] })
    expect(examResult.safeParse(JSON.parse(JSON.stringify(result))).error?.issues ?? []).toEqual([])
    expect(result.cases.length).toBe(3)
  })

  test('an exam takes a function for a client, without the cases in which it would have to be killed', async () => {
    const seen: string[] = []
    const result = await examine({
      client: async call => {
        seen.push(call.case)
        const response = await send(call)
        return response.status === 201 ? 'sent' : 'unknown'
      },
      only: ['happy-path', 'restart-*', 'delivered-twice'],
      // It has no deadline of its own: a late machine changes nothing.
      startDelayMeter: () => () => 0,
    })
    expect(seen.sort()).toEqual(['delivered-twice', 'happy-path'])
    expect(result.cases.find(it => it.name === 'delivered-twice')!.findings[0]!.rule).toBe('unaware')
    expect(result.passed).toBe(1)
  })

  test('an exam names what a function throws', async () => {
    const result = await runExam({
      client: () => {
        throw new Error('no idea')
      },
      only: ['happy-path'],
    })
    expect(result.cases[0]!.findings).toMatchObject([
      { rule: 'crashed', sentence: 'The client crashed (it threw) before it sent anything: no idea' },
    ])
  })

  test('an exam says that a function gave no belief, where nothing was thrown', async () => {
    const result = await runExam({
      client: async call => {
        await send(call)
        return undefined as never
      },
      only: ['happy-path'],
    })
    expect(result.cases[0]!.findings).toMatchObject([
      {
        rule: 'no-belief',
        sentence: "The client's function gave undefined; expected one of sent, not-sent, unknown.",
        remedy: 'Return "sent", "not-sent" or "unknown" from the function of the client.',
      },
    ])
  })

  test.each<[what: string, given: unknown]>([
    ['one text', 'node client.mjs'],
    ['an empty list', []],
    ['a list of other things', [1]],
    ['nothing', undefined],
  ])('an exam refuses %s for a client, and says what it takes', async (_, given) => {
    const client = given as ExamOptions['client']
    await expect(runExam({ client, only: ['happy-path'] })).rejects.toThrow(
      "client: expected a function, the URL of a module, or a program and its arguments, such as ['node', 'my-client.mjs']",
    )
  })

  test('that proved nothing is not passed', async () => {
    const result = await runExam({ client: client('right'), only: ['keepalive-race-sent'] })
    expect(result).toMatchObject({ failed: 0, inconclusive: 1, isPassed: false })
  })

  test('an exam is passed beside a case that not every client meets', async () => {
    const result = await runExam({ client: client('right'), only: ['keepalive-race-sent', 'happy-path'] })
    expect(result).toMatchObject({ passed: 1, inconclusive: 1, isPassed: true })
  })

  test('an exam is not passed beside a case that could have proved something', async () => {
    const result = await runExam({
      client: async call => {
        const { status } = await send(call)
        return status === 201 ? 'sent' : new Promise(() => {})
      },
      only: ['happy-path', 'error-500-before'],
      timeout: 1_500,
    })
    expect(result).toMatchObject({ passed: 1, failed: 0, inconclusive: 1, isPassed: false })
  })

  test('an exam ends when its signal aborts, and says that it is not whole', async () => {
    const over = new AbortController()
    const result = await runExam({
      client: client('silent'),
      only: ['happy-path', 'reset-after'],
      jobs: 1,
      signal: over.signal,
      onProgress: () => setTimeout(() => over.abort(), 300),
    })
    expect(result).toMatchObject({ isWhole: false, passed: 0 })
    expect(result.cases.length).toBe(1)
  })

  test.each([
    ['a name that no case has', { only: ['no-such'] }, 'no case has the name "no-such"'],
    ['a tag that no case has', { tags: ['no-such'] }, 'no case has the tag "no-such"; there are '],
    ['a choice that fits nothing', { only: ['happy-path'], tags: ['pending'] }, 'no case fits'],
  ])('an exam refuses %s', async (_, choice, sentence) => {
    await expect(runExam({ client: client('right'), ...choice })).rejects.toThrow(sentence)
  })

  test('an exam refuses to play to a function only what needs a command', async () => {
    await expect(runExam({ client: async () => 'sent', only: ['restart-*'] })).rejects.toThrow(
      'the client has to be killed',
    )
  })

  test('an exam refuses a command that is not there', async () => {
    await expect(runExam({ client: ['no-such-command'], only: ['happy-path'] })).rejects.toThrow(
      'there is no command "no-such-command"',
    )
  })
})
