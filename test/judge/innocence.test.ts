import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, test } from 'vitest'
import type { Attempt } from '../../src/judge/attempt.ts'
import type { Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import { asText } from '../../src/judge/verdict-text.ts'
import type { Fixture, SendingState } from '../../src/store/rows.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, onSocket, over, sendingsPath, sent, trial, unknown } from './stage.ts'

const second = 1_000
const before = { phase: 'before' }
const created = { state: 'CREATED' }
const pending = { state: 'PENDING' }
const failed = { state: 'FAILED' }
const reset = { phase: 'after', answer: { fault: 'reset' } }

/** Attempts at these times of the space's clock. */
async function at(client: Awaited<ReturnType<typeof trial>>, pauses: readonly number[], body: object) {
  await client.post(body)
  for (const pause of pauses) {
    client.wait(pause)
    await client.post(body)
  }
}

test.each(['never-starts', 'stopped'])(
  'a client that was told CREATED is not to blame for a mailing that the platform did not send: %s',
  async truth => {
    const client = await trial([onCreate([{ ...created, truth }])])
    await client.post({ transactionId: 'one', scheduleDate: '2026-11-01T12:00:00.000Z' })
    client.wait(24 * 60 * 60 * second)
    const { findings, harm } = await client.verdict(sent)
    expect([findings, harm.findings, harm.sent]).toEqual([[], [], 0])
  },
)

describe('pauses', () => {
  test.each([
    ['of full jitter with a long first one', [0.99, 0.4, 3.1, 0.8, 15, 2.2]],
    ['of decorrelated jitter', [2.9, 4.1, 1.2, 3, 2.1, 1.1]],
    ['of exponential backoff with a limit of five seconds', [1, 2, 4, 5, 5, 5, 5, 5, 5, 5]],
    ['that begin anew when PENDING is told', [1, 2, 4, 8, 1, 2, 4, 8]],
    ['three equal ones', [5, 5, 5]],
  ])('%s are no lack of backoff', async (_, pauses) => {
    const client = await trial([onCreate([{ ...before, times: 4 }, pending])])
    await at(
      client,
      pauses.map(pause => pause * second),
      { transactionId: 'one' },
    )
    expect(await client.accused()).not.toContainEqual(expect.stringMatching(/R1[56]/))
  })

  it('that Retry-After asked for say nothing of the client’s own', async () => {
    const asked = { phase: 'before', answer: { status: 503, retryAfter: 5 } }
    const client = await trial([onCreate([{ ...asked, times: 8 }, created])])
    await at(client, Array(8).fill(5 * second), { transactionId: 'one' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('of fourteen minutes after FAILED leave time to create the sending anew', async () => {
    const client = await trial([onCreate([{ ...failed, times: 1 }, created], { per: 'space' })])
    await client.post({ transactionId: 'one' })
    client.wait(14 * 60 * second)
    await client.post({ transactionId: 'two' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('of more than five minutes of PENDING are enough, also where a tester moved the clock back', async () => {
    const client = await trial([onCreate([pending])])
    await at(
      client,
      [10, 20, 40, 80].map(it => it * second),
      { transactionId: 'one' },
    )
    await client.mock.rig().moveClock(now => now - 60 * 60 * second)
    await at(client, [160 * second], { transactionId: 'one' })
    expect(await client.accused(unknown)).toEqual([])
  })

  it('in which a tester moved the clock are nobody’s', async () => {
    const client = await trial([onCreate([{ ...before, times: 8 }, created])])
    const { mock } = client
    await client.post({ transactionId: 'one' })
    for (let n = 0; n < 8; n++) {
      await mock.rig().moveClock(now => now + 5 * second)
      await client.post({ transactionId: 'one' })
    }
    expect(await client.accused(sent)).toEqual([])
  })
})

describe('time', () => {
  it('that a tester let pass makes an overrun window open, not broken', async () => {
    const client = await trial([onCreate([pending])])
    await client.post({ transactionId: 'one' })
    await client.mock.rig().moveClock(now => now + 600 * second)
    await client.post({ transactionId: 'one' })
    expect(await client.accused(unknown)).toEqual(['R09 open'])
    const [finding] = (await client.verdict(unknown)).findings
    expect(finding?.sentence).toMatch(
      / It is open, because only the time by which the clock was moved by hand/,
    )
  })

  it('on a clock that runs sixty times as fast may be overrun by what a request takes on its way', async () => {
    const client = await trial([onCreate([pending])])
    client.mock.rig().clock.setRate(60)
    await at(
      client,
      [1, 1, 2, 1].map(real => real * second),
      { transactionId: 'one' },
    )
    // Five minutes and a minute and a half, or one and a half seconds of real time.
    client.wait(1_500)
    await client.post({ transactionId: 'one' })
    expect(await client.accused(unknown)).toEqual([])
  })

  it('that a tester turned back lets no two requests overlap', async () => {
    const client = await trial([onCreate([before, created])])
    await client.post({ transactionId: 'one' })
    await client.mock.rig().moveClock(now => now - 600 * second)
    await client.post({ transactionId: 'one' })
    expect(await client.accused(sent)).toEqual([])
  })
})

describe('unrelated sendings', () => {
  it('unrelated sendings need not wait for one another: a Retry-After is about its own', async () => {
    const later = { phase: 'before', answer: { status: 503, retryAfter: 60 } }
    const client = await trial([onCreate([later, created], { when: { transactionId: 'one' } })])
    await client.post({ transactionId: 'one' })
    for (const transactionId of ['two', 'three']) {
      client.wait(second)
      await client.post({ transactionId })
    }
    const { findings } = await client.verdict({ believes: 'sent', expected: 2 })
    expect(findings.filter(({ rule }) => rule === 'R18').map(({ status }) => status)).toEqual(['open'])
  })

  it('in parallel, with IDs of their own and the same payload, are nobody’s fault', async () => {
    const client = await trial([onCreate([{ delay: '2s' }])])
    client.mock.rig().clock.freeze()
    const all = Array.from({ length: 5 }, (_, n) => client.post({ transactionId: `mailing-${n}` }))
    while (client.mock.rig().clock.due.length < 5) await new Promise(setImmediate)
    await client.mock.rig().moveClock(now => now + 2 * second)
    await Promise.all(all)
    const { outcome, sendings } = await client.verdict()
    expect([outcome, sendings.length]).toEqual(['innocent', 5])
  })

  it('one after another, each known to be sent, are nobody’s fault, also without transactionIds', async () => {
    const client = await trial()
    for (let n = 0; n < 4; n++) {
      await client.post({})
      client.wait(second)
    }
    const { outcome, harm, sendings } = await client.verdict()
    expect([outcome, harm.findings, sendings.length]).toEqual(['innocent', [], 4])
  })

  it('of several synchronizations have nothing to do with one another', async () => {
    const client = await trial([onCreate([before])])
    await client.post({ transactionId: 'one' })
    client.wait(second)
    await client.post({ transactionId: 'two' }, synchronizationPath(ids.both, '/sendings'))
    expect(await client.accused()).toEqual(['R11 open', 'R11 open'])
  })
})

describe('what the rig did itself', () => {
  it('a second delivery is not held against the client, and its harm is told', async () => {
    const client = await trial([onCreate([{ deliver: 'twice' }])])
    await client.post({})
    const { outcome, findings, harm, sendings } = await client.verdict(sent)
    expect({ outcome, findings }).toEqual({ outcome: 'open', findings: [] })
    expect(harm.findings.map(({ kind }) => kind)).toEqual(['DOUBLE'])
    expect(sendings[0]!.attempts.map(({ by }) => by)).toEqual(['client', 'rig'])
  })
})

describe('what the client may have known', () => {
  it('what the client may have known counts for it: FAILED that came after a second may have been received', async () => {
    const client = await trial([
      onCreate([{ state: 'FAILED', delay: '2s' }], { when: { transactionId: 'one' } }),
    ])
    const first = client.post({ transactionId: 'one' })
    while (client.mock.rig().clock.due.length === 0) await new Promise(setImmediate)
    client.wait(2 * second)
    await first
    client.wait(second)
    await client.post({ transactionId: 'two' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('what the client may have known does not count against it: nor may it have been', async () => {
    const client = await trial([onCreate([{ state: 'FAILED', delay: '2s' }])])
    const first = client.post({ transactionId: 'one' })
    while (client.mock.rig().clock.due.length === 0) await new Promise(setImmediate)
    client.wait(2 * second)
    await first
    client.wait(second)
    void client.post({ transactionId: 'one' })
    while (client.mock.rig().clock.due.length === 0) await new Promise(setImmediate)
    client.wait(2 * second)
    expect(await client.accused(unknown)).toEqual([])
  })

  it('what the client may have known includes what it read: a new ID after it found FAILED with a GET', async () => {
    const client = await trial([
      onCreate([{ state: 'FAILED', answer: { fault: 'reset' } }], { when: { transactionId: 'one' } }),
    ])
    await client.post({ transactionId: 'one' })
    await client.get(`${sendingsPath}?includeAllStates=true`)
    client.wait(second)
    await client.post({ transactionId: 'two' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('what the client may have known includes that there is none: a new ID after it found nothing among all states', async () => {
    const client = await trial([
      onCreate([{ phase: 'before', answer: { fault: 'reset' } }], { when: { transactionId: 'one' } }),
    ])
    await client.post({ transactionId: 'one' })
    await client.get(`${sendingsPath}?includeAllStates=true`)
    client.wait(second)
    await client.post({ transactionId: 'two' })
    expect(await client.accused(sent)).toEqual([])
  })
})

describe('payloads', () => {
  test.each([
    ['another order of members', { subject: 's', name: 'n' }, { name: 'n', subject: 's' }],
    ['null instead of absent', { subject: 's' }, { subject: 's', name: null, scheduleDate: null }],
    [
      'another spelling of the same time',
      { scheduleDate: '2026-12-01T10:00:00+00:00' },
      { scheduleDate: '2026-12-01T11:00:00.000+01:00' },
    ],
  ])('%s is the same', async (_, one, other) => {
    const client = await trial([onCreate([reset, created])])
    await client.post({ ...one, transactionId: 'one' })
    client.wait(second)
    await client.post({ ...other, transactionId: 'one' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('payloads may be corrected after a refusal, under the same transactionId', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one', scheduleDate: '2020-01-01T00:00:00Z' })
    await client.post({ transactionId: 'one', scheduleDate: '2030-01-01T00:00:00Z' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('payloads may differ from those of attempts that were never processed', async () => {
    const client = await trial([onCreate([before, created])])
    await client.post({ transactionId: 'one', subject: 'x' })
    client.wait(second)
    await client.post({ transactionId: 'one', subject: 'y' })
    expect(await client.accused(sent)).toEqual([])
  })
})

describe('workers', () => {
  it('one that takes over knows nothing of what another was told', async () => {
    const client = await trial([onCreate([failed])])
    await at(client, [second], { transactionId: 'one' })
    expect(await client.accused({ believes: 'unknown', workers: 2 })).toEqual(['R06 open'])
    expect(await client.accused()).toEqual(['R06 open'])
  })

  it('two that repeat in step, each with growing pauses, make no hot loop', async () => {
    const client = await trial([onCreate([{ ...before, times: 8 }, created])])
    await at(client, [10, 1_000, 10, 2_000, 10, 4_000, 10, 8_000], { transactionId: 'one' })
    expect(await client.accused({ believes: 'sent', workers: 2 })).toEqual([])
  })

  describe('that are each given the same work', () => {
    /** One request of each, soon after one another or again and again, while it is PENDING. */
    async function redelivered(count: number, pause: number, isEachOnItsOwn = true): Promise<Evidence> {
      const client = await trial([onCreate([pending])])
      for (let n = 0; n < count; n++) await client.post({ transactionId: 'one' })
      const connections = Array.from({ length: count }, (_, n) => (isEachOnItsOwn ? n + 1 : 1))
      return over(await client.evidence(), { took: 3, connections, pause })
    }
    const ofRule = (evidence: Evidence, rule: string, end?: ClientEnd) =>
      accusedIn(judge(evidence, end)).filter(it => it.startsWith(rule))
    const workers = (count: number): ClientEnd => ({ believes: 'unknown', workers: count })

    it('eight at once are only perhaps one that does not pause', async () => {
      const evidence = await redelivered(8, 32)
      expect(ofRule(evidence, 'R15')).toEqual(['R15 open'])
      expect(ofRule(evidence, 'R15', workers(2))).toEqual(['R15 open'])
      expect(ofRule(evidence, 'R15', workers(8))).toEqual(['R15 open'])
      expect(ofRule(evidence, 'R15', workers(1))).toEqual(['R15 guilty'])
      expect(ofRule(await redelivered(8, 32, false), 'R15')).toEqual(['R15 guilty'])
    })

    it('so many that one of two must have been without a pause are guilty', async () => {
      const evidence = await redelivered(14, 10)
      expect(ofRule(evidence, 'R15', workers(2))).toEqual(['R15 guilty'])
      expect(ofRule(evidence, 'R15', workers(3))).toEqual(['R15 open'])
    })

    it('one every five seconds are only perhaps one without backoff', async () => {
      const evidence = await redelivered(8, 5 * second)
      expect(ofRule(evidence, 'R16')).toEqual(['R16 open'])
      expect(ofRule(evidence, 'R16', workers(2))).toEqual(['R16 open'])
      expect(ofRule(evidence, 'R16', workers(1))).toEqual(['R16 guilty'])
      expect(ofRule(await redelivered(8, 5 * second, false), 'R16')).toEqual(['R16 guilty'])
    })

    it('a connection that is made anew after a while says nothing of pauses that have grown to their limit', async () => {
      const client = await trial([onCreate([{ ...before, times: 12 }, created])])
      for (let n = 0; n < 12; n++) await client.post({ transactionId: 'one' })
      const pause = [1, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5].map(seconds => seconds * second)
      const connections = [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]
      const evidence = over(await client.evidence(), { took: 3, connections, pause })
      expect(ofRule(evidence, 'R16')).toEqual([])
    })

    it('an ID that comes when pauses have grown to their limit begins there, but not with longer ones', async () => {
      const paused = async (longest: number) => {
        const client = await trial([onCreate([{ state: 'PENDING', times: 5 }, { state: 'FAILED' }])])
        const send = async (transactionId: string, pauses: number[]) => {
          for (const seconds of pauses) {
            await client.post({ transactionId })
            client.wait(seconds * second)
          }
        }
        await send('one', [1, 2, 4, 8, 16, 16])
        await send(
          'two',
          Array.from({ length: 8 }, () => longest),
        )
        return ofRule(await client.evidence(), 'R16', workers(1))
      }
      expect(await paused(30)).toEqual([])
      expect(await paused(60)).toEqual(['R16 guilty'])
    })
  })

  it('two that overlap are only perhaps one that does not wait', async () => {
    const client = await trial([onCreate([{ delay: '3s' }, created])])
    const first = client.post({ transactionId: 'one' })
    while (client.mock.rig().clock.due.length === 0) await new Promise(setImmediate)
    client.wait(second)
    await client.post({ transactionId: 'one' })
    client.wait(2 * second)
    await first
    expect(await client.accused({ believes: 'sent', workers: 2 })).toEqual(['R17 open'])
    expect(await client.accused({ believes: 'sent' })).toEqual(['R17 guilty'])
  })
})

describe('on a real connection', () => {
  it.each([
    ['are the doing of the client’s machinery, and a harm', 0, 'open', 'transport'],
    // Clients of tests that move the clock in place of sleeping.
    ['are the client’s own repeat where the clock was moved in between', second, 'guilty', 'client'],
  ])('the same bytes at once after we broke it %s', async (_, moved, found, author) => {
    const client = await trial([onCreate([reset, created])])
    const { port } = await onSocket(client.mock)
    const body = '{}'
    const head = [
      `POST ${sendingsPath} HTTP/1.1`,
      'Host: localhost',
      'User-Agent: Java/17.0.15',
      `Authorization: ${basic('demo')}`,
      `Content-Type: ${halType}`,
      `Content-Length: ${body.length}`,
    ].join('\r\n')
    // As java.net.HttpURLConnection does, without telling anybody.
    for (let n = 0; n < 2; n++)
      await new Promise<void>(resolve => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n${body}`))
        socket.on('data', () => socket.destroy())
        socket.on('error', () => {})
        socket.on('close', () => resolve())
      })
    const evidence = await client.evidence()
    const [first, again] = evidence.attempts as [Attempt, Attempt]
    // A busy machine takes longer from one connection to the next than what counts as at once.
    const arrived = { clock: first.ended!.clock + moved, real: first.ended!.real + 5 }
    const verdict = judge({ ...evidence, attempts: [first, { ...again, arrived }] }, sent)
    const { outcome, sendings, harm } = verdict
    expect(outcome).toBe(found)
    expect(sendings[0]!.attempts.map(({ by }) => by)).toEqual(['client', author])
    expect(asText(verdict).includes('| perhaps resent by transport')).toBe(author === 'transport')
    expect(harm.findings.map(({ kind }) => kind)).toEqual(['DOUBLE'])
  })

  it('one that breaks as it is used again is silence, and the same ID after it is right', async () => {
    const client = await trial([onCreate([{ phase: 'after', answer: { fault: 'reset' } }, created])])
    const { post } = await onSocket(client.mock)
    await post({ transactionId: 'one' })
    client.wait(second)
    await post({ transactionId: 'one' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('a client that gives up and repeats later does not overlap', async () => {
    const client = await trial([onCreate([{ answer: { fault: 'hang' } }, created])])
    const { post } = await onSocket(client.mock)
    const leaving = new AbortController()
    const first = post({ transactionId: 'one' }, { signal: leaving.signal })
    const entry = () => client.mock.rig().journal.entries()[0]
    while (entry()?.response === undefined) await new Promise(setImmediate)
    leaving.abort()
    await first
    while (entry()?.ended === undefined) await new Promise(setImmediate)
    client.wait(second)
    await post({ transactionId: 'one' })
    expect(await client.accused(sent)).toEqual([])
  })

  it('an answer is proved to be received by the next request on the same connection', async () => {
    const client = await trial([onCreate([failed])])
    const { port } = await onSocket(client.mock)
    const { Agent } = await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const once = () =>
      new Promise<void>(resolve => {
        const request = httpRequest(
          {
            agent,
            port,
            host: '127.0.0.1',
            path: sendingsPath,
            method: 'POST',
            headers: { authorization: basic('demo'), 'content-type': halType },
          },
          response => response.resume().on('end', resolve),
        )
        request.end('{"transactionId":"one"}')
      })
    await once()
    client.wait(second)
    await once()
    agent.destroy()
    const { sendings, findings } = await client.verdict()
    expect(sendings[0]!.attempts.map(({ receipt }) => receipt)).toEqual(['proved', 'handed'])
    // So it is the same worker, and no exam is needed to know it.
    expect(findings.map(({ rule, status }) => [rule, status])).toEqual([['R06', 'guilty']])
  })
})

describe('a proxy that delivers one request twice at once', () => {
  /** Two requests that overlap. @param apart milliseconds from one to the other */
  async function twoAt(apart: number, bodies: readonly [object, object]): Promise<Evidence> {
    const client = await trial()
    for (const body of bodies) await client.post(body)
    return over(await client.evidence(), { took: 300, connections: [1, 2], pause: apart - 300 })
  }
  const one = { transactionId: 'one' }

  it.each<[string, number, readonly [object, object], string[]]>([
    ['makes an overlap open', 3, [one, one], ['R17 open']],
    ['makes it open without a transactionId, too', 3, [{}, {}], ['R17 open']],
    ['does not do so a while later', 200, [one, one], ['R17 guilty']],
    ['does not change its bytes', 3, [one, { ...one, name: null }], ['R17 guilty']],
  ])('a proxy that delivers one request twice at once: %s', async (_, apart, bodies, found) => {
    expect(accusedIn(judge(await twoAt(apart, bodies), sent))).toEqual(found)
  })
})

describe('a record that is not whole', () => {
  it('a record that is not whole makes nobody innocent', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one' })
    const verdict = judge({ ...(await client.evidence()), dropped: 3 }, sent)
    expect([verdict.outcome, verdict.complete, verdict.missing]).toEqual(['open', false, 3])
  })

  it('a record that is not whole does not tell how many mailings were meant', async () => {
    const client = await trial()
    for (const transactionId of ['a', 'b', 'c']) await client.post({ transactionId })
    const evidence = { ...(await client.evidence()), dropped: 3 }
    for (const believes of ['sent', 'not-sent', 'unknown'] as const) {
      const verdict = judge(evidence, { believes })
      expect([verdict.harm.expected, verdict.harm.findings, verdict.failure]).toEqual([null, [], null])
      const text = asText(verdict)
      expect(text).toContain(
        '\n3 requests were dropped to make room: start with --journal 5000. What they would show is open. Say how many mailings were meant.\n',
      )
      expect(text).toContain(`\nHarm (3 sent, the client reports: ${believes}): none that is on record\n`)
      expect(text).toContain('expected=1')
    }
    const told = judge(evidence, { believes: 'sent', expected: 2 })
    expect(told.harm.findings).toMatchObject([{ kind: 'DOUBLE', status: 'certain' }])
    expect(told.loss).not.toContain('Say how many')
  })

  it('a record that is not whole hides no suspicion when the end of the client is told without a number', async () => {
    const client = await trial([onCreate([{ ...reset, times: 1 }, created])])
    for (const transactionId of ['a', 'b']) await client.post({ transactionId })
    const evidence = { ...(await client.evidence()), dropped: 3 }
    const { suspicion, failure, harm } = judge(evidence, { believes: 'sent' })
    expect(suspicion).toContain(judge(evidence).suspicion)
    expect([typeof failure, harm.expected]).toEqual(['string', null])
  })

  it('a record that is not whole does not count the transactionIds for the mailings that were meant', async () => {
    const client = await trial()
    for (const transactionId of ['a', 'b', 'b']) await client.post({ transactionId })
    const [, ...attempts] = (await client.evidence()).attempts
    const verdict = judge({ ...(await client.evidence()), attempts, dropped: 1 }, { ...sent, expected: 2 })
    expect(accusedIn(verdict)).toEqual([])
  })

  it('a record that was cleared says so, and what was dropped besides', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one' })
    const whole = await client.evidence()
    const lossOf = (dropped: number, forgotten: number) => judge({ ...whole, dropped, forgotten }).loss
    expect(lossOf(0, 0)).toBeUndefined()
    expect(lossOf(0, 1)).toMatch(/^1 request was removed from the record on purpose: reset the space/)
    expect(lossOf(6_000, 2)).toMatch(
      /^6000 requests were dropped to make room: start with --journal 10000\. 2 requests were removed/,
    )
  })

  it('a record that is not whole may lack the error after which PENDING was asked for again', async () => {
    const client = await trial([onCreate([pending, { ...before, times: 1 }, pending])])
    await at(client, [290 * second, 20 * second], { transactionId: 'one' })
    const whole = await client.evidence()
    expect(accusedIn(judge(whole, unknown))).toEqual([])
    const [first, , third] = whole.attempts
    const verdict = judge({ ...whole, attempts: [first!, third!], dropped: 1 }, unknown)
    expect(accusedIn(verdict)).toEqual(['R09 open'])
  })

  it('a record that is not whole may lack what lay between two requests that look like a loop', async () => {
    const client = await trial([onCreate([{ ...before, times: 1 }, created])])
    for (const transactionId of ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']) await client.post({ transactionId })
    const whole = await client.evidence()
    const ofLoop = (evidence: Evidence) => accusedIn(judge(evidence, sent)).filter(it => it.startsWith('R15'))
    expect(ofLoop(whole)).toEqual([])
    // Of each transaction the error is left.
    const attempts = whole.attempts.filter((_, nth) => nth % 2 === 0)
    expect(ofLoop({ ...whole, attempts, dropped: 4 })).toEqual([])
  })

  it('still convicts where what is missing could not excuse it', async () => {
    const client = await trial([onCreate([failed])])
    await at(client, [second], { transactionId: 'one' })
    const verdict = judge({ ...(await client.evidence()), dropped: 3 }, unknown)
    expect(accusedIn(verdict)).toEqual(['R06 guilty'])
  })
})

describe('a read that shows the state of a sending without its transaction', () => {
  it('lets its client make the sending anew after FAILED, as a read with it does', async () => {
    const client = await trial([onCreate([pending], { when: { transactionId: 'one' } })])
    const { id: sendingId } = await client.post({ transactionId: 'one' })
    client.wait(2 * 60 * second)
    const { id } = await client.get(`${sendingsPath}/${sendingId}`)
    expect(id).toBe(sendingId)
    await client.post({ transactionId: 'two' })
    const evidence = await client.evidence()
    const showing = (state: SendingState): Evidence => ({
      ...evidence,
      attempts: evidence.attempts.map(it =>
        it.isReadOfState
          ? {
              ...it,
              response: { ...it.response!, sightings: [{ sendingId, transactionId: undefined, state }] },
            }
          : it,
      ),
    })
    expect(accusedIn(judge(showing('FAILED'), sent))).toEqual([])
    expect(accusedIn(judge(showing('PENDING'), sent))).not.toEqual([])
  })
})

it.each<[string, object, object]>([
  ['Content-Type', { 'content-type': 'text/plain' }, { 'content-type': halType }],
  ['Accept', { 'content-type': halType, accept: 'text/html' }, { 'content-type': halType, accept: halType }],
])('a refused request that comes again with another %s is not the same one', async (_, wrong, right) => {
  const client = await trial()
  const post = (headers: object) =>
    client.mock
      .as('demo')
      .send('POST', sendingsPath, { headers: { ...headers }, body: '{"transactionId":"one"}' })
  expect((await post(wrong)).status).toBeOneOf([406, 415])
  client.wait(second)
  expect((await post(right)).status).toBe(201)
  expect(await client.accused(sent)).toEqual([])
})

it.each([
  ['one that reads it for five minutes', [2, 4, 8, 16, 32, 64, 128], 'PENDING', unknown],
  ['one that finds it sent', [2, 4], 'CREATED', sent],
])('a sending that is PENDING is not abandoned by %s', async (_, pauses, state, end) => {
  const client = await trial([onCreate([{ ...pending, for: '5s' }, { state }])])
  const { id } = await client.post({ transactionId: 'one' })
  for (const pause of pauses) {
    client.wait(pause * second)
    await client.get(`${sendingsPath}/${id}`)
  }
  expect(await client.accused(end)).toEqual([])
})

it.each([
  ['boolean-letters', 'any-case', 'includeAllStates=True'],
  ['bare-flags', 'true', 'includeAllStates'],
])('all sendings are asked for in the spelling of the dial %s, too', async (dial, value, query) => {
  const lost = onCreate([{ ...before, answer: { fault: 'reset' } }], { when: { transactionId: 'one' } })
  const client = await trial([lost], { dials: { [dial]: value } })
  await client.post({ transactionId: 'one' })
  expect(await client.get(`${sendingsPath}?${query}`)).toHaveProperty('_embedded')
  client.wait(second)
  await client.post({ transactionId: 'two' })
  expect(await client.accused(sent)).toEqual([])
})

it('a client that found its sending in a collection too long to be on record whole may believe it', async () => {
  const sendingsOf = (base: Fixture) => {
    const known = base.sendings.find(it => it.synchronizationId === ids.both)!
    const ofNumber = (nth: number) => ({ ...known, id: `99999999-0000-4000-8000-0000000000${nth + 10}` })
    return [...base.sendings, ...Array.from({ length: 40 }, (_, nth) => ofNumber(nth))]
  }
  const options = { fixture: (base: Fixture) => ({ ...base, sendings: sendingsOf(base) }) }
  const client = await trial([onCreate([reset])], options)
  const path = synchronizationPath(ids.both, '/sendings')
  await client.post({ transactionId: 'one' }, path)
  const { _embedded } = await client.get(path)
  expect(_embedded['svc:sendings'].at(-1).transactionId).toBe('one')
  expect(await client.accused(sent)).toEqual([])
})

it('a refused request that comes again after an approval, and is accepted then, is not repeated in vain', async () => {
  const client = await trial()
  const path = synchronizationPath(ids.draftOnly, '/sendings')
  const { mailingId } = await client.get(synchronizationPath(ids.draftOnly))
  await client.post({ transactionId: 'one' }, path)
  const approve = `/_mock/spaces/demo/mailings/${mailingId}/approve`
  await client.mock.as('demo').post(approve, {}, { 'content-type': 'application/json' })
  client.wait(second)
  expect(await client.post({ transactionId: 'one' }, path)).toMatchObject({ state: 'CREATED' })
  expect(await client.accused(sent)).toEqual([])
})

it.each([{ state: 'FAILED' }, { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }])(
  'a client that looks for CREATED before it repeats may overlook $state there once',
  async step => {
    const client = await trial([onCreate([{ ...step, answer: { fault: 'reset' } }, step])])
    await client.post({ transactionId: 'one' })
    await client.get(`${sendingsPath}?includeAllStates=true`)
    client.wait(second)
    await client.post({ transactionId: 'one' })
    expect(await client.accused()).toEqual([])
  },
)
