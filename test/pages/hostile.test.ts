import { beforeAll, describe, expect, it } from 'vitest'
import { pageTable } from '../../src/pages/page-table.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { everyPage } from './addresses.ts'
import { look } from './person.ts'

/** What ends an attribute, a text, a title, a script or a comment, and what it would then bring in. */
const hostile = `"'><script>alert('hostile')</script></title></textarea>--><img src=x onerror=alert('hostile')>`
/** As it must not stand anywhere. */
const raw = /<script>alert|<img src=x|"'>|<\/textarea>--/

/** A fixture in which every text that may be anything is hostile, down to the content of mailings. */
function hostileEverywhere<Value>(value: Value, key = ''): Value {
  const free = /^(?:name|subject|html|text|description|listName)$/
  if (typeof value === 'string') return (free.test(key) ? `${hostile} ${value}` : value) as Value
  if (Array.isArray(value)) return value.map(it => hostileEverywhere(it, key)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, hostileEverywhere(inner, name)]),
  ) as Value
}

let tester: Tester
const addresses = new Map<string, string>()

beforeAll(async () => {
  const [base] = await readFixtures(defaultFixture)
  // Users and customers are found by their names.
  const { users, customers, space, ...content } = structuredClone(base!)
  const fixture = { ...hostileEverywhere(content), users, customers, space }
  tester = await startTester({ fixtures: fixture })
  await tester.fetch(`${synchronizationPath(ids.ready, '/sendings')}?${hostile}`, {
    method: 'POST',
    headers: {
      authorization: basic('demo'),
      'content-type': halType,
      'x-hostile': hostile,
      'user-agent': hostile,
    },
    body: JSON.stringify({ transactionId: hostile, subject: hostile, [hostile]: hostile }),
  })
  await tester.fetch(`/${hostile}`, {
    method: 'PUT',
    headers: { authorization: basic('demo') },
    body: hostile,
  })
  await tester.put('/spaces/demo/scenario', {
    description: hostile,
    rules: [{ on: 'createSending', steps: [{ hold: hostile.slice(0, 60) }] }],
  })
  await tester.put('/spaces/demo/scenario', { name: 'happy-path' })
  for (const { path, address } of await everyPage(tester)) addresses.set(path, address)
})

describe.each(pageTable.map(({ path }) => path).filter(path => !path.endsWith('/html')))(
  'the page at %s',
  path => {
    it('shows what a client has sent as text, and only as text', async () => {
      const { status, text } = await look(tester, addresses.get(path)!)
      expect(status).toBe(200)
      expect(text).not.toMatch(raw)
    })
  },
)

describe('a request whose every part is hostile', () => {
  it.each(['r0-1', 'r0-2'])('%s is shown as it came, as text', async id => {
    const { status, text } = await look(tester, `/spaces/demo/requests/${id}`)
    expect(status).toBe(200)
    expect(text).not.toMatch(raw)
    expect(text).toContain('&lt;script&gt;alert(&#39;hostile&#39;)&lt;/script&gt;')
  })

  it('a request whose every part is hostile is listed, and filtered for, as text', async () => {
    const { text } = await look(
      tester,
      `/spaces/demo/requests?transactionId=${encodeURIComponent(hostile)}&scenario=${encodeURIComponent(hostile)}`,
    )
    expect(text).not.toMatch(raw)
    expect(text).toContain('value="&quot;&#39;&gt;&lt;script&gt;')
    expect((await look(tester, '/spaces/demo/requests')).text).not.toMatch(raw)
  })

  it.each([
    `/spaces/${encodeURIComponent(hostile)}`,
    `/spaces/demo%2B${encodeURIComponent(hostile)}`,
    `/spaces/demo/requests/${encodeURIComponent(hostile)}`,
    `/spaces/demo/mailings/${encodeURIComponent(hostile)}`,
    `/problems/${encodeURIComponent(hostile)}`,
    `/relations/${encodeURIComponent(hostile)}`,
    `/${encodeURIComponent(hostile)}`,
    `/spaces/demo/requests?${encodeURIComponent(hostile)}=1`,
  ])('an address such as %s is told as text', async path => {
    const { text } = await look(tester, path)
    expect(text).not.toMatch(raw)
    expect(text).toContain('&lt;script&gt;')
  })

  it('a private space with a hostile name is shown under it', async () => {
    const name = `demo+${hostile}`
    await tester.as(name).get('/mailings?limit=1')
    for (const path of ['', `/spaces/${encodeURIComponent(name)}`]) {
      const { status, text } = await look(tester, path)
      expect(status).toBe(200)
      expect(text).not.toMatch(raw)
      expect(text.replaceAll('<wbr/>', '')).toContain('demo+&quot;&#39;&gt;&lt;script&gt;')
    }
  })
})
