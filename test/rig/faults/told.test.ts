import { describe, expect, it } from 'vitest'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import type { RequestRecordView } from '../../../src/rig/request-record.ts'
import { basic, halType, ids, synchronizationPath } from '../../mock.ts'
import { eventually } from '../../process.ts'
import { journalCalls } from '../requests/journal-calls.ts'
import { onCreate, staged } from '../stage.ts'
import { RawClient } from './raw-client.ts'

const path = synchronizationPath(ids.ready, '/sendings')
const credentials = `Host: localhost\r\nAuthorization: ${basic('demo')}\r\n`
const body = '{"transactionId":"T"}'
const create = `POST ${path} HTTP/1.1\r\n${credentials}Content-Type: ${halType}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Head {
  readonly status: number
  /** Each as `Name: value`. */
  readonly lines: readonly string[]
}

/** The whole heads in what a client received: of informational responses, then of the final one. */
function readHeads(bytes: string): Head[] {
  const [head, ...rest] = bytes.split('\r\n\r\n') as [string, ...string[]]
  const [statusLine, ...lines] = head.split('\r\n') as [string, ...string[]]
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  if (rest.length === 0 || Number.isNaN(status)) return []
  return [{ status, lines }, ...(status < 200 ? readHeads(rest.join('\r\n\r\n')) : [])]
}

const linesOf = (headers: RequestRecordView['headers']) =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map(one => `${name}: ${one}`))

/** As fast as a slow fault may be. */
const quick = { every: '1ms', bytes: 50 }

/** What a client receives whose creation meets a fault, and what is on record of it. */
async function meet(fault: string, settings: object = fault.startsWith('drip') ? quick : {}) {
  const { applies } = faults.get(fault)!
  const phase = applies === 'before body' ? 'before' : 'after'
  const per = applies === 'before body' ? 'space' : 'transaction'
  const { mock, listen } = await staged([onCreate([{ phase, answer: { fault, ...settings } }], { per })])
  const { port } = await listen()
  using client = await RawClient.connect(port)
  if (applies === 'on reused connection') {
    client.send(`GET /mailings?limit=1 HTTP/1.1\r\n${credentials}\r\n`)
    await client.until('}]}')
  }
  const before = client.seen.length
  client.send(create)
  const { journal } = mock.rig()
  if (fault === 'stall') await client.until('"id":')
  if (fault === 'hang')
    await eventually('the answer that is withheld', () => journal.entries().at(-1)?.response)
  else if (fault !== 'stall') await client.ended()
  return {
    heads: readHeads(client.seen.slice(before)),
    record: (await journalCalls(mock).get()) as RequestRecordView,
  }
}

const onTheWire = [...faults.values()].flatMap(it => ('deliver' in it ? [it.name] : []))

/** Those of which no client gets a whole head. */
const headless = new Set([
  ...['hang', 'close', 'reset', 'reset-upload', 'keepalive-race', 'status-cut', 'headers-cut', 'garbage'],
])

describe('the head that a fault on the wire sends is on record as told', () => {
  it.each(onTheWire)(
    '%s: its headers are those that left, and so are the responses before it',
    async name => {
      const { heads, record } = await meet(name)
      const told = record.told!
      expect(heads.length === 0).toBe(headless.has(name))
      const final = heads.at(-1)
      if (!final) return
      expect(final.status).toBe(told.status)
      expect(linesOf(told.headers).filter(line => !final.lines.includes(line))).toEqual([])
      // What Node adds to every response is on record of none.
      const usual = /^(?:Date: .*|Connection: keep-alive|Content-Length: (\d+))$/
      const others = final.lines.filter(line => !linesOf(told.headers).includes(line))
      expect(others.filter(line => !usual.test(line))).toEqual([])
      const unrecorded = others.flatMap(line => usual.exec(line)?.[1] ?? [])
      expect(unrecorded.every(length => Number(length) === told.body!.bytes)).toBe(true)
      expect(heads.slice(0, -1)).toEqual(
        (told.informational ?? []).map(({ status, headers }) => ({ status, lines: linesOf(headers) })),
      )
    },
  )

  it.each(onTheWire)('%s: the true response has nothing of it', async name => {
    const { record } = await meet(name)
    if (record.truth === null) return expect(name).toBe('reset-upload')
    expect(Object.keys(record.truth.headers)).toEqual(['Content-Type', 'Location'])
    expect(record.truth).not.toHaveProperty('informational')
  })
})

describe.each([
  ['truncate', {}, {}],
  ['truncate-eof', {}, { Connection: 'close' }],
  ['chunk-cut', {}, { 'Transfer-Encoding': 'chunked' }],
  ['bad-chunk', {}, { 'Transfer-Encoding': 'chunked' }],
  ['length-short', { bytes: 7 }, { 'Content-Length': '7' }],
])('%s %o', (fault, settings, framing) => {
  it('says of the end of the body on record what it says on the wire', async () => {
    const { told, truth } = (await meet(fault, settings)).record
    expect(told!.headers).toEqual({ ...truth!.headers, ...framing })
  })
})

it.each([
  [100, {}],
  [102, {}],
  [103, { Link: '</mailings>; rel=preload' }],
])('early-hints: the %d before the response is on record with its headers', async (status, headers) => {
  const { record } = await meet('early-hints', { status })
  expect(record.told).toMatchObject({ status: 201, informational: [{ status, headers }] })
})
