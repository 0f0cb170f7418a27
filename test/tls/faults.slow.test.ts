import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseEntries } from '../golden/entries.mjs'
import { record } from '../golden/faults.mjs'

it('every fault over HTTPS has the bytes, the end of the connection, the journal and the truth that it has over HTTP', async () => {
  const { faults } = await record({ isSecure: true })
  const plain = parseEntries(readFileSync('test/golden/recorded/faults.txt', 'utf8'))
  for (const name of plain.keys()) if (name.startsWith('side port')) plain.delete(name)
  expect(Object.fromEntries(faults)).toEqual(Object.fromEntries(plain))
})
