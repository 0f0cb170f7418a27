import { expect, it } from 'vitest'
import { noFiles } from '../../src/store/files.ts'
import { readCreatedSpaces } from '../../src/store/tenant-directory.ts'

const holding = (text: string) => ({ ...noFiles, read: () => Buffer.from(text) })

it('there are no made spaces where none were kept', () => {
  expect(readCreatedSpaces(noFiles)).toEqual([])
})

it.each(['{', 'null', '{}', '[{"space":"a"}]', '[{"space":1,"digest":"x"}]'])(
  'a list of made spaces that reads %s is damaged, and nothing is guessed',
  text => {
    expect(() => readCreatedSpaces(holding(text))).toThrow(/^fixtures\/made\.json is damaged: /)
  },
)
