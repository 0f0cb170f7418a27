import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { seededChance } from '../../src/rig/chance.ts'
import { ManualClock } from '../../src/rig/clock.ts'
import { Content } from '../../src/store/content.ts'
import { diskFiles } from '../../src/store/disk-files.ts'
import type { Files } from '../../src/store/files.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { Spaces } from '../../src/store/spaces.ts'
import { ids, startMock, synchronizationPath, type TestMock } from '../mock.ts'

/** For files that are written in the background. */
const deadline = { timeout: 60_000 }

let directory: string
const opened: Files[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-'))
})
afterEach(async () => {
  for (const files of opened.splice(0)) await files.close()
  rmSync(directory, { recursive: true, force: true })
})

async function start(fixture?: (base: Fixture) => Fixture): Promise<TestMock> {
  const files = await diskFiles(directory)
  opened.push(files)
  return startMock({ files, ...(fixture && { fixture }) })
}

/** As a killed process leaves things: nothing is written at the end, the lock falls. */
const kill = async () => {
  await opened.pop()!.close()
}

const spaceFiles = () => readdirSync(join(directory, 'spaces')).sort()
const file = (ending: string) =>
  join(directory, 'spaces', spaceFiles().find(name => name.startsWith('demo.') && name.endsWith(ending))!)
const send = (mock: TestMock, transactionId: string, user = 'demo') =>
  mock.as(user).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
const listed = async (mock: TestMock, user = 'demo') =>
  (await mock.as(user).get(synchronizationPath(ids.ready, '/sendings'))).text

