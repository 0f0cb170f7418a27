import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCapsule } from '../../src/control/capsule/capsule-file.ts'
import { runExam } from '../../src/index.ts'
import type { ClientCall } from '../../src/judge/exam/client.ts'
import { RunningProcesses } from '../../src/judge/exam/client-processes.ts'
import { warmClient } from '../../src/judge/exam/warm-client.ts'
import { describeDifference } from '../../src/lib/capsule/difference.ts'
import { judgeCapsule } from '../../src/lib/capsule/judge-capsule.ts'
import { openCapsule } from '../../src/lib/capsule/open-capsule.ts'
import { replayCapsule } from '../../src/lib/capsule/replay.ts'
import { examine } from '../../src/lib/run-exam.ts'
import { halType, startMock, synchronizationPath } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'

/** Tries three times, each with another transaction ID, and reports what it was told last. */
const carelessClient =
  (pause: number) =>
  async ({ url, user, password, synchronizationId, scheduleDate }: ClientCall) => {
    for (let nth = 0; nth < 3; nth++) {
      const response = await fetch(url + synchronizationPath(synchronizationId, '/sendings'), {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${user}:${password}`)}`, 'content-type': halType },
        body: JSON.stringify({ transactionId: `${nth}-${Math.random()}`, scheduleDate }),
        signal: AbortSignal.timeout(pause * 6),
      }).catch(() => undefined)
      if (response?.ok) return 'sent' as const
      await new Promise(resolve => setTimeout(resolve, pause))
    }
    return 'not-sent' as const
  }

/** The capsules of a folder, each played again without a difference, and whether it was recorded from the beginning. */
async function playAll(folder: string) {
  for (const file of readdirSync(folder)) {
    const capsule = readCapsule(readFileSync(join(folder, file)), file)
    await using played = await replayCapsule(capsule)
    const difference = played.difference && describeDifference(played.difference, capsule)
    expect([file, capsule.history.lost, difference]).toEqual([file, null, undefined])
    const { rig } = played
    expect(rig.journal.count).toBe(capsule.requests.length)
  }
  return readdirSync(folder).sort()
}

describe('the capsules of an exam', () => {
  it('are of each case that failed and of the smallest plan of each mistake, and come out the same', async () => {
    using directory = temporaryDirectory()
    const folder = directory.at('found')
    const result = await runExam({
      client: carelessClient(5_000),
      only: [
        'happy-path',
        'reset-after',
        'restart-when-sent',
        'clock-ahead',
        'date-passes-bound',
        'unavailable-retry-after-date',
        'redirect-307-elsewhere',
        'slow-but-fine-61s',
        'late-first-attempt',
      ],
      plans: ['500-nothing', 'two-mailings:500-sent'],
      depth: 0,
      capsules: folder,
    })
    const files = await playAll(folder)
    const failed = result.cases.filter(({ status }) => status === 'failed').map(({ name }) => name)
    const plans = result.causes.flatMap(({ plan }) => plan?.name ?? [])
    expect(failed).toHaveLength(8)
    expect(new Set(plans)).toEqual(new Set(['500-nothing', 'two-mailings:500-sent']))
    expect(files).toEqual(
      [...failed, 'plan-500-nothing', 'plan-two-mailings---500-sent'].sort().map(it => `${it}.capsule.json`),
    )
    const [{ capsule } = {}] = result.causes.map(it => it.case)
    expect(result.report).toContain(`Look at it: npm start -- open ${capsule}`)
    const content = readCapsule(readFileSync(capsule!), 'it')
    const { reached } = result.causes[0]!.case
    // What the exam knew of the client counts, without being said again.
    const { verdict, text } = await judgeCapsule(content)
    expect(verdict.findings.map(({ rule }) => rule)).toContain(result.causes[0]!.rule)
    expect(verdict.harm).toMatchObject({ believes: reached.belief, expected: 1 })
    expect([verdict.failure !== null, text]).toEqual([true, content.verdictText])
    const other = await judgeCapsule(content, { believes: 'unknown' })
    expect(other.verdict.harm).toMatchObject({ believes: 'unknown', expected: 1 })
    await using opened = await openCapsule(content, 'it')
    const first = await opened.fetch(new Request('http://localhost/'))
    expect(first.headers.get('location')).toMatch(
      new RegExp(`/verdict\\?believes=${reached.belief}&expected=1&workers=1$`),
    )
  })

  it('are not there when nothing failed, and of a client over sockets as well', async () => {
    using directory = temporaryDirectory()
    const folder = directory.at('found')
    const only = ['happy-path', 'reset-after'] as const
    const result = await runExam({ client: carelessClient(500), only, capsules: folder })
    expect(await playAll(folder)).toEqual(['reset-after.capsule.json'])
    expect(result.cases.map(it => it.capsule)).toEqual([undefined, join(folder, 'reset-after.capsule.json')])
  })

  it.each([1, undefined])('are of a client that asks for its waits (speed %s)', async speed => {
    using directory = temporaryDirectory()
    const folder = directory.at('found')
    const conduct = `await ask(0)
      for (const id of ['one', 'two', 'three']) {
        if ([200, 201].includes(await send(id, 20_000))) break
        await ask(5_000)
      }
      believe('sent')`
    const program = join(import.meta.dirname, '../judge/exam/warm-client.mjs')
    await examine({
      client: warmClient([process.execPath, program, conduct], process.env, running),
      only: ['unavailable-retry-after-date'],
      plans: ['503-nothing'],
      capsules: folder,
      speed,
    })
    expect((await playAll(folder)).length).toBeGreaterThan(1)
  })

  it('can be had of a case over HTTP while its space exists, and its page leads there', async () => {
    const mock = await startMock()
    const call = async (method: string, path: string, body?: object) =>
      mock.fetch(
        new Request(`http://localhost/_mock${path}`, {
          method,
          headers: { 'content-type': 'application/json', accept: body ? 'application/json' : 'text/html' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    const begun = await call('POST', '/exams', { only: ['reset-after'] })
    const { cases } = (await begun.json()) as { cases: { synchronizationId: string }[] }
    const user = mock.as('demo+exam-1.reset-after')
    for (const transactionId of ['one', 'two'])
      await user
        .post(synchronizationPath(cases[0]!.synchronizationId, '/sendings'), { transactionId })
        .catch(() => {})
    const ended = await call('POST', '/exams/exam-1/cases/reset-after', { believes: 'sent' })
    const { _links } = (await ended.json()) as { _links: { capsule: { href: string } } }
    const page = await (await call('GET', '/exams/exam-1')).text()
    expect(page).toContain(`href="${new URL(_links.capsule.href).pathname}" download`)
    const text = await (await mock.fetch(_links.capsule.href)).arrayBuffer()
    const capsule = readCapsule(Buffer.from(text), 'it')
    await using played = await replayCapsule(capsule)
    expect([capsule.history.lost, played.difference]).toEqual([null, undefined])
  })
})

const running = new RunningProcesses()
afterAll(() => running.killAll())
