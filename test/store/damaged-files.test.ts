import { beforeAll, describe, expect, it } from 'vitest'
import { Content, ContentFiles } from '../../src/store/content.ts'
import { StorageError } from '../../src/store/disk.ts'
import { type Files, noFiles } from '../../src/store/files.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { begunName, formatLine } from '../../src/store/log.ts'
import { formatSnapshot } from '../../src/store/snapshot.ts'
import { SpaceData } from '../../src/store/space-data.ts'
import { repetitions } from '../repetitions.ts'

/*
 * A small store, in every damaged form that we know of: it is refused, by name, and nothing is written; or what is not
 * damage is accepted. Straight at the store, since there are thousands of forms.
 */

let content: Content
beforeAll(async () => {
  const [fixture] = await readFixtures(defaultFixture)
  content = new Content({ ...fixture!, sendings: [], mailings: [], synchronizations: [] })
})

const flips = [1, 0x20, 0x80]
/** Each bit at each byte, or by turns. */
const flipsAt = (at: number) => flips.filter((_, nth) => (nth - at) % repetitions(flips.length, 1) === 0)

const snapshotName = 'spaces/s.json'
const logName = 'spaces/s.1.log.jsonl'
const noteName = 'spaces/s.1.log.begun'

/** Files that are bytes in memory; what is written to them is noted. */
function heldFiles(held: Map<string, Buffer>, written: string[] = []): Files {
  const append = (name: string, lines: string) => {
    written.push(name)
    held.set(name, Buffer.concat([held.get(name) ?? Buffer.alloc(0), Buffer.from(lines)]))
  }
  return {
    ...noFiles,
    persistent: true,
    list: () => [...held.keys()],
    read: name => held.get(name),
    async replace(name, pieces) {
      written.push(name)
      held.set(name, Buffer.from([...pieces].join('')))
    },
    writeOnce() {},
    appender: (name, header) => ({
      ...noFiles.appender(name, header),
      append(lines) {
        if (!held.has(name)) {
          append(name, header)
          append(begunName(name), '')
        }
        append(name, lines)
      },
    }),
    cut(name, size) {
      written.push(name)
      held.set(name, held.get(name)!.subarray(0, size))
    },
    remove(names) {
      written.push(...names)
      for (const name of names) held.delete(name)
    },
  }
}

const open = (files: Files, warnings: string[] = [], space = 'demo') =>
  SpaceData.open(
    space,
    {
      files,
      stem: 'spaces/s',
      contents: {
        contentFiles: new ContentFiles(files),
        findContent: async digest => (digest === content.digest ? content : undefined),
      },
    },
    content,
    1,
    it => warnings.push(it),
  )

const names = ['erna', 'öland', 'x"\\\n']
const customers = (data: SpaceData) => [...data.tables.customers.changes()].map(({ row }) => row.name)

/** Three changes, in the log or in the snapshot. */
async function saved(where: 'log' | 'snapshot', space = 'demo'): Promise<Buffer> {
  const held = new Map<string, Buffer>()
  const data = await open(heldFiles(held), [], space)
  for (const name of names) {
    data.save({ customers: [{ name }] })
    await data.durable
  }
  if (where === 'snapshot') await data.close()
  return held.get(where === 'log' ? logName : snapshotName)!
}

/** How a file with these bytes is taken, after a run that acknowledged what was in it. */
async function taken(name: string, bytes: Buffer) {
  const before = Buffer.from(bytes)
  const written: string[] = []
  const warnings: string[] = []
  const held = new Map([
    [name, bytes],
    [noteName, Buffer.alloc(0)],
  ])
  try {
    const data = await open(heldFiles(held, written), warnings)
    return { customers: customers(data), warnings, written }
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError)
    expect((error as Error).message).toContain(name)
    expect(written).toEqual([])
    expect(held.get(name)).toEqual(before)
    return 'refused'
  }
}

