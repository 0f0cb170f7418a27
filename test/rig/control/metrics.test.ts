import { expect, it } from 'vitest'
import { ids, synchronizationPath } from '../../mock.ts'
import { startTester } from './tester.ts'

/** A line of the text format: a comment, or a sample with labels, a number and no time. */
const line =
  /^(?:# HELP [a-z_]+ [^\\\n]+|# TYPE [a-z_]+ (?:counter|gauge)|[a-z_]+(?:\{[a-z]+="[^"\\\n]*"\})? -?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/

it('GET /metrics is 404 and says how to have it, unless the mock was started with --metrics', async () => {
  await using tester = await startTester()
  const { status, json } = await tester.get('/metrics')
  expect([status, json.detail]).toEqual([404, expect.stringContaining('start the mock with --metrics')])
})

it('GET /metrics has the text format of Prometheus, each metric once with its type before its samples', async () => {
  await using tester = await startTester({ metrics: true })
  const response = await tester.fetch('/_mock/metrics')
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  expect(text.endsWith('\n')).toBe(true)
  const lines = text.slice(0, -1).split('\n')
  for (const it of lines) expect(it).toMatch(line)
  const types = lines.flatMap(it => /^# TYPE (\S+) (\S+)$/.exec(it)?.slice(1, 3) ?? [])
  const names = types.filter((_, at) => at % 2 === 0)
  expect(new Set(names).size).toBe(names.length)
  let current = ''
  for (const it of lines) {
    current = /^# TYPE (\S+)/.exec(it)?.[1] ?? current
    if (!it.startsWith('#')) expect(it.split(/[{ ]/)[0]).toBe(current)
  }
  for (const [at, name] of names.entries())
    expect(name.endsWith('_total'), name).toBe(types[2 * at + 1] === 'counter')
})

it('GET /metrics counts the requests of all spaces, those included that are gone', async () => {
  await using tester = await startTester({ metrics: true })
  const send = (user: string) =>
    tester.as(user).post(synchronizationPath(ids.ready, '/sendings'), { transactionId: user })
  await send('demo')
  await send('demo+removed')
  await tester.delete('/spaces/demo+removed')
  await tester.post('/spaces/demo/reset')
  await send('demo')
  const text = await (await tester.fetch('/_mock/metrics')).text()
  expect(text).toContain('\nmailing_sync_mock_requests_total 3\n')
  expect(text).toContain('\nmailing_sync_mock_spaces 1\n')
  expect(text).toContain('\nmailing_sync_mock_spaces_ended_total{why="removed"} 1\n')
  expect(text).toContain('\nmailing_sync_mock_spaces_ended_total{why="reset"} 1\n')
})
