import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Content, toBeginningRow } from '../../src/store/content.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { temporaryDirectory } from '../process.ts'

const fixture = (await readFixtures(defaultFixture))[0]!
const content = new Content(fixture)

it('a content that differs in its settings alone shares the rows, and is another one all the same', () => {
  const settings = [toBeginningRow({ seed: 7, age: 0, isGiven: true })]
  const other = new Content({ ...fixture, settings }, content)
  expect(other.bases.mailings).toBe(content.bases.mailings)
  expect(other.indexes).toBe(content.indexes)
  expect(other.bases.settings.rows).toEqual(settings)
  expect(other.digest).not.toBe(content.digest)
  expect(JSON.parse(other.json)).toEqual({ ...fixture, settings })
})

it('a content with other rows shares none', () => {
  const other = new Content({ ...fixture, sendings: [] }, content)
  expect(other.bases.mailings).not.toBe(content.bases.mailings)
  expect(other.bases.sendings.rows).toEqual([])
})

it.each([
  ['a text', 'x'],
  ['a seed that is no number', { seed: 'x', age: 0 }],
  ['no age', { seed: 1 }],
])('a beginning that is %s counts as none', (_, value) => {
  expect(new Content({ ...fixture, settings: [{ name: 'beginning', value }] }).beginning).toBeUndefined()
})

it('names that begin with a dot in a folder of fixtures are of systems and editors, and are passed over', async () => {
  using folder = temporaryDirectory()
  copyFileSync(defaultFixture, folder.at('demo.json'))
  writeFileSync(folder.at('._demo.json'), '\0\x05\x16\x07')
  symlinkSync('me@host.1:2', folder.at('.#demo.json'))
  expect(await readFixtures(folder.path)).toHaveLength(1)
  // A file that is named is meant.
  await expect(readFixtures(folder.at('._demo.json'))).rejects.toThrow('._demo.json')
})
