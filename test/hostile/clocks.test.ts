import { afterEach, expect, it, vi } from 'vitest'
import { startTester } from '../rig/control/tester.ts'

afterEach(() => {
  vi.useRealTimers()
})

const clock = '/spaces/demo/clock'
const year = 365 * 24

it('T56: a clock goes a hundred years ahead, and no timer is set beyond what timers can wait', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const tester = await startTester()
  expect((await tester.post(clock, { rate: 1_000_000 })).status).toBe(200)
  expect((await tester.post(clock, { rate: 0.001 })).status).toBe(200)
  const { status, json } = await tester.post(clock, { advance: `${100 * year}h` })
  expect([status, json.now.slice(0, 4)]).toEqual([200, '2126'])
  expect((await tester.as('demo').get('/mailings')).status).toBe(200)
  for (const [, milliseconds] of set.mock.calls) expect(milliseconds ?? 0).toBeLessThan(2 ** 31)
  set.mockRestore()
  await tester.close()
})

it('T56: a clock that is sent beyond what a date can show is refused, and stays where it is', async () => {
  const tester = await startTester()
  const last = '9999-12-31T23:30:00.000Z'
  expect((await tester.post(clock, { set: last, freeze: true })).status).toBe(200)
  expect((await tester.post(clock, { advance: '1h' })).status).toBe(400)
  expect((await tester.get(clock)).json.now).toBe(last)
  expect((await tester.as('demo').get('/mailings')).status).toBe(200)
  await tester.close()
})

it.each([
  ['before 1970', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['in the hour that comes twice', '2026-10-25T02:30:00+02:00', '2026-10-25T00:30:00.000Z'],
  ['in the hour that comes twice, the second time', '2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
  ['in the hour that never comes', '2026-03-29T02:30:00+01:00', '2026-03-29T01:30:00.000Z'],
])('T56: a clock can stand %s', async (_, set, now) => {
  const tester = await startTester()
  await tester.post(clock, { set, freeze: true })
  expect((await tester.get(clock)).json.now).toBe(now)
  expect((await tester.as('demo').get('/mailings')).status).toBe(200)
  await tester.close()
})

it.each([
  '2016-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  'NaN',
  '2026-01-01T00:00:00',
  '0',
])('T56: a clock cannot be set to %s', async set => {
  const tester = await startTester()
  const { status, json } = await tester.post(clock, { set })
  expect(status, JSON.stringify(json)).toBe(400)
  await tester.close()
})

it('T56: when the machine’s clock jumps back an hour, requests stay in their order, and waits go on', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-01T10:00:00Z'), toFake: ['Date'] })
  const tester = await startTester()
  const ask = () => tester.as('demo').get('/mailings')
  await ask()
  vi.setSystemTime(Date.parse('2026-11-01T09:00:00Z'))
  await ask()
  vi.setSystemTime(Date.parse('2026-11-01T11:00:00Z'))
  await ask()
  const { _embedded } = (await tester.get('/spaces/demo/requests')).json
  const real = _embedded.requests.map((it: { arrived: { real: string } }) => Date.parse(it.arrived.real))
  expect(_embedded.requests.map((it: { number: number }) => it.number)).toEqual([1, 2, 3])
  expect([...real].sort((a, b) => a - b)).toEqual(real)
  await tester.close()
})
