import { expect, it } from 'vitest'
import { type Files, noFiles } from '../../src/store/files.ts'
import { readCreatedSpaces } from '../../src/store/tenant-directory.ts'

const holding = (text: string): Files => ({ ...noFiles, read: () => Buffer.from(text) })

/** What a new directory gets. */
function written(): string {
  let list = ''
  readCreatedSpaces({
    ...noFiles,
    writeOnce(_, text) {
      list = text()
    },
  })
  return list
}

it('there are no made spaces where none were kept', () => {
  expect(readCreatedSpaces(noFiles)).toEqual([])
  expect(readCreatedSpaces(holding(written()))).toEqual([])
})

it.each(['', '{', 'null', '{}', '[]', '[{"space":"a","digest":"x"}]', '\0\0\0\0'])(
  'a list of made spaces that reads %j is refused, and nothing is guessed',
  text => {
    expect(() => readCreatedSpaces(holding(text))).toThrow(
      /^fixtures\/made\.json(?: is damaged: it is not JSON|: its \$format is missing)/,
    )
  },
)

it('a list of made spaces with any bit flipped, or cut at any byte, is refused', () => {
  const list = written()
  for (let at = 0; at < list.length; at++) {
    expect(() => readCreatedSpaces(holding(list.slice(0, at)))).toThrow(/^fixtures\/made\.json/)
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Buffer.from(list)
      flipped[at]! ^= 1 << bit
      expect(() => readCreatedSpaces({ ...noFiles, read: () => flipped })).toThrow(/^fixtures\/made\.json/)
    }
  }
})

it.each(['fixtures', 'spaces'])('a missing list of made spaces beside files of %s is refused', folder => {
  const files: Files = { ...noFiles, stems: of => (of === folder ? ['something'] : []) }
  expect(() => readCreatedSpaces(files)).toThrow(
    'fixtures/made.json is damaged: it is missing, though there are other files',
  )
})

it.each([
  ['a log', '{"crc":"0123abcd","seq":1,"content":"d"}\n'],
  ['a snapshot', '{"$format":1,"$space":"demo",'],
])(
  'a directory of format 1, which has no list of made spaces, is refused for its format: %s says it',
  (_, head) => {
    const files: Files = {
      ...noFiles,
      stems: folder => (folder === 'spaces' ? ['spaces/demo.d'] : []),
      list: () => ['spaces/demo.d.x'],
      read: name => (name === 'spaces/demo.d.x' ? Buffer.from(head) : undefined),
    }
    expect(() => readCreatedSpaces(files)).toThrow(
      /^spaces\/demo\.d\.x: its \$format is 1, this version reads 2; start the version that wrote it/,
    )
  },
)
