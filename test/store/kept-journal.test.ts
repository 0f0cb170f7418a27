import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import { type AssembledMock, type AssemblyOptions, assembleMock } from '../../src/lib/assemble-mock.ts'
import { ManualClock } from '../../src/rig/clock.ts'
import { faults } from '../../src/rig/faults/fault-registry.ts'
import { Journal } from '../../src/rig/journal.ts'
import { KeptJournal, keptFiles } from '../../src/rig/kept-journal.ts'
import { readKept } from '../../src/rig/read-kept-journal.ts'
import type { RequestRecord } from '../../src/rig/request-record.ts'
import { Content, Tables } from '../../src/store/content.ts'
import { systemDisk } from '../../src/store/disk.ts'
import { diskFiles } from '../../src/store/disk-files.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { basic, halType, ids, jsonOf, now, packagedScenarios, synchronizationPath } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'
import { recordOf } from '../rig/records.ts'

let directory: ReturnType<typeof temporaryDirectory>
const running: AssembledMock[] = []
const warnings: string[] = []
beforeEach(() => {
  directory = temporaryDirectory()
  warnings.length = 0
})
afterEach(async () => {
  for (const mock of running.splice(0)) await mock.close()
  directory[Symbol.dispose]()
})

const log = {
  logsRequests: false,
  info() {},
  warn: (sentence: string) => void warnings.push(sentence),
  error() {},
}

async function start(data: string, options: AssemblyOptions = {}): Promise<AssembledMock> {
  const mock = await assembleMock(
    { data: directory.at(data), journalOnDisk: true, clock: new ManualClock(now), ...options },
    false,
    { log },
  )
  running.push(mock)
  return mock
}

async function stop(mock: AssembledMock): Promise<void> {
  running.splice(running.indexOf(mock), 1)
  await mock.close()
}

/** What a killed process leaves: the files as they are at this moment, without the lock. */
function leave(from: string, to: string): string {
  cpSync(directory.at(from), directory.at(to), { recursive: true, filter: name => !name.endsWith('.sock') })
  return to
}

const sendings = synchronizationPath(ids.ready, '/sendings')

function ask(mock: AssembledMock, path: string, init: RequestInit = {}, user = 'demo'): Promise<Response> {
  const headers = { authorization: basic(user), 'content-type': halType, ...init.headers }
  return mock.fetch(`http://localhost${path}`, { ...init, headers })
}

const send = (mock: AssembledMock, transactionId: string, headers = {}, user = 'demo') =>
  ask(mock, sendings, { method: 'POST', body: JSON.stringify({ transactionId }), headers }, user).catch(
    () => undefined,
  )