describe('T30: a snapshot', () => {
  it('as it was written is taken', async () => {
    expect(await taken(snapshotName, await saved('snapshot'))).toEqual({
      customers: names,
      warnings: [],
      written: [],
    })
  })

  it('that is cut at any byte is refused', async () => {
    const whole = await saved('snapshot')
    for (let size = 0; size < whole.length; size++)
      expect(await taken(snapshotName, Buffer.from(whole.subarray(0, size))), `cut to ${size}`).toBe(
        'refused',
      )
  })

  it('with any byte flipped is refused', async () => {
    const whole = await saved('snapshot')
    for (let at = 0; at < whole.length; at++)
      for (const flip of flipsAt(at)) {
        const flipped = Buffer.from(whole)
        flipped[at]! ^= flip
        expect(await taken(snapshotName, flipped), `byte ${at} ^ ${flip}`).toBe('refused')
      }
  })

  it.each<[string, (whole: Buffer) => Buffer | string]>([
    ['nothing', () => ''],
    ['null', () => 'null'],
    ['a number', () => '0'],
    ['an array', () => '[]'],
    ['text', () => '"x"'],
    ['an object', () => '{}'],
    ['zero bytes', whole => Buffer.alloc(whole.length)],
    ['a byte order mark', whole => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole])],
    ['trailing blanks', whole => Buffer.concat([whole, Buffer.from(' \n')])],
    ['trailing text', whole => Buffer.concat([whole, Buffer.from('{}')])],
    ['itself twice', whole => Buffer.concat([whole, whole])],
    ['CRLF', whole => whole.toString().replaceAll('\n', '\r\n')],
    ['UTF-16', whole => Buffer.from(whole.toString(), 'utf16le')],
    [
      'invalid UTF-8',
      whole => Buffer.concat([whole.subarray(0, 40), Buffer.from([0xff, 0xfe]), whole.subarray(40)]),
    ],
    ['a member twice', whole => whole.toString().replace('"$seq":3', '"$seq":3,"$seq":2')],
    ['__proto__', whole => whole.toString().replace('"$seq":3', '"$seq":3,"__proto__":{"$seq":9}')],
    ['100,000 levels', () => '['.repeat(100_000)],
    ['another layout', whole => JSON.stringify(JSON.parse(whole.toString()), null, 2)],
  ])('with %s is refused', async (_, damage) => {
    expect(await taken(snapshotName, Buffer.from(damage(await saved('snapshot'))))).toBe('refused')
  })

  it('T13: of a later version is refused by its number', async () => {
    const later = (await saved('snapshot')).toString().replace('"$format":2', '"$format":3')
    await expect(open(heldFiles(new Map([[snapshotName, Buffer.from(later)]])))).rejects.toThrow(
      'its $format is 3, this version reads 2',
    )
  })

  // With right checksums: a later version may have written this.
  it.each<[string, object, RegExp]>([
    ['an unknown member', { $audits: 1 }, /it has the members .*\$audits/],
    [
      'an unknown table',
      { changes: [['audits', [{ sequence: 1, row: { id: 'x' } }]]] },
      /unknown table "audits"/,
    ],
    [
      'a row that is null',
      { changes: [['customers', [{ sequence: 1, row: null }]]] },
      /expected a row of customers/,
    ],
    [
      'a row of another shape',
      { changes: [['sendings', [{ sequence: 1, row: { id: 'x' } }]]] },
      /cannot read it/,
    ],
  ])('with %s is refused', async (_, more, message) => {
    const { changes: __, $checksum: ___, ...head } = JSON.parse((await saved('snapshot')).toString())
    const text = [...formatSnapshot({ ...head, changes: [], ...more })].join('')
    await expect(open(heldFiles(new Map([[snapshotName, Buffer.from(text)]])))).rejects.toThrow(message)
  })

  it('of another space is refused by its name', async () => {
    const other = (await saved('snapshot')).toString().replace('"$space":"demo"', '"$space":"omed"')
    await expect(open(heldFiles(new Map([[snapshotName, Buffer.from(other)]])))).rejects.toThrow(
      'it is of space "omed", expected "demo"',
    )
  })
})

