import { expect, it } from 'vitest'
import { record } from '../golden/faults.mjs'

it('every fault over HTTPS has the bytes, the end of the connection, the journal and the truth that it has over HTTP', async () => {
  const [secure, plain] = await Promise.all([record({ isSecure: true }), record()])
  const ofService = [...plain.faults].filter(([name]) => !name.startsWith('side port'))
  expect(ofService.length).toBeGreaterThan(300)
  expect(Object.fromEntries(secure.faults)).toEqual(Object.fromEntries(ofService))
})