describe('data on disk', () => {
  it.each(['stopped', 'killed'])(
    'a mock that was %s goes on with the same bytes, private spaces included',
    async how => {
      const before = await start()
      for (const id of ['a', 'b', 'c']) await send(before, id)
      await send(before, 'x', 'demo+private')
      const texts = [
        await listed(before),
        await listed(before, 'demo+private'),
        (await before.as('demo').get('/mailings')).text,
      ]
      if (how === 'stopped') {
        await before.spaces.close()
        opened.pop()
        expect(spaceFiles().filter(name => name.endsWith('.jsonl'))).toEqual([])
      } else await kill()

      const after = await start()
      expect([
        await listed(after),
        await listed(after, 'demo+private'),
        (await after.as('demo').get('/mailings')).text,
      ]).toEqual(texts)
      const fresh = await send(after, 'd')
      expect(texts.join()).not.toContain(fresh.json.id)
      expect((await send(after, 'a')).status).toBe(200)
    },
  )

  it('what is acknowledged is in the log before the answer goes out', async () => {
    const mock = await start()
    const { json } = await send(mock, 'a')
    const line = readFileSync(file('.log.jsonl'), 'utf8')
    expect(line).toContain(json.id)
    expect(line).toMatch(
      /^\{"crc":"[0-9a-f]{8}","\$format":2,"\$space":"demo",.*\}\n\{"crc":"[0-9a-f]{8}","seq":1,.*\}\n$/,
    )
  })

  it('the snapshot is one readable file, with only what differs from the fixture', async () => {
    const mock = await start()
    await send(mock, 'a')
    await mock.spaces.close()
    opened.pop()
    const snapshot = JSON.parse(readFileSync(file('.json'), 'utf8'))
    expect(snapshot).toMatchObject({ $format: 2, $space: 'demo', $seq: 1 })
    expect(Object.keys(snapshot.changes).sort()).toEqual([
      'platformMailings',
      'platformSendings',
      'sendings',
      'synchronizations',
    ])
    expect(snapshot.changes.sendings).toHaveLength(1)
  })

  it('a log that has grown gives way to a snapshot while requests go on, and nothing is lost', async () => {
    const mock = await start()
    const name = 'x'.repeat(100_000)
    const create = (n: number) =>
      mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), { transactionId: `t${n}`, name })
    for (let n = 0; n < 60; n++) await create(n)
    await vi.waitFor(
      () => expect(spaceFiles()).toContainEqual(expect.stringMatching(/\.2\.log\.jsonl$/)),
      deadline,
    )
    await vi.waitFor(() => expect(spaceFiles().filter(it => it.endsWith('.jsonl'))).toHaveLength(1), deadline)
    expect(JSON.parse(readFileSync(file('.json'), 'utf8')).changes.sendings.length).toBeGreaterThan(10)
    const text = await listed(mock)
    await kill()
    expect(await listed(await start())).toBe(text)
  })

  it('a reset that makes the log long enough for a snapshot is in that snapshot', async () => {
    const mock = await start()
    const name = 'x'.repeat(90_000)
    // Up to just below four million characters of log: the name stands in a sending and in its platform mailing.
    for (let n = 0; n < 23; n++)
      await mock
        .as('demo')
        .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: `t${n}`, name })
    for (let n = 0; spaceFiles().length === 2 && n < 100_000; n++) await mock.spaces.reset()
    await vi.waitFor(
      () => expect(spaceFiles()).toContainEqual(expect.stringMatching(/[0-9a-f]\.json$/)),
      deadline,
    )
    await send(mock, 'after')
    await kill()
    expect(await listed(await start())).toContain('"after"')
  })

  it('a reset is kept too, and starts the IDs again', async () => {
    const first = await start()
    const { text } = await send(first, 'a')
    await send(first, 'b', 'demo+private')
    await first.spaces.reset()
    await kill()
    const second = await start()
    expect(JSON.parse(await listed(second))._embedded['svc:sendings']).toEqual([])
    expect((await send(second, 'a')).text).toBe(text)
    expect(spaceFiles().every(name => name.startsWith('demo.'))).toBe(true)
  })

  it('a page of a private space opens after a restart, before anything else asks for that copy', async () => {
    const first = await start()
    const { json } = await send(first, 'a', 'demo+private')
    await kill()
    const second = await start()
    const open = async (href: string) => (await second.fetch(new Request(href))).status
    expect(await open(json._links['svc:report'].href)).toBe(200)
    expect(await open(json._links['svc:report'].href.replace('private', 'other'))).toBe(404)
    expect(second.spaces.names()).not.toContain('demo+other')
  })

  it('a reset also forgets private spaces of an earlier run', async () => {
    const first = await start()
    await send(first, 'a', 'demo+private')
    await kill()
    const second = await start()
    await second.spaces.reset()
    await kill()
    expect(JSON.parse(await listed(await start(), 'demo+private'))._embedded['svc:sendings']).toEqual([])
  })

  it('a space keeps the seed that it began with, until a reset takes the present one', async () => {
    const path = synchronizationPath(ids.both, `/sendings/${ids.sending.created}/statistics`)
    const figures = async (mock: TestMock) => (await mock.as('demo').get(path)).text
    const first = await start()
    await send(first, 'a')
    const before = await figures(first)
    await kill()
    const files = await diskFiles(directory)
    opened.push(files)
    const second = await startMock({ files, seed: 2 })
    expect(await figures(second)).toBe(before)
    await second.spaces.reset()
    expect(await figures(second)).not.toBe(before)
    await kill()
    expect(await figures(await start())).not.toBe(before)
  })

  it('data that started from an older fixture goes on with it, until a reset takes the present one', async () => {
    const first = await start()
    await send(first, 'a')
    await kill()
    const renamed = (base: Fixture) => ({
      ...base,
      customers: base.customers.map(({ name }) => ({ name: name === 'lindenau' ? 'renamed' : name })),
      lists: [],
      mailings: base.mailings.slice(0, 1),
      synchronizations: [],
      mailingUploads: [],
      sendings: [],
      accessibleLists: [],
      platformMailings: [],
      platformSendings: [],
    })
    const second = await start(renamed)
    expect((await send(second, 'a')).status).toBe(200)
    await second.spaces.reset()
    expect((await second.as('demo').get('/mailings')).json._embedded['svc:mailings']).toHaveLength(1)
    await kill()
    expect(
      (await (await start(renamed)).as('demo').get('/mailings')).json._embedded['svc:mailings'],
    ).toHaveLength(1)
  })

  it('an unfinished last line, of which nobody was told, is cut; everything before it is there', async () => {
    const first = await start()
    await send(first, 'a')
    const text = await listed(first)
    await send(first, 'b')
    await kill()
    truncateSync(file('.log.jsonl'), statSync(file('.log.jsonl')).size - 7)
    const second = await start()
    expect(await listed(second)).toContain(JSON.parse(text)._embedded['svc:sendings'][0].id)
    expect((await send(second, 'b')).status).toBe(201)
    await kill()
    expect((await send(await start(), 'b')).status).toBe(200)
  })

  it('T31: over random series of changes, stops and kills the state is that of a mock that never stopped', async () => {
    const step = fc.constantFrom('send', 'send', 'send', 'upload', 'stop', 'kill', 'reset', 'snapshot')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async steps => {
        rmSync(directory, { recursive: true, force: true })
        mkdirSync(directory)
        const steady = await startMock()
        let mock = await start()
        for (const [n, what] of steps.entries()) {
          if (what === 'stop') {
            await mock.spaces.close()
            opened.pop()
            mock = await start()
          } else if (what === 'kill') {
            await kill()
            mock = await start()
          } else if (what === 'reset') {
            await mock.spaces.reset()
            await steady.spaces.reset()
          } else
            for (const it of [mock, steady]) {
              if (what === 'send') await send(it, `t${n % 4}`)
              if (what === 'upload')
                await it.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'))
            }
        }
        const rows = ({ cause, ...row }: { cause?: string }) => row
        const state = (it: TestMock) =>
          Object.values(it.space().data.toFixture()).map(table =>
            Array.isArray(table) ? table.map(rows) : table,
          )
        expect(state(mock)).toEqual(state(steady))
        expect(await listed(mock)).toBe(await listed(steady))
        await kill()
      }),
      { numRuns: 25 },
    )
  })
})