describe('T30: a log', () => {
  it('as it was written is taken', async () => {
    expect(await taken(logName, await saved('log'))).toEqual({ customers: names, warnings: [], written: [] })
  })

  it('that is cut at any byte after its header has every whole line, and the rest is cut with a warning', async () => {
    const whole = await saved('log')
    const header = whole.indexOf(0x0a) + 1
    for (let size = 0; size < whole.length; size++) {
      const bytes = Buffer.from(whole.subarray(0, size))
      const lines = bytes.filter(byte => byte === 0x0a).length
      const isTorn = bytes.at(-1) !== 0x0a
      const found = await taken(logName, bytes)
      if (size < header) expect(found, `cut to ${size}`).toBe('refused')
      else
        expect(found, `cut to ${size}`).toEqual({
          customers: names.slice(0, lines - 1),
          written: isTorn ? [logName] : [],
          warnings: isTorn ? [expect.stringContaining('cut the unfinished last line')] : [],
        })
    }
  })

  it('of which nothing was acknowledged yet is cut, also within its header', async () => {
    const whole = await saved('log')
    for (let size = 0; size < whole.indexOf(0x0a); size++) {
      const held = new Map([[logName, Buffer.from(whole.subarray(0, size))]])
      expect(customers(await open(heldFiles(held))), `cut to ${size}`).toEqual([])
      expect(held.get(logName)).toHaveLength(0)
    }
  })

  it('with any byte flipped is refused: nothing that was acknowledged is taken for a torn line', async () => {
    const whole = await saved('log')
    for (let at = 0; at < whole.length; at++)
      for (const flip of flipsAt(at)) {
        const flipped = Buffer.from(whole)
        flipped[at]! ^= flip
        expect(await taken(logName, flipped), `byte ${at} ^ ${flip}`).toBe('refused')
      }
  })

  it.each<[string, (lines: string[]) => string[]]>([
    ['a line twice', ([head, a, b, c]) => [head!, a!, b!, b!, c!]],
    ['lines in another order', ([head, a, b, c]) => [head!, a!, c!, b!]],
    ['a line missing', ([head, a, , c]) => [head!, a!, c!]],
    ['an empty line', ([head, a, b, c]) => [head!, a!, '\n', b!, c!]],
    ['CRLF', lines => lines.map(line => line.replace('\n', '\r\n'))],
    ['a line of another program', ([head, a, b]) => [head!, a!, b!, '{"some":"json"}\n']],
    ['no header', lines => lines.slice(1)],
    ['its header twice', ([head, ...lines]) => [head!, head!, ...lines]],
    ['nothing in it', () => []],
    ['zero bytes in its place', lines => ['\0'.repeat(lines.join('').length)]],
    ['null in its place', () => ['null']],
    ['text without an end', () => ['some text']],
    ['text after its last line', lines => [...lines, 'some text']],
    ['an unfinished line that is not the next', lines => [...lines, '{"crc":"01234567","seq":7,']],
    [
      'zero bytes in its last line',
      ([head, a, b]) => [head!, a!, `${b!.slice(0, 30)}\0\0${b!.slice(32, -1)}`],
    ],
  ])('with %s is refused', async (_, damage) => {
    const lines = (await saved('log')).toString().split(/(?<=\n)/)
    expect(await taken(logName, Buffer.from(damage(lines).join('')))).toBe('refused')
  })

  it.each<[string, (files: Map<string, Buffer>) => void]>([
    ['is missing', files => files.delete(logName)],
    ['is missing after a snapshot', files => files.delete('spaces/s.2.log.jsonl')],
    ['is missing before another one', files => files.delete(logName)],
    ['is missing beside its snapshot', files => files.delete(snapshotName)],
  ])('that %s is noticed', async (which, damage) => {
    const held = new Map<string, Buffer>()
    const runs = which === 'is missing' ? 1 : 2
    for (let run = 1; run <= runs; run++) {
      const data = await open(heldFiles(held))
      data.save({ customers: [{ name: `in run ${run}` }] })
      await data.durable
      if (which.includes('snapshot') && (run === 1 || which.includes('beside'))) await data.close()
    }
    expect(customers(await open(heldFiles(held)))).toHaveLength(runs)
    damage(held)
    await expect(open(heldFiles(held))).rejects.toThrow(/is damaged: .*(it is missing|a file is missing)/)
  })

  it('of another space is refused by its name', async () => {
    const held = new Map([[logName, await saved('log', 'omed')]])
    await expect(open(heldFiles(held))).rejects.toThrow(
      `${logName}, line 1 is damaged: it is of space "omed", expected "demo"`,
    )
  })

  it('of another history of the space is refused', async () => {
    const [first, second] = [new Map<string, Buffer>(), new Map<string, Buffer>()]
    for (const held of [first, second])
      for (const run of [1, 2]) {
        const data = await open(heldFiles(held))
        data.save({ customers: [{ name: held === first ? 'one' : `other ${run}` }] })
        await data.durable
      }
    first.set('spaces/s.2.log.jsonl', second.get('spaces/s.2.log.jsonl')!)
    await expect(open(heldFiles(first))).rejects.toThrow(
      /s\.2\.log\.jsonl, line 1 is damaged: this line does not match its checksum/,
    )
  })

  it('T13: of another format is refused by its number', async () => {
    const later = (await saved('log')).toString().replace('"$format":2', '"$format":3')
    const earlier = '{"crc":"01234567","seq":1,"content":"…"}\n'
    for (const [text, format] of [
      [later, '3'],
      [earlier, 'missing'],
    ] as const)
      await expect(open(heldFiles(new Map([[logName, Buffer.from(text)]])))).rejects.toThrow(
        `its $format is ${format}, this version reads 2; start the version that wrote it`,
      )
  })

  // With right checksums: a later version may have written this.
  it.each<[string, object, RegExp]>([
    ['an unknown member', { remove: {} }, /line 5 is damaged: unknown member "remove"/],
    ['another number', { seq: 5 }, /line 5 is damaged: it is change 5, expected 4/],
    ['an unknown table', { put: { audits: [{}] } }, /line 5 is damaged: .*unknown table "audits"/],
    [
      'a row that is null',
      { put: { customers: [null] } },
      /line 5 is damaged: .*expected a row of customers/,
    ],
    [
      'a row without a key',
      { put: { customers: [{}] } },
      /line 5 is damaged: .*a row of customers has no key/,
    ],
    [
      'a row of another shape',
      { put: { sendings: [{ id: 'x' }] } },
      /line 5 is damaged: this version cannot/,
    ],
    ['rows that are none', { put: { customers: 5 } }, /line 5 is damaged: this version cannot read it/],
  ])('with %s is refused', async (_, more, message) => {
    const whole = await saved('log')
    const last = whole.toString().trimEnd().split('\n').at(-1)!
    const { line } = formatLine({ seq: 4, ...more }, Number.parseInt(JSON.parse(last).crc, 16))
    const held = new Map([[logName, Buffer.concat([whole, Buffer.from(line)])]])
    await expect(open(heldFiles(held))).rejects.toThrow(message)
  })

  it('whose end is zero bytes, as after a power failure, is cut there with a warning', async () => {
    const whole = await saved('log')
    const found = await taken(logName, Buffer.concat([whole, Buffer.alloc(500)]))
    expect(found).toMatchObject({ customers: names, written: [logName] })
  })
})
