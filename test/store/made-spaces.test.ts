import { expect, it } from 'vitest'
import { noFiles } from '../../src/store/files.ts'
import { readMade } from '../../src/store/made-spaces.ts'

const holding = (text: string) => ({ ...noFiles, read: () => Buffer.from(text) })

it('there are no made spaces where none were kept', () => {
  expect(readMade(noFiles)).toEqual([])
})

it.each(['{', 'null', '{}', '[{"space":"a"}]', '[{"space":1,"digest":"x"}]'])(
  'a list of made spaces that reads %s is damaged, and nothing is guessed',
  text => {
    expect(() => readMade(holding(text))).toThrow(/^fixtures\/made\.json is damaged: /)
  },
)