describe('T30: damage', () => {
  const refusal = async () => {
    const before = spaceFiles().map(name => [
      name,
      readFileSync(join(directory, 'spaces', name)).toString('base64'),
    ])
    const files = await diskFiles(directory)
    opened.push(files)
    const [fixture] = await readFixtures(defaultFixture)
    const error = await Spaces.open({
      contents: [new Content(fixture!)],
      files,
      clock: () => new ManualClock(0),
      seed: 1,
      chance: (name, own) => seededChance(own, name),
      warn: () => {},
    }).catch((reason: Error) => reason)
    expect(
      spaceFiles().map(name => [name, readFileSync(join(directory, 'spaces', name)).toString('base64')]),
    ).toEqual(before)
    return error instanceof Error ? error.message : 'not refused'
  }

  const snapshotted = async () => {
    const mock = await start()
    await send(mock, 'a')
    await mock.spaces.close()
    opened.pop()
    return file('.json')
  }

  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a number', '0'],
    ['an array', '[]'],
    ['text', '"x"'],
    ['zero bytes', '\0\0\0\0'],
    ['half of it', undefined],
    ['another format', '{"$format":99}'],
    ['another space', '{"$format":1,"$space":"other"}'],
  ])('a snapshot with %s is refused by name and left as it is', async (_, content) => {
    const path = await snapshotted()
    if (content === undefined) truncateSync(path, statSync(path).size >> 1)
    else writeFileSync(path, content)
    expect(await refusal()).toContain(path)
  })

  it('a flipped letter in the snapshot is found', async () => {
    const path = await snapshotted()
    writeFileSync(path, readFileSync(path, 'utf8').replace('"transactionId":"a"', '"transactionId":"b"'))
    expect(await refusal()).toMatch(/does not match its \$checksum/)
  })

  it('a flipped letter in a whole line of the log is found, with its place', async () => {
    const mock = await start()
    await send(mock, 'first')
    await send(mock, 'second')
    await kill()
    const path = file('.log.jsonl')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"second"', '"secood"'))
    expect(await refusal()).toContain(`${path}, line 3 is damaged: this line does not match its checksum`)
  })

  it.each(['$seq', '$origin', '$content'])('a change of %s in the snapshot is found', async member => {
    const path = await snapshotted()
    const snapshot = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...snapshot, [member]: member === '$content' ? 'a'.repeat(64) : 7 }))
    expect(await refusal()).toMatch(/does not match its \$checksum/)
  })

  it('an unfinished line in a log that is not the last one is found, and nothing is cut', async () => {
    for (const id of ['a', 'b']) {
      await send(await start(), id)
      await kill()
    }
    const [first, second] = spaceFiles().filter(name => name.endsWith('.log.jsonl'))
    expect(second).toBeDefined()
    const path = join(directory, 'spaces', first!)
    truncateSync(path, statSync(path).size - 1)
    expect(await refusal()).toContain(`${path}, line 2 is damaged: this line has no end`)
  })

  it('a missing snapshot before a log is found', async () => {
    const path = await snapshotted()
    const mock = await start()
    await send(mock, 'b')
    await kill()
    rmSync(path)
    expect(await refusal()).toContain('.1.log.jsonl is damaged: it is missing, and no snapshot covers it')
  })

  it('a content that was changed or is missing is found', async () => {
    await snapshotted()
    const fixtures = join(directory, 'fixtures')
    const [name] = readdirSync(fixtures).filter(it => it !== 'made.json')
    const other = (base: Fixture) => ({ ...base, description: 'another one' })
    appendFileSync(join(fixtures, name!), ' ')
    const files = await diskFiles(directory)
    opened.push(files)
    await expect(startMock({ files, fixture: other })).resolves.toBeDefined() // white space is no damage
    await kill()
    writeFileSync(
      join(fixtures, name!),
      readFileSync(join(fixtures, name!), 'utf8').replace('Winter', 'Wonder'),
    )
    await expect(start(other)).rejects.toThrow(/its content does not match its name/)
    await kill()
    rmSync(join(fixtures, name!))
    await expect(start(other)).rejects.toThrow(/is missing/)
  })

  it('T10: a second process is refused, by directory and holder, and the first goes on', async () => {
    const mock = await start()
    await expect(diskFiles(directory)).rejects.toThrow(
      `is in use by another mailing-sync-mock (process ${process.pid})`,
    )
    expect((await send(mock, 'a')).status).toBe(201)
  })

  it('T10: of many that start at once on a directory that a killed one left, exactly one gets it', async () => {
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => diskFiles(directory)))
      const won = results.filter(result => result.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const { value } of won) await value.close()
    }
    opened.push(await diskFiles(directory))
  })

  it('T10: a directory whose path is too long for a socket is locked all the same', async () => {
    const long = join(directory, 'x'.repeat(120))
    const files = await diskFiles(long)
    opened.push(files)
    await expect(diskFiles(long)).rejects.toThrow(/is in use/)
  })

  it('what cannot be appended was not done, and what comes later is whole', async () => {
    const mock = await start()
    await send(mock, 'a')
    const { data } = mock.space()
    const row = data.tables.customers.at(0)
    const circular: Record<string, unknown> = { ...row }
    circular.self = circular
    expect(() => data.save({ customers: [circular as never] })).toThrow()
    expect(data.seq).toBe(1)
    await send(mock, 'b')
    await kill()
    expect((await send(await start(), 'b')).status).toBe(200)
  })
})
