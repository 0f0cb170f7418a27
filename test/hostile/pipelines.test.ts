import { expect, it } from 'vitest'
import { eventually } from '../process.ts'
import { get, post, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const create = (transactionId: string, ...more: readonly string[]) => {
  const body = JSON.stringify({ transactionId })
  return post(sendings, `Content-Length: ${body.length}`, ...more) + body
}
const named = ({ text }: Raw) => [...text.matchAll(/"transactionId":"(\w+)"/g)].map(([, id]) => id)

it('T55: 300 pipelined requests on one connection are all answered, in their order', async () => {
  const { port } = await start()
  const raw = await Raw.open(port)
  const ids = Array.from({ length: 300 }, (_, at) => `t${at}`)
  raw.send(ids.map(id => create(id)).join(''))
  await raw.answers(300)
  expect(new Set(raw.statuses)).toEqual(new Set([201]))
  await raw.until('the last answer', it => it.text.includes('"t299"'))
  expect(named(raw)).toEqual(ids)
  raw.leave()
})

it('T55: a reset in the middle of a pipeline: what stands before it is whole, what stands behind it is never answered', async () => {
  const { port, mock } = await start()
  const raw = await Raw.open(port)
  raw.send(create('before') + create('mock:reset-after:x') + create('behind'))
  await raw.closed()
  expect([raw.statuses, named(raw)]).toEqual([[201], ['before']])
  const seen = await mock.space('demo').requests()
  expect(seen[0]!.delivered).toBe('handed')
  expect(seen.slice(1).map(({ delivered }) => delivered)).not.toContain('handed')
})

it('T55: what is no request, behind a request that is still worked on, waits for the response to that', async () => {
  const { port, mock } = await start()
  await mock.space('demo').faults.arm({ on: 'createSending', hold: 'until-told' })
  const raw = await Raw.open(port)
  raw.send(`${create('held')}this is no request\r\n\r\n`)
  await eventually('the request to be held', async () => (await mock.space('demo').holds())[0])
  expect(raw.text).toBe('')
  await mock.space('demo').release('until-told')
  await raw.closed()
  expect([raw.statuses, named(raw)]).toEqual([[201, 400], ['held']])
  const [entry] = await mock.space('demo').requests()
  expect([entry!.delivered, entry!.bytesSent]).toEqual(['handed', raw.text.lastIndexOf('HTTP/1.1')])
})

it('T55: requests one after another on one connection leave nothing on it', async () => {
  const { port } = await start()
  const raw = await Raw.open(port)
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  for (let count = 1; count <= 300; count++) await raw.send(get('/_mock/health')).answers(count)
  process.off('warning', warned)
  expect(warnings).toEqual([])
  expect(new Set(raw.statuses)).toEqual(new Set([200]))
  raw.leave()
})
