import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { ClientCall } from '../../../src/judge/exam/client.ts'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'
import { warmClient } from '../../../src/judge/exam/warm-client.ts'
import { examine } from '../../../src/lib/run-exam.ts'
import { temporaryDirectory } from '../../process.ts'

const program = join(import.meta.dirname, 'warm-client.mjs')
const running = new RunningProcesses()
afterAll(() => running.killAll())

const clientOf = (conduct: string) => warmClient([process.execPath, program, conduct], process.env, running)

/** A case that is played without a service. */
const call: ClientCall = {
  ...{
    case: 'alone',
    url: 'http://127.0.0.1:9',
    user: 'demo',
    password: 'demo',
    synchronizationId: '1',
    state: '.',
  },
  ...{ caFile: undefined, scheduleDate: undefined, speed: 1, signal: new AbortController().signal },
}

/** Plays plans to a warm client that does this in each case. */
async function explored(
  conduct: string,
  plans: readonly string[],
  more: { timeout?: number; jobs?: number } = {},
) {
  const { causes, exploration } = await examine({ client: clientOf(conduct), plans, jobs: 1, ...more })
  const { inconclusive, runs } = exploration!
  return { causes, inconclusive, runs }
}

/** Repeats after a wait until it is told that it was sent. */
const patient = (milliseconds: number, limit = 20_000) =>
  `await ask(0)
  while (![200, 201].includes(await send('one', ${limit}))) await ask(${milliseconds})
  believe('sent')`

describe('a warm client that asks for its waits', () => {
  it('is judged by pauses that are exactly as long as its waits', async () => {
    const { causes } = await explored(patient(119_900), ['503-nothing'])
    expect(causes.map(({ rule }) => rule)).toEqual(['R18'])
    const [first, second] = causes[0]!.case.attempts
    expect([first!.at, first!.until, second!.at]).toEqual([0, 0, 119.9])
  })

  it('is not accused of what it waited for, also where many cases are played at a time', async () => {
    const plans = ['503-nothing', 'scheduled:503-nothing', 'limited-nothing', 'scheduled:limited-nothing']
    const { causes, inconclusive, runs } = await explored(patient(120_000), plans, { jobs: 4 })
    expect({ causes, inconclusive, runs }).toEqual({ causes: [], inconclusive: 0, runs: 4 })
  })

  it('learns the time of the service, which stands still between two waits', async () => {
    const conduct = `const before = Date.parse(await ask(0))
      await new Promise(resolve => setTimeout(resolve, 20))
      const after = Date.parse(await ask(1500))
      await send(String(after - before))
      believe(after - before === 1500 ? 'sent' : 'unknown')`
    expect((await explored(conduct, ['undisturbed'])).causes).toEqual([])
  })

  it('goes by a clock of its own where the date passes on the service’s clock', async () => {
    const conduct = `const before = Date.parse(await ask(0))
      while (![200, 201].includes(await send('one', 20_000))) await ask(1_000)
      believe(Date.parse(await ask(0)) - before < 60_000 ? 'sent' : 'unknown')`
    const { cases } = await examine({ client: clientOf(conduct), only: ['date-passes-bound'], jobs: 1 })
    expect(cases.map(({ reached }) => reached.belief)).toEqual(['sent'])
  })

  it('has its request noticed as left when it asks for a wait after its time limit', async () => {
    const { causes } = await explored(patient(1_000, 500), ['hang-sent', 'stall-sent'])
    expect(causes).toEqual([])
  })

  it('meets what falls due during its wait in the order of time', async () => {
    // The attempt is given up after 30 s, processed after 35 s, and repeated after 40 s.
    const { causes } = await explored(patient(10_000, 500), ['late-sent'])
    expect(causes).toEqual([])
  })

  it('is ended when it goes on for longer than anything in the document takes', async () => {
    const { causes } = await explored('await send(); for (;;) await ask(60_000)', ['undisturbed'])
    expect(causes.map(({ rule }) => rule)).toEqual(['never-ended'])
    expect(causes[0]!.finding.sentence).toContain('had not ended after 2400 s')
  })

  it('is played as in real time if it never asks', async () => {
    const conduct = `while (![200, 201].includes(await send())) await new Promise(resolve => setTimeout(resolve, 1_000))
      believe('sent')`
    const { causes } = await explored(conduct, ['500-nothing'])
    expect(causes).toEqual([])
  })

  it('proves nothing if it waits by itself as well, since the clock stands still meanwhile', async () => {
    const conduct = `await ask(0)
      while (![200, 201].includes(await send('one'))) await new Promise(resolve => setTimeout(resolve, 4_000))
      believe('sent')`
    const { causes, inconclusive } = await explored(conduct, ['503-nothing'])
    expect([causes, inconclusive]).toEqual([[], 1])
  })

  it('proves nothing if it asks for a wait while a request is open, but that it overlaps', async () => {
    const conduct = `await ask(0)
      await begin('one', 60_000)
      await ask(2_000)
      await send(REPEATED)
      believe('sent')`
    const played = (id: string) =>
      explored(conduct.replace('REPEATED', id), ['stall-sent'], { timeout: 20_000 })
    const overlapping = await played("'one'")
    expect(overlapping.causes.map(({ rule }) => rule)).toEqual(['R17'])
    const { causes, inconclusive } = await played("'another'")
    expect([causes, inconclusive]).toEqual([[], 1])
  })
})

