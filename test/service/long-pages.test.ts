import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import { basic } from '../mock.ts'

const headers = { authorization: basic('demo'), 'content-type': 'application/json' }

describe('a page whose entries are very long', () => {
  it('is refused with the number of entries that fit, and that many are answered (8)', async () => {
    const mock = await createMock({ logLevel: 'silent', memoryLimit: 512 })
    const { _embedded } = (await (
      await mock.fetch('http://localhost/_mock/spaces/demo/mailings')
    ).json()) as {
      _embedded: { mailings: { id: string }[] }
    }
    const edit = { method: 'POST', headers, body: JSON.stringify({ name: 'x'.repeat(1_000_000) }) }
    for (const { id } of _embedded.mailings.slice(0, 10))
      expect((await mock.fetch(`http://localhost/_mock/spaces/demo/mailings/${id}/edit`, edit)).status).toBe(
        200,
      )
    const list = (size: number) => mock.fetch(`http://localhost/mailings?pageSize=${size}`, { headers })
    const refused = await list(1_000)
    const { invalidFields } = (await refused.json()) as {
      invalidFields: { field: string; problem: string }[]
    }
    expect([refused.status, invalidFields[0]!.field]).toEqual([400, 'pageSize'])
    const [, most] = /^expected at most (\d+) here: /.exec(invalidFields[0]!.problem)!
    expect((await list(Number(most))).status).toBe(200)
    expect((await list(Number(most) + 1)).status).toBe(400)
    await mock.close()
  })
})
