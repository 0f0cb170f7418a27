import { expect, it } from 'vitest'
import { basic, ids, startMock, synchronizationPath } from '../mock.ts'
import { ask, head, useMocks } from './raw.ts'

const start = useMocks()
const sendings = synchronizationPath(ids.ready, '/sendings')

it.each<[what: string, one: string, other: string]>([
  ['in case', 'demo+Name', 'demo+name'],
  ['in how an accent is written', 'demo+\u00e4', 'demo+a\u0308'],
  ['by a percent-encoding', 'demo++', 'demo+%2b'],
  ['by a blank at the end', 'demo+name', 'demo+name '],
  ['by a letter of another script', 'demo+a', 'demo+\u0430'],
  ['by a joiner that nobody sees', 'demo+ab', 'demo+a\u200db'],
  ['by a path', 'demo+a', 'demo+../a'],
  ['by a name of the system', 'demo+con', 'demo+con.'],
])('T57: two private spaces that differ only %s share nothing', async (_, one, other) => {
  const mock = await startMock()
  const created = await mock.as(one).post(sendings, { transactionId: 'a' })
  expect(created.status).toBe(201)
  expect((await mock.as(other).post(sendings, { transactionId: 'a' })).status).toBe(201)
  expect((await mock.as(one).post(sendings, { transactionId: 'a' })).json.id).toBe(created.json.id)
  expect(mock.spaces.names().length).toBe(3)
})

it('T57: a user name of 64 KB is refused, and no space is made of it', async () => {
  const { port, mock } = await start({ headerLimit: 256 << 10 })
  for (const name of ['x'.repeat(64 << 10), `demo+${'x'.repeat(64 << 10)}`, `demo+${'x'.repeat(196)}`]) {
    const seen = await ask(
      port,
      head('GET /mailings HTTP/1.1', 'Host: localhost', `Authorization: ${basic(name)}`),
    )
    expect(seen.statuses).toEqual([401])
    const path = `/_mock/spaces/${name.slice(0, 10_000)}`
    const response = await mock.fetch(`http://localhost${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect([400, 404]).toContain(response.status)
    expect((await response.text()).length).toBeLessThan(1_000)
  }
  expect((await mock.control.spaces()).map(({ name }: { name: string }) => name)).toEqual(['demo'])
})

it('T57: however many names there are, so many spaces are kept, and memory is bounded', async () => {
  const mock = await startMock({ copies: { count: 20, idle: 3_600_000 } })
  for (let at = 0; at < 300; at++) {
    const { status } = await mock.as(`demo+user-${at}`).get('/mailings?pageSize=1')
    expect(status).toBe(200)
  }
  expect(mock.spaces.names().length).toBeLessThanOrEqual(21)
})
