import { beforeAll, describe, expect, it } from 'vitest'
import { Content, ContentFiles } from '../../src/store/content.ts'
import { StorageError } from '../../src/store/disk.ts'
import { type Files, noFiles } from '../../src/store/files.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { SpaceData } from '../../src/store/space-data.ts'

/*
 * A small store, in every damaged form that we know of: it is refused, by name, and nothing is written; or what is not
 * damage is accepted. Straight at the store, since there are thousands of forms.
 */

let content: Content
beforeAll(async () => {
  const [fixture] = await readFixtures(defaultFixture)
  content = new Content({ ...fixture!, sendings: [], mailings: [], synchronizations: [] })
})

const snapshotName = 'spaces/s.json'
const logName = 'spaces/s.1.log.jsonl'

/** Files that are bytes in memory; what is written to them is noted. */
function heldFiles(held: Map<string, Buffer>, written: string[] = []): Files {
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
    appender: name => ({
      ...noFiles.appender(name),
      append(lines) {
        written.push(name)
        held.set(name, Buffer.concat([held.get(name) ?? Buffer.alloc(0), Buffer.from(lines)]))
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

const open = (files: Files, warnings: string[] = []) =>
  SpaceData.open(
    'demo',
    's',
    content,
    1,
    files,
    async digest => (digest === content.digest ? content : undefined),
    it => warnings.push(it),
    new ContentFiles(files),
  )

const names = ['erna', 'öland', 'x"\\\n']
const customers = (data: SpaceData) => [...data.tables.customers.changes()].map(({ row }) => row.name)

/** Three changes, in the log or in the snapshot. */
async function saved(where: 'log' | 'snapshot'): Promise<Buffer> {
  const held = new Map<string, Buffer>()
  const data = await open(heldFiles(held))
  for (const name of names) await data.save({ customers: [{ name }] })
  if (where === 'snapshot') await data.close()
  return held.get(where === 'log' ? logName : snapshotName)!
}

/** How a file with these bytes is taken. */
async function taken(name: string, bytes: Buffer) {
  const before = Buffer.from(bytes)
  const written: string[] = []
  const warnings: string[] = []
  const held = new Map([[name, bytes]])
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
      for (const flip of [1, 0x20, 0x80]) {
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
    const later = (await saved('snapshot')).toString().replace('"$format":1', '"$format":2')
    await expect(open(heldFiles(new Map([[snapshotName, Buffer.from(later)]])))).rejects.toThrow(
      'its $format is 2, this version reads 1',
    )
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

  it('that is cut at any byte has every whole line, and the rest is cut with a warning', async () => {
    const whole = await saved('log')
    for (let size = 0; size < whole.length; size++) {
      const bytes = Buffer.from(whole.subarray(0, size))
      const lines = bytes.filter(byte => byte === 0x0a).length
      const isTorn = size > 0 && bytes.at(-1) !== 0x0a
      const found = await taken(logName, bytes)
      expect(found, `cut to ${size}`).toMatchObject({
        customers: names.slice(0, lines),
        written: isTorn ? [logName] : [],
      })
      expect(found !== 'refused' && found.warnings).toHaveLength(isTorn ? 1 : 0)
    }
  })

  it('with any byte flipped is refused: nothing that was acknowledged is taken for a torn line', async () => {
    const whole = await saved('log')
    for (let at = 0; at < whole.length; at++)
      for (const flip of [1, 0x20, 0x80]) {
        const flipped = Buffer.from(whole)
        flipped[at]! ^= flip
        expect(await taken(logName, flipped), `byte ${at} ^ ${flip}`).toBe('refused')
      }
  })

  it.each<[string, (lines: string[]) => string[]]>([
    ['a line twice', ([a, b, c]) => [a!, b!, b!, c!]],
    ['lines in another order', ([a, b, c]) => [a!, c!, b!]],
    ['a line missing', ([a, , c]) => [a!, c!]],
    ['an empty line', ([a, b, c]) => [a!, '\n', b!, c!]],
    ['CRLF', lines => lines.map(line => line.replace('\n', '\r\n'))],
    ['a line of another program', ([a, b]) => [a!, '{"some":"json"}\n', b!]],
  ])('with %s is not taken for more or less than it is', async (what, damage) => {
    const lines = (await saved('log')).toString().split(/(?<=\n)/)
    const found = await taken(logName, Buffer.from(damage(lines).join('')))
    // A change that is there twice is one change: so it is after a snapshot whose log could not be removed.
    if (what === 'a line twice') expect(found).toMatchObject({ customers: names })
    else expect(found).toBe('refused')
  })

  it('whose end is zero bytes, as after a power failure, is cut there with a warning', async () => {
    const whole = await saved('log')
    const found = await taken(logName, Buffer.concat([whole, Buffer.alloc(500)]))
    expect(found).toMatchObject({ customers: names, written: [logName] })
  })
})
