import { expect, test } from 'vitest'
import { startMock } from '../mock.ts'
import { addressesOf, answersOf, pulledFrom, startedWith, undisturbed } from './pulling.ts'

/** The one figure that differs: a preview does not show the placeholders that the content has, so it is shorter. */
const withoutMailSize = (text: string) => text.replace(/"averageMailSize":\d+/, '"averageMailSize":0')

test('a mock that starts with what was pulled gives the same answers, to the byte', async () => {
  const mock = await startMock({ fixture: undisturbed })
  const pulled = await pulledFrom(mock)
  const addresses = addressesOf(undisturbed(mock.space().data.content.fixture))
  const before = await answersOf(mock, addresses)
  const after = await answersOf(await startedWith(pulled), addresses)
  expect(before.size).toBeGreaterThan(700)
  for (const [address, text] of before)
    expect(withoutMailSize(after.get(address)!), address).toBe(withoutMailSize(text))
})
