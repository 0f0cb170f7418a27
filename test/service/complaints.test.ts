import { describe, expect, it } from 'vitest'
import { customersPath, ids, jsonOf, startMock, synchronizationPath } from '../mock.ts'

const put = `${customersPath}/harbour-group/configuration/accessible-lists`
const testSendings = synchronizationPath(ids.ready, '/test-sendings')
const sendings = synchronizationPath(ids.ready, '/sendings')
const spaces = '/_mock/spaces/demo+large'
/** So many zeros between commas. */
const zeros = (count: number) => `0${',0'.repeat(count - 1)}`
const members = (count: number) => Array.from({ length: count }, (_, n) => `"m${n}":1`).join()
const mebibyte = 1 << 20

describe('complaints are bounded before they are made', () => {
  it('S validation members: of 9,000 wrong entries 50 are named, and the rest is counted', async () => {
    const demo = (await startMock()).as('demo')
    const texts = `"a"${',"a"'.repeat(8_999)}`
    for (const [method, path, body] of [
      ['PUT', put, `{"permittedLists":[${texts}]}`],
      ['POST', testSendings, `{"recipientAddresses":[${texts}]}`],
    ] as const) {
      const { status, json, text } = await demo.send(method, path, {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(status).toBe(400)
      expect(json.invalidFields).toHaveLength(50)
      expect(json.generalErrors).toEqual(['and 8950 more'])
      expect(text.length).toBeLessThan(20_000)
    }
  })

  it.each([
    ['entries of an array', 'PUT', put, `{"permittedLists":[${zeros(500_000)}]}`],
    ['addresses', 'POST', testSendings, `{"recipientAddresses":["a"${',""'.repeat(300_000)}]}`],
    ['members', 'POST', sendings, `{${members(90_000)}}`],
    ['arrays in arrays', 'POST', sendings, `{"name":[${'[],'.repeat(300_000)}[]]}`],
  ] as const)(
    'S 400: a body of 1 MiB with too many %s is refused in one sentence',
    async (_, method, path, body) => {
      const { status, json } = await (await startMock()).as('demo').send(method, path, {
        body: body.slice(0, mebibyte),
        headers: { 'content-type': 'application/json' },
      })
      expect(status).toBe(400)
      expect(json.detail).toMatch(
        /^The request body (holds more than 10000 values|has an object with more than 1000 members)$/,
      )
    },
  )

  it('unknown members of a control call are named up to 50, and the rest is counted', async () => {
    const mock = await startMock()
    const response = await mock.fetch(
      new Request('http://localhost/_mock/spaces/demo/clock', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{${members(900)}}`,
      }),
    )
    expect(response.status).toBe(400)
    const { generalErrors } = await jsonOf(response)
    expect(generalErrors).toHaveLength(51)
    expect(generalErrors.at(-1)).toMatch(/^and \d+ more$/)
  })

  it.each([
    ['users', `{"fixture":{"space":"x","users":[${zeros(900_000)}]}}`],
    ['entries inside a row', `{"fixture":{"lists":[{"testMailGroups":[${zeros(900_000)}]}]}}`],
    ['unknown members', `{${members(900_000)}}`],
    ['rules of a scenario', `{"scenario":{"rules":[${zeros(900_000)}]}}`],
    ['values', `{"fixture":{"users":[${zeros(7_000_000)}]}}`],
  ])('a whole space with too many %s is refused in one sentence', async (_, body) => {
    const mock = await startMock()
    const response = await mock.fetch(
      new Request(`http://localhost${spaces}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
    expect(response.status).toBe(400)
    const text = await response.text()
    expect(text).toMatch(
      /expected at most 10000 entries or members|more than 1000000 values|more than 1000 members/,
    )
    expect(text.length).toBeLessThan(2_000)
  })

  it('a control body of more than 16 MiB is 413', async () => {
    const mock = await startMock()
    const response = await mock.fetch(
      new Request(`http://localhost${spaces}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: `{"a":"${'x'.repeat(16 * mebibyte)}"}`,
      }),
    )
    expect(response.status).toBe(413)
  })
})