const control = (mock: AssembledMock, path: string, init: RequestInit = {}, space = 'demo') =>
  mock.control(
    new Request(`http://localhost/_mock/spaces/${encodeURIComponent(space)}${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    }),
  )

const arm = (mock: AssembledMock, rule: object) =>
  control(mock, '/faults', {
    method: 'POST',
    body: JSON.stringify(rule),
  })

/** Everything that can be read of the requests of a space, and of what the judge makes of them. */
async function readAll(mock: AssembledMock, space = 'demo') {
  const list = await jsonOf(await control(mock, '/requests', {}, space))
  const told: Record<string, unknown> = {}
  for (const { id } of list._embedded.requests) {
    told[id] = await jsonOf(await control(mock, `/requests/${id}`, {}, space))
    const text = await control(mock, `/requests/${id}`, { headers: { accept: 'text/plain' } }, space)
    told[`${id} in words`] = await text.text()
  }
  const verdict = (query: string, accept: string) =>
    control(mock, `/verdict${query}`, { headers: { accept } }, space).then(it => it.text())
  return {
    list,
    told,
    verdict: await verdict('', 'text/plain'),
    ofSent: await verdict('?believes=sent&expected=1', 'application/json'),
  }
}

/** How certain a verdict is that the first response was received. */
const receiptIn = (verdict: string): unknown => JSON.parse(verdict).sendings[0].attempts[0].receipt

const journalFiles = (data: string) =>
  readdirSync(directory.at(data, 'spaces'))
    .filter(name => name.includes('.journal.'))
    .sort()
    .map(name => directory.at(data, 'spaces', name))

/** One mailing asked for under many troubles, then reads. */
async function play(mock: AssembledMock, user = 'demo'): Promise<void> {
  await send(mock, 'plain', {}, user)
  await send(mock, 'plain', {}, user)
  for (const scenario of [
    'loss-after-close-1',
    'loss-bound-500-1',
    'loss-partial-truncate-2',
    'loss-before-garbage-1',
  ])
    for (let attempt = 0; attempt < 2; attempt++)
      await send(mock, `of ${scenario}`, { 'X-Mock-Scenario': scenario }, user)
  await ask(mock, '/mailings', {}, user)
  await ask(mock, `${sendings}/nothing`, {}, user)
  await ask(mock, sendings, { method: 'POST', body: '{"transactionId": 5, "scheduleDate": "soon"}' }, user)
  await ask(mock, sendings, { method: 'POST', body: Buffer.from([0xff, 0, 0x80]) }, user)
}

describe('a journal on disk', () => {
  it.each(['stopped', 'killed'])(
    'requests, explanations and verdicts are the same after a mock was %s, twice',
    async how => {
      let mock = await start('data')
      await play(mock)
      const before = await readAll(mock)
      expect(before.list.count).toBe(14)
      for (const [from, to] of [
        ['data', 'again'],
        ['again', 'third'],
      ] as const) {
        await turn()
        if (how === 'stopped') await stop(mock)
        mock = await start(how === 'stopped' ? 'data' : leave(from, to))
        expect(await readAll(mock)).toEqual(before)
      }
      expect(warnings).toEqual([])
    },
  )

  it('a private space has its requests again, also after it was evicted', async () => {
    const mock = await start('data', { spaceLimit: 1 })
    await play(mock, 'demo+one')
    const before = await readAll(mock, 'demo+one')
    await send(mock, 'other', {}, 'demo+two')
    await send(mock, 'other', {}, 'demo+three')
    expect(mock.spaces.wasEvicted('demo+one')).toBe(true)
    await mock.spaces.getOrOpen('demo+one')
    expect(await readAll(mock, 'demo+one')).toEqual(before)
    await stop(mock)
    const after = await start('data')
    await after.spaces.getOrOpen('demo+one')
    expect(await readAll(after, 'demo+one')).toEqual(before)
  })

  it('later requests are numbered on, on connections and in epochs of the clock that no earlier one has', async () => {
    const asks = async (mock: AssembledMock) => {
      const server = await mock.listen()
      for (let n = 0; n < 2; n++)
        await fetch(`${server.url}/mailings`, {
          headers: { authorization: basic('demo'), connection: 'close' },
        })
      return jsonOf(await control(mock, '/requests'))
    }
    const before = await start('data', { frozen: true })
    await before.rigs.ready(before.spaces.getOpen('demo')!)!.moveClock(time => time + 1)
    await asks(before)
    await stop(before)
    const { _embedded } = await asks(await start('data', { frozen: true }))
    const { requests } = _embedded
    expect(requests.map((it: { number: number }) => it.number).toSorted()).toEqual([1, 2, 3, 4])
    expect(new Set(requests.map((it: { connection: { number: number } }) => it.connection.number)).size).toBe(
      4,
    )
    expect(requests.map((it: { clockEpoch: number }) => it.clockEpoch).toSorted()).toEqual([1, 1, 2, 2])
  })

  it('a request that waited when the process was killed comes back as one without a response, with what held it', async () => {
    const mock = await start('data')
    await arm(mock, { on: 'createSending', steps: [{ hold: 'gate' }] })
    const leaving = new AbortController()
    const open = ask(mock, sendings, {
      method: 'POST',
      body: '{"transactionId":"held"}',
      signal: leaving.signal,
    })
    const rig = mock.rigs.ready(mock.spaces.getOpen('demo')!)!
    while (rig.holds.counts().size === 0) await turn()
    await turn()
    const after = await start(leave('data', 'copy'))
    leaving.abort()
    await open.catch(() => {})
    const { _embedded } = await jsonOf(await control(after, '/requests'))
    expect(_embedded.requests).toMatchObject([
      { delivered: 'server-stopped', told: null, decision: { by: 'one-shot fault', rule: 1 } },
    ])
    expect(_embedded.requests[0].ended).not.toBeNull()
    expect(_embedded.requests[0].received).toBeUndefined()
  })

  it('a response that was leaving when the process was killed may have been read, so its client is not accused', async () => {
    const mock = await start('data')
    const rig = await mock.rigs.of(mock.spaces.getOpen('demo')!)
    const { onChange } = rig.journal
    rig.journal.onChange = (record, what) => {
      onChange?.(record, what)
      if (what === 'answered') leave('data', 'copy')
    }
    expect((await send(mock, 'one'))?.status).toBe(201)
    const after = await start('copy')
    const { list, told, ofSent } = await readAll(after)
    expect(list._embedded.requests).toMatchObject([
      { delivered: 'server-stopped', received: false, told: { status: 201 } },
    ])
    expect(told['r0-1 in words']).toContain(
      'The mock was killed as the response left: the client may have got it.',
    )
    expect(receiptIn(ofSent)).toBe('unknown')
  })

  it('a response that a fault withheld until the process was killed was not read', async () => {
    const mock = await start('data')
    await arm(mock, { on: 'createSending', steps: [{ answer: { fault: 'hang' } }] })
    const leaving = new AbortController()
    const open = ask(mock, sendings, {
      method: 'POST',
      body: '{"transactionId":"one"}',
      signal: leaving.signal,
    })
    const rig = mock.rigs.ready(mock.spaces.getOpen('demo')!)!
    while (!rig.journal.entries()[0]?.response) await turn()
    const after = await start(leave('data', 'copy'))
    leaving.abort()
    await open.catch(() => {})
    const { list, ofSent } = await readAll(after)
    expect(list._embedded.requests[0]).toMatchObject({
      delivered: 'server-stopped',
      told: { status: 201 },
      decision: { fault: 'hang' },
    })
    expect(list._embedded.requests[0].received).toBeUndefined()
    expect(receiptIn(ofSent)).toBe('none')
  })

  it('no credentials are on the disk', async () => {
    const mock = await start('data')
    const headers = {
      authorization: basic('demo'),
      cookie: 'session=a-secret-cookie',
      'x-api-key': 'a-secret-key',
    }
    await ask(mock, `/mailings?access_token=a-secret-parameter&x=1`, { headers })
    await ask(mock, sendings, {
      method: 'POST',
      headers: { ...headers, 'x-token': 'a-secret-token' },
      body: '{"transactionId":"a-secret-token"}',
    })
    await ask(mock, '/nothing?password=a-secret-password', { headers })
    const before = await jsonOf(await control(mock, '/requests'))
    await stop(mock)
    const text = journalFiles('data')
      .map(name => readFileSync(name, 'utf8'))
      .join('')
    expect(text).toContain('"x-api-key":"(hidden)"')
    expect(text).not.toContain('a-secret')
    expect(text).not.toContain(basic('demo').slice('Basic '.length))
    const after = await jsonOf(await control(await start('data'), '/requests'))
    const shown = ({ _embedded }: typeof before) =>
      _embedded.requests.map(({ headers, target, body }: Record<string, unknown>) => ({
        headers,
        target,
        body,
      }))
    expect(JSON.stringify(shown(after))).not.toContain('a-secret')
    expect(shown(after)[0]).toEqual(shown(before)[0])
    expect(shown(after).map((it: { body: { sha256: string } | null }) => it.body?.sha256)).toEqual(
      shown(before).map((it: { body: { sha256: string } | null }) => it.body?.sha256),
    )
  })

  it('the files stay small however many requests come, and have what the journal keeps', async () => {
    const mock = await start('data', { journal: 20 })
    let most = 0
    for (let n = 0; n < 100; n++) {
      await ask(mock, '/mailings')
      const lines = journalFiles('data').map(name => readFileSync(name, 'utf8').split('\n').length)
      most = Math.max(
        most,
        lines.reduce((sum, it) => sum + it, 0),
      )
    }
    // Two or three lines for each record that is kept, one file more, and the heads.
    expect(most).toBeLessThan(100)
    const before = await readAll(mock)
    expect(before.list).toMatchObject({ count: 20, dropped: 80 })
    await stop(mock)
    expect(await readAll(await start('data', { journal: 20 }))).toEqual(before)
  })

  it('a cleared journal stays empty and counts on', async () => {
    const mock = await start('data')
    await play(mock)
    await control(mock, '/requests', { method: 'DELETE' })
    const size = journalFiles('data').reduce((sum, name) => sum + statSync(name).size, 0)
    expect(size).toBeLessThan(400)
    const before = await readAll(mock)
    await stop(mock)
    const after = await start('data')
    expect(await readAll(after)).toEqual(before)
    await ask(after, '/mailings')
    const { _embedded } = await jsonOf(await control(after, '/requests'))
    expect(_embedded.requests.map((it: { number: number }) => it.number)).toEqual([15])
  })

  it('a space that is reset or removed leaves no requests on the disk', async () => {
    const mock = await start('data')
    await play(mock)
    await play(mock, 'demo+one')
    await control(mock, '', { method: 'DELETE' }, 'demo+one')
    await control(mock, '/reset', { method: 'POST' })
    expect(journalFiles('data')).toEqual([])
    await stop(mock)
    expect((await jsonOf(await control(await start('data'), '/requests'))).count).toBe(0)
  })

  it('a run that keeps no journal removes the one that it would leave a gap in', async () => {
    const mock = await start('data')
    await send(mock, 'one')
    await stop(mock)
    const other = await start('data', { journalOnDisk: false })
    await ask(other, '/mailings')
    await stop(other)
    expect(journalFiles('data')).toEqual([])
    const after = await start('data')
    expect(after.rigs.ready(after.spaces.getOpen('demo')!)!.continues).toBe(true)
  })

  it('without the setting nothing of the journal is on the disk', async () => {
    const mock = await start('data', { journalOnDisk: false })
    await play(mock)
    await stop(mock)
    expect(journalFiles('data')).toEqual([])
  })

  it('a line that a killed process did not finish is left out without a word', async () => {
    const mock = await start('data')
    await send(mock, 'one')
    await stop(mock)
    const before = (await readAll(await start(leave('data', 'whole')))).list
    appendFileSync(journalFiles('data').at(-1)!, '{"crc":"01234567","n":2,"i":0,"of":{"id":"r')
    expect((await readAll(await start('data'))).list).toEqual(before)
    expect(warnings).toEqual([])
  })

  it('a damaged line takes its request out of the journal, which says so once and counts it as dropped', async () => {
    const mock = await start('data')
    for (const id of ['one', 'two', 'three']) await send(mock, id)
    await stop(mock)
    const [file] = journalFiles('data')
    const lines = readFileSync(file!, 'utf8').split('\n')
    const at = lines.findIndex(line => line.includes('"n":2,'))
    writeFileSync(file!, lines.with(at, lines[at]!.replace('"n":2', '"n":9')).join('\n'))
    const after = await start('data')
    const { list, verdict } = await readAll(after)
    expect(list).toMatchObject({ count: 2, dropped: 1 })
    expect(list._embedded.requests.map((it: { number: number }) => it.number).toSorted()).toEqual([1, 3])
    expect(verdict).toContain('1 request')
    expect(warnings).toEqual([
      `${file}, line ${at + 1} is damaged: the request that it is about is left out of the journal`,
    ])
  })

  it('lines that are lost at the end are noticed by what their requests brought about', async () => {
    const mock = await start('data')
    for (const id of ['one', 'two', 'three']) await send(mock, id)
    await stop(mock)
    const [file] = journalFiles('data')
    const lines = readFileSync(file!, 'utf8').split('\n')
    writeFileSync(
      file!,
      `${lines
        .slice(
          0,
          lines.findIndex(line => line.includes('"n":3,')),
        )
        .join('\n')}\n`,
    )
    const { list } = await readAll(await start('data'))
    expect(list).toMatchObject({ count: 2, dropped: 1 })
  })

  it('a disk that is full costs the journal on it, not the requests', async () => {
    let isFull = false
    const disk = {
      ...systemDisk,
      writeSync(file: number, bytes: Uint8Array, from: number) {
        if (isFull && String(bytes).length > 0 && Buffer.from(bytes).includes('"of":'))
          throw new Error('no space left')
        return systemDisk.writeSync(file, bytes, from)
      },
    }
    const mock = await assembleMock(
      { data: directory.at('data'), journalOnDisk: true, clock: new ManualClock(now) },
      false,
      { log, openFiles: (path, durability) => diskFiles(path, durability, disk) },
    )
    running.push(mock)
    await ask(mock, '/mailings')
    isFull = true
    expect((await ask(mock, '/mailings')).status).toBe(200)
    expect((await ask(mock, '/mailings')).status).toBe(200)
    expect((await jsonOf(await control(mock, '/requests'))).count).toBe(3)
    expect(journalFiles('data')).toEqual([])
    expect(warnings).toEqual([
      expect.stringMatching(/^space demo: its journal is in memory only from here on: .*no space left$/),
    ])
  })

  it('--journal-on-disk is refused where there is no place for it, or nothing to keep', async () => {
    await expect(createMock({ journalOnDisk: true })).rejects.toThrow(
      '--journal-on-disk needs --data, the directory in which the journals are kept',
    )
    const data = directory.at('data')
    await expect(createMock({ journalOnDisk: true, data, journal: 0 })).rejects.toThrow(
      '--journal-on-disk does nothing with --journal 0, which keeps no requests',
    )
  })
})

describe('a record on disk', () => {
  const limits = { entries: 100_000, bytes: 1 << 28 }
  const beginning = { $space: 'demo', origin: 0, age: 0, continues: false }

  /** Writes records as a run does, and reads them as the next one; after a reset there are none. */
  async function keep(records: readonly RequestRecord[]): Promise<readonly RequestRecord[]> {
    const files = await diskFiles(directory.at('data'))
    const [fixture] = await readFixtures(defaultFixture)
    const data = { name: 'demo', origin: 0, tables: new Tables(new Content(fixture!)) }
    try {
      const journal = new Journal(limits, new MemoryBudget().share('journals'))
      const kept = new KeptJournal({ files, limits, warn: log.warn }, beginning, journal, 0)
      for (const record of records) {
        journal.open(record)
        kept.note(record, false)
      }
      kept.close()
      expect(keptFiles(files, 'demo').length).toBe(1)
      expect(readKept(files, { ...data, origin: 1 }, log.warn)).toBeUndefined()
      return readKept(files, data, log.warn)!.records
    } finally {
      await files.close()
    }
  }

  const unweighed = (records: readonly RequestRecord[]) =>
    records.map(record => ({ ...record, chargedBytes: undefined }))

  it('a record survives with its decision, whatever the step and its fault are', async () => {
    const library = await packagedScenarios
    const scenarios = await Promise.all(library.names().map(name => library.get(name)))
    const told = { status: 201, headers: { 'Content-Type': halType }, body: Buffer.from('{"id":"ü"}') }
    const records = scenarios.flatMap(scenario =>
      scenario.rules.flatMap((rule, index) =>
        rule.steps.map((step, stepIndex) => ({
          applicableScenario: { scenario, by: 'space' as const },
          decision: {
            scenario: scenario.name,
            by: 'space' as const,
            rule: index,
            stepIndex,
            attempt: 1,
            step,
            plan: [],
          },
        })),
      ),
    )
    const usual = { phase: 'after' as const }
    for (const fault of faults.values())
      records.push({
        ...records[0]!,
        decision: {
          ...records[0]!.decision,
          step: { ...usual, answer: { fault, settings: fault.settings.parse({}) } },
        },
      })
    const before = records.map((more, at) =>
      recordOf({
        id: `r0-${at + 1}`,
        number: at + 1,
        ended: { real: 2, clock: 2 },
        delivered: 'handed',
        truth: told,
        response: at % 2 === 0 ? told : { ...told, body: 'other' },
        ...more,
      }),
    )
    const after = await keep(before)
    expect(unweighed(after)).toEqual(unweighed(before))
    expect(after[0]!.response).toBe(after[0]!.truth)
    expect(warnings).toEqual([])
  })

  it('a fault or a scenario that this version does not have leaves a record without a decision, and is told once', async () => {
    const step = { phase: 'after', answer: { fault: { name: 'of-tomorrow' }, settings: {} } }
    const decision = { scenario: 'new', by: 'space', rule: 0, stepIndex: 0, attempt: 1, plan: [], step }
    const scenario = { name: 'new', source: 'new.yaml', definition: { rules: 'of another version' } }
    const ended = { real: 2, clock: 2 }
    const more = [
      { decision },
      { decision },
      { applicableScenario: { scenario, by: 'space' } },
    ] as unknown as Partial<RequestRecord>[]
    const after = await keep(
      more.map((it, at) =>
        recordOf({ id: `r0-${at + 1}`, number: at + 1, ended, delivered: 'handed', ...it }),
      ),
    )
    expect(after.map(it => [it.decision, it.applicableScenario, it.delivered])).toEqual(
      more.map(() => [undefined, undefined, 'handed']),
    )
    expect(warnings).toEqual([
      'the journal does not tell what disturbed some requests: this version has no fault "of-tomorrow"',
      expect.stringMatching(/^the journal does not tell what disturbed some requests: new\.yaml: rules/),
    ])
  })
})

describe('a private space that made room', () => {
  async function reportOf(mock: AssembledMock) {
    const report = await mock.control(new Request('http://localhost/_mock/report'))
    return (await jsonOf(report)) as { requests: number; cases: { space: string; requests: number }[] }
  }

  it.each([
    [true, 'one case with all its requests', 2, [2]],
    [false, 'a case of its own, and says that its record is gone', 1, [1, 1]],
  ])('continues with its journal on disk: %s, and is %s', async (journalOnDisk, _, onRecord, requests) => {
    const mock = await start('data', { journalOnDisk, spaceLimit: 1 })
    await send(mock, 'first', {}, 'demo+a')
    await send(mock, 'other', {}, 'demo+b')
    const again = await send(mock, 'second', {}, 'demo+a')
    const listed = (await jsonOf(await control(mock, '/requests', {}, 'demo+a'))) as {
      count: number
      madeRoom?: boolean
    }
    expect([listed.count, listed.madeRoom ?? false]).toEqual([onRecord, !journalOnDisk])
    expect(again?.headers.get('x-mock-hint')?.includes('made room') ?? false).toBe(!journalOnDisk)
    const { cases, requests: all } = await reportOf(mock)
    expect(cases.filter(it => it.space === 'demo+a').map(it => it.requests)).toEqual(requests)
    expect(all).toBe(3)
  })
})

describe('--space-keep', () => {
  const hasSpace = async (mock: AssembledMock, transactionId: string, user: string) =>
    (await send(mock, transactionId, {}, user))?.status === 200

  it('a start removes private spaces that nobody has used for so long, and no others', async () => {
    const before = await start('data')
    for (const user of ['demo', 'demo+old', 'demo+new']) await send(before, 'once', {}, user)
    await stop(before)
    const spaces = directory.at('data/spaces')
    const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000)
    for (const name of readdirSync(spaces))
      if (name.includes('old')) utimesSync(join(spaces, name), longAgo, longAgo)
    const mock = await start('data', { spaceKeep: 30 * 24 * 3_600_000 })
    expect(readdirSync(spaces).filter(name => name.includes('old'))).toEqual([])
    expect(await hasSpace(mock, 'once', 'demo+old')).toBe(false)
    expect(await hasSpace(mock, 'once', 'demo+new')).toBe(true)
    expect(await hasSpace(mock, 'once', 'demo')).toBe(true)
  })

  it('without a data directory it is refused', async () => {
    await expect(createMock({ spaceKeep: 1 })).rejects.toThrow('--space-keep needs --data')
  })
})
