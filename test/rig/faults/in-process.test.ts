import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { InProcessWire } from '../../../src/http/in-process-transport.ts'
import { deliverWhole } from '../../../src/rig/faults/fault.ts'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import type { Answer } from '../../../src/service/response.ts'
import { deliver } from './deliver.ts'
import { wireEffects } from './effects.ts'
import { answer, context, faultServer } from './fault-server.ts'

const cases = [
  ...[...faults.keys()]
    .filter(name => wireEffects[name]?.ending !== 'open')
    .map(name => [name, JSON.stringify(wireEffects[name]?.quick ?? {})] as const),
  ['early-hints', '{"status":100}'],
  ['early-hints', '{"status":102}'],
  ['empty-201', '{"status":204}'],
  ['truncate', '{"bytes":0}'],
  ['chunk-cut', '{"bytes":0}'],
  ['length-short', '{"bytes":0}'],
] as const

/** What an application sees of an answer: its status and text, or the errors in its place. */
async function shown(response: Promise<Response>): Promise<unknown> {
  const told = (error: unknown) => {
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return { name, message, cause: cause && { name: cause.name, code: cause.code, message: cause.message } }
  }
  try {
    const answered = await response
    const { status, statusText, headers, body } = answered
    const [type, location] = [headers.get('content-type'), headers.get('location')]
    return {
      status,
      statusText,
      type,
      location,
      isNull: body === null,
      text: await answered.text().catch(told),
    }
  } catch (error) {
    return told(error)
  }
}

function struck(
  name: string,
  given: string,
  wire: InProcessWire,
  path: string,
  base: string,
  own: Answer = answer,
) {
  const fault = faults.get(name)!
  const over = deliver(fault, fault.settings.parse(JSON.parse(given)), own, wire, context(path, base))
  return over.then(told => told && deliverWhole(told, wire))
}

describe.each([
  ['a response with a body', answer],
  ['a response without a body', { status: 204, headers: {}, body: '' }],
])('%s', (_, own) => {
  it.each(cases)('%s %s shows what fetch shows over a socket', async (name, given) => {
    await using server = await faultServer(own)
    const path = `/${name}?${encodeURIComponent(given)}`
    let over = await shown(fetch(server.url + path, { redirect: 'manual' }))
    // Which connection it uses is up to fetch; it will use one again.
    for (
      let tries = 1;
      faults.get(name)!.applies === 'on reused connection' && server.wires.length === 0 && tries < 20;
      tries += 1
    )
      over = await shown(fetch(server.url + path, { redirect: 'manual' }))
    const wire = new InProcessWire()
    const [within] = await Promise.all([
      shown(wire.response),
      struck(name, given, wire, path, `http://localhost:${server.port}`, own),
    ])
    expect(within).toEqual(over)
    const [there] = server.wires
    if ('deliver' in faults.get(name)!) {
      await there!.gone
      expect([wire.outcome, wire.bytesWritten]).toEqual([there!.outcome, there!.bytesWritten])
    }
  })
})

describe('a client that leaves', () => {
  it.each(['hang', 'stall', 'drip', 'drip-headers'])('%s is over, and the reason is shown', async name => {
    const leaving = new AbortController()
    const wire = new InProcessWire(leaving.signal)
    const over = struck(name, '{}', wire, '/', 'http://localhost')
    const seen = shown(wire.response)
    // What is written at once has arrived by then.
    await new Promise(setImmediate)
    leaving.abort(new Error('enough'))
    await over
    const own = expect.objectContaining({ name: 'Error', message: 'enough' })
    expect(await seen).toEqual(
      name === 'hang' || name === 'drip-headers' ? own : expect.objectContaining({ text: own }),
    )
    expect(wire.outcome).toBe('aborted')
  })

  it('before it started is gone at once', async () => {
    const wire = new InProcessWire(AbortSignal.abort(new Error('enough')))
    await struck('hang', '{}', wire, '/', 'http://localhost')
    await expect(wire.response).rejects.toThrow('enough')
  })

  it.each(['hang', 'stall', 'drip'])('%s leaves no parser of HTTP behind', async name => {
    const parsers = new Set<number>()
    const hook = createHook({
      init: (id, type) => void (type === 'HTTPCLIENTREQUEST' && parsers.add(id)),
      destroy: id => void parsers.delete(id),
    }).enable()
    const leaving = new AbortController()
    const wire = new InProcessWire(leaving.signal)
    const over = struck(name, '{}', wire, '/', 'http://localhost')
    await new Promise(setImmediate)
    leaving.abort(new Error('enough'))
    await over
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    hook.disable()
    expect(parsers).toEqual(new Set())
  })

  it('by cancelling the body is gone too', async () => {
    const wire = new InProcessWire()
    const over = struck('stall', '{}', wire, '/', 'http://localhost')
    await (await wire.response).body!.cancel()
    await over
    expect(wire.outcome).toBe('aborted')
  })
})

it('stopping ends what hangs, as a closed connection', async () => {
  const wire = new InProcessWire()
  const over = struck('hang', '{}', wire, '/', 'http://localhost')
  wire.stop()
  await over
  expect(await shown(wire.response)).toMatchObject({
    message: 'fetch failed',
    cause: { code: 'UND_ERR_SOCKET' },
  })
  expect(wire.outcome).toBe('server-stopped')
})

it('a head that comes byte by byte is read like one that comes at once', async () => {
  const bytes =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n'
  const wire = new InProcessWire()
  for (const byte of bytes) await wire.write(byte)
  await wire.end('whole')
  expect(await (await wire.response).text()).toBe('abcde')
})
