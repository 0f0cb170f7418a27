import { describe, expect, it } from 'vitest'
import { eventually } from '../../process.ts'
import { endingFaults, pathOf, wireEffects } from './effects.ts'
import { answer, faultServer } from './fault-server.ts'
import { RawClient } from './raw-client.ts'

const body = String(answer.body)
const answersIn = (seen: string) => [...seen.matchAll(/HTTP\/1\.1 \d/g)].length

/** Each fault that acts on the connection and is over by itself, and how that ends for the client. */
const onTheWire = endingFaults.map(name => [pathOf(name), wireEffects[name]!.ending] as const)

describe.each(onTheWire)('%s', (path, ending) => {
  it('strikes on a connection that has carried answers, and leaves those whole', async () => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    client.get('/first')
    await client.until(body)
    const before = client.seen.length
    client.get(`/${path}`)
    expect(await client.ended()).toBe(ending)
    await server.wires[0]!.gone
    expect(server.wires[0]!.bytesWritten).toBe(client.seen.length - before)
    await server.over()
    expect(server.outcomes).toEqual([server.wires[0]!.outcome])
  })

  it('in a pipeline waits for the answers before it; those behind it never come', async () => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    client.get('/held').get('/before').get(`/${path}`).get('/behind').get('/behind')
    await eventually('all five to arrive', () => (server.arrived.length === 5 ? true : undefined))
    expect(client.seen).toBe('')
    server.release()
    expect(await client.ended()).toBe(ending)
    const [wire] = server.wires
    const earlier = client.seen.slice(0, client.seen.length - wire!.bytesWritten)
    expect(answersIn(earlier)).toBe(2)
    await wire!.gone
    await server.over()
    expect(server.outcomes).toEqual([wire!.outcome])
    expect(wire!.outcome).toMatch(/^(cut|handed)$/)
    expect(earlier.endsWith(body)).toBe(true)
    await eventually(
      'the connection to be forgotten',
      async () => (await server.connections()) === 0 || undefined,
    )
  })

  it('lets nothing that comes later be read as a request', async () => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    client.keepOpen()
    client.get('/first')
    await client.until(body)
    client.get(`/${path}`)
    expect(await client.ended()).toBe(ending)
    const seen = client.seen
    client.get('/late').leave('fin')
    await server.wires[0]!.gone
    await eventually(
      'the connection to be forgotten',
      async () => (await server.connections()) === 0 || undefined,
    )
    expect(server.arrived).not.toContain('/late')
    expect(client.seen).toBe(seen)
  })
})

it('two faults in one pipeline: the first fires, the second has nothing left to fire', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.get('/held').get('/truncate').get('/garbage')
  await eventually('all to arrive', () => (server.wires.length === 2 ? true : undefined))
  server.release()
  expect(await client.ended()).toBe('FIN')
  await Promise.all(server.wires.map(({ gone }) => gone))
  expect(server.wires.map(({ outcome }) => outcome)).toEqual(['cut', 'aborted'])
  await server.over()
  expect(server.outcomes).toEqual(['cut', 'aborted'])
  expect(server.wires[1]!.bytesWritten).toBe(0)
})

it('a request that hangs keeps those behind it in the pipeline unanswered', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.get('/first').get('/hang').get('/behind')
  await client.until(body)
  await eventually('all to arrive', () => (server.arrived.length === 3 ? true : undefined))
  client.leave('close')
  await server.wires[0]!.gone
  expect(answersIn(client.seen)).toBe(1)
  expect(server.wires[0]!.outcome).toBe('aborted')
})

it('what comes in while an answer is being struck is no reason for a 400 in its midst', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.get('/stall')
  const begun = await client.until(body.slice(0, 20))
  client.send('this is not HTTP\r\n\r\n').leave('fin')
  expect(await client.ended()).toBe('FIN')
  expect(client.seen.startsWith(begun)).toBe(true)
  expect(answersIn(client.seen)).toBe(1)
})