describe('a warm client that talks nonsense', () => {
  it.each([
    [
      'asks for a negative wait',
      'await ask(-5)',
      'it asked for a wait of -5 ms; expected milliseconds from 0 to 86400000',
    ],
    [
      'asks for a wait that is no number',
      `print('{"wait": NaN}'); await read()`,
      'it asked for a wait of NaN ms; expected',
    ],
    ['asks for a text', `await ask('1500')`, 'it asked for a wait of "1500" ms; expected'],
    ['asks for a wait of years', 'await ask(1e12)', 'it asked for a wait of 1000000000000 ms; expected'],
    [
      'asks for two waits at once',
      `print('{"wait":5}\\n{"wait":6}'); await read()`,
      'it asked for a wait of 6 ms before its last wait had ended',
    ],
    [
      'asks for a wait after it has said what it believes',
      `await send(); print('{"believes":"sent"}\\n{"wait":7}'); await read()`,
      'it asked for a wait of 7 ms after it had said what it believes',
    ],
    [
      'says twice what it believes',
      `await send(); print('{"believes":"sent"}\\n{"believes":"not-sent"}'); await read()`,
      'it said what it believes a second time',
    ],
    [
      'believes what is not possible',
      `print('{"believes":"not_sent"}'); await read()`,
      'it said that it believes "not_sent"; possible are "sent", "not-sent", "unknown"',
    ],
    [
      'says what it believes while it waits',
      `print('{"wait":5}\\n{"believes":"sent"}'); await read()`,
      'it said what it believes while it waited',
    ],
    [
      'never reads the answers to its waits',
      // A pause between two, so that each is answered.
      `stop()
       for (;;) { print('{"wait":0}'); await new Promise(resolve => setImmediate(resolve)) }`,
      /it does not read the answers to its waits|before its last wait had ended/,
    ],
  ])('%s is ended, and its case says why', async (_, conduct, sentence) => {
    const { causes } = await explored(conduct, ['undisturbed'])
    expect(causes.map(({ rule }) => rule)).toEqual(['crashed'])
    expect(causes[0]!.finding.sentence).toMatch(sentence)
  })

  it('logs in lines of JSON with such a member, and is not misunderstood', async () => {
    const client = clientOf(`print('{"level":"info","believes":"nothing"}'); believe('sent')`)
    expect(await client.run(call)).toMatchObject({ believes: 'sent' })
  })

  it('between two cases is ended, and a case says why', async () => {
    const client = clientOf(`if (globalThis.isLate) await new Promise(() => {})
      isLate = true
      believe('sent')
      setTimeout(() => print('{"wait":7}'))`)
    // The first one says so if both lines come together.
    const errors = [await client.run(call), await client.run(call)].map(({ error }) => error)
    expect(errors.find(it => it !== undefined)).toContain('it asked for a wait of 7 ms')
  })

  it('says again what it believes between two cases is ended, and the next case says why', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('case-has-ended')
    const client = clientOf(`const { existsSync, writeFileSync } = process.getBuiltinModule('fs')
      writeFileSync(${JSON.stringify(folder.at('pid'))}, String(process.pid))
      believe('sent')
      while (!existsSync(${JSON.stringify(file)})) await new Promise(resolve => setTimeout(resolve, 5))
      believe('not-sent')
      await new Promise(() => {})`)
    expect(await client.run(call)).toMatchObject({ believes: 'sent' })
    const pid = Number(readFileSync(folder.at('pid'), 'utf8'))
    writeFileSync(file, '')
    // It is killed when that has been read.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), 20_000)
    expect(await client.run(call)).toMatchObject({ error: 'it said what it believes a second time' })
  })

  it('in a case without waits is ended, and the case says why', async () => {
    expect(await clientOf('await ask(8)').run(call)).toMatchObject({
      error:
        'it asked for a wait of 8 ms in a case without MAILING_SYNC_WAIT, in which it has to wait by itself',
    })
  })

  it('and ends a line by nothing is told that this line was not read', async () => {
    const conduct = `process.stdout.write('{"wait":7}'); await read()`
    const { causes } = await explored(conduct, ['undisturbed'], { timeout: 1_000 })
    expect(causes.map(({ rule }) => rule)).toEqual(['silent'])
    expect(causes[0]!.case.client.output).toContain('(The last line has no end, so it was not read.)')
  })

  it('and floods its standard output ends at its time limit', async () => {
    const conduct = `const more = () => process.stdout.write('x\\n'.repeat(1e5), more); more(); await new Promise(() => {})`
    const { causes } = await explored(conduct, ['undisturbed'], { timeout: 1_000 })
    expect(causes.map(({ rule }) => rule)).toEqual(['silent'])
    expect(causes[0]!.case.client.output.length).toBeLessThan(100_000)
  })
})
