import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, ids, synchronizationPath } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { hasProxy, Shards } from './shards.ts'

const synchronization = synchronizationPath(ids.ready)
const sendings = synchronizationPath(ids.ready, '/sendings')
/** Names as tests give them, and odd ones. */
const tags = [
  ...Array.from({ length: 30 }, (_, at) => `test-${at}`),
  'a+b',
  'größe',
  'Has space',
  '100%',
  'x/y',
]
const controlPath = (space: string, rest = '') => `/_mock/spaces/${encodeURIComponent(space)}${rest}`

const lacking = hasProxy ? undefined : 'haproxy 2.6 or later is not installed here'
const title = titleOr('three mocks behind HAProxy', lacking)

describe.skipIf(!hasProxy)(title, () => {
  let shards: Shards
  beforeAll(async () => {
    shards = await Shards.start()
  })
  afterAll(async () => shards?.[Symbol.asyncDispose]())

  /** At which shard a space is open. */
  async function placesOf(space: string): Promise<number[]> {
    const open = await shards.open()
    return open.flatMap((names, at) => (names.includes(space) ? [at] : []))
  }

  it('a space stays on its shard, whichever of its users asks and by whatever call', async () => {
    for (const tag of tags) {
      const space = `demo+${tag}`
      expect(await shards.get(synchronization, space)).toMatchObject({ status: 200 })
      expect(await shards.get(synchronization, `demo-viewer+${tag}`)).toMatchObject({ status: 200 })
      expect(await shards.turn('POST', controlPath(space, '/clock'), { advance: '1h' })).toMatchObject({
        status: 200,
      })
    }
    const open = (await shards.open()).map(names => names.filter(name => name !== 'demo'))
    expect(open.flat().sort()).toEqual(
      tags
        .filter(it => !it.includes(':'))
        .map(tag => `demo+${tag}`)
        .sort(),
    )
    for (const names of open) expect(names.length).toBeGreaterThan(0)
  })

  it('service and control calls of a space meet the same process', async () => {
    const space = 'demo+both'
    expect(await shards.get(synchronization, space)).toMatchObject({ status: 200 })
    const armed = { on: 'createSending', phase: 'before', answer: { status: 503 } }
    expect(await shards.turn('POST', controlPath(space, '/faults'), armed)).toMatchObject({ status: 201 })
    expect(await shards.send(sendings, { transactionId: 'one' }, space)).toMatchObject({ status: 503 })
    expect(await shards.send(sendings, { transactionId: 'one' }, space)).toMatchObject({ status: 201 })
    expect(await shards.get('/_mock/spaces/demo+both/platform')).toMatchObject({
      json: { summary: { sent: 1 } },
    })
    expect(await shards.get(`${controlPath(space, '/requests')}?operation=createSending`)).toMatchObject({
      json: { count: 2 },
    })
  })

  it('all that is without a plus is at one shard: the users of a space, its control calls, a space that is made', async () => {
    expect(await shards.send(sendings, { transactionId: 'of-demo' }, 'demo')).toMatchObject({ status: 201 })
    const { json } = await shards.get(sendings, 'demo-viewer')
    expect(JSON.stringify(json)).toContain('of-demo')
    expect(await shards.get('/_mock/spaces/demo/platform')).toMatchObject({ json: { summary: { sent: 1 } } })
    const { json: fixture } = await shards.get('/_mock/spaces/demo/snapshot')
    const users = [{ name: 'somebody', password: 'demo', rights: ['read', 'write'] }]
    const made = { fixture: { ...fixture, space: 'elsewhere', users } }
    expect(await shards.turn('PUT', '/_mock/spaces/elsewhere', made)).toMatchObject({ status: 201 })
    expect(await shards.get(synchronization, 'somebody')).toMatchObject({ status: 200 })
  })

  it('what is about all spaces is refused, and done to none; each shard has it at an address of its own', async () => {
    const space = 'demo+untouched'
    expect(await shards.send(sendings, { transactionId: 'kept' }, space)).toMatchObject({ status: 201 })
    const where = expect.stringContaining('/shards/1/_mock')
    for (const path of ['/_mock', '/_mock/spaces', '/_mock/events'])
      expect(await shards.get(path), path).toMatchObject({ status: 421, json: { detail: where } })
    expect(await shards.turn('POST', '/_mock/reset')).toMatchObject({ status: 421 })
    expect(await shards.turn('POST', '/_mock/exams')).toMatchObject({ status: 421 })
    expect(await shards.turn('POST', '/shards/1/_mock/exams')).toMatchObject({ status: 421 })
    expect(await shards.send(sendings, { transactionId: 'kept' }, space)).toMatchObject({ status: 200 })

    const told = await shards.ask('/_mock', { headers: { accept: 'text/html' } })
    expect(told).toMatchObject({ status: 200, text: expect.stringContaining('href="/shards/3/_mock"') })
    const [place] = await placesOf(space)
    const mine = await shards.get(`/shards/${place! + 1}/_mock/spaces`)
    const found = mine.json._embedded.spaces.find(({ name }: { name: string }) => name === space)
    expect(found._links.self.href).toMatch(`${shards.url}/shards/${place! + 1}/_mock/spaces/`)
    expect(await shards.get(found._links.self.href.slice(shards.url.length))).toMatchObject({ status: 200 })
  })

  it('a client cannot say which way it came', async () => {
    const headers = { 'X-Forwarded-Prefix': '/elsewhere', 'X-Forwarded-Host': 'elsewhere.example.com' }
    const { json } = await shards.ask('/_mock/spaces/demo', { headers })
    expect(json._links.self.href).toBe(`${shards.url}/_mock/spaces/demo`)
  })

  it.each(['reset', 'truncate', 'close'])(
    'a fault breaks the answer for the client as well: %s',
    async fault => {
      const space = `demo+meets-${fault}`
      expect(await shards.get(synchronization, space)).toMatchObject({ status: 200 })
      const armed = { on: 'getMailingSynchronization', answer: { fault } }
      expect(await shards.turn('POST', controlPath(space, '/faults'), armed)).toMatchObject({ status: 201 })
      expect(await shards.get(synchronization, space)).toMatchObject({ status: undefined })
      // Once, not again by the proxy.
      expect(await shards.get(controlPath(space, '/requests'))).toMatchObject({ json: { count: 2 } })
      expect(await shards.get(synchronization, space)).toMatchObject({ status: 200 })
    },
  )

  it('a client that leaves is seen to leave', async () => {
    const space = 'demo+leaves'
    expect(await shards.get(synchronization, space)).toMatchObject({ status: 200 })
    const armed = { on: 'getMailingSynchronization', answer: { fault: 'hang' } }
    expect(await shards.turn('POST', controlPath(space, '/faults'), armed)).toMatchObject({ status: 201 })
    const leaving = new AbortController()
    const told = shards.ask(synchronization, {
      headers: { authorization: basic(space) },
      signal: leaving.signal,
    })
    const arrived = '/requests/wait?count=2&state=opened&timeout=10s'
    expect(await shards.get(controlPath(space, arrived))).toMatchObject({ json: { count: 2 } })
    leaving.abort()
    await told
    const closed = '/requests/wait?count=1&delivered=aborted&timeout=10s'
    expect(await shards.get(controlPath(space, closed))).toMatchObject({ status: 200, json: { count: 1 } })
  })

  it('a lost shard takes its own spaces only, and nobody else answers for them; they are back when it is', async () => {
    const spaces = Array.from({ length: 12 }, (_, at) => `demo+lasting-${at}`)
    for (const space of spaces)
      expect(await shards.send(sendings, { transactionId: 'before' }, space)).toMatchObject({ status: 201 })
    const places = (await Promise.all(spaces.map(placesOf))).flat()
    const lost = places[0]!
    expect(new Set(places).size).toBeGreaterThan(1)

    await shards.lose(lost)
    await shards.health(503)
    for (const [at, space] of spaces.entries()) {
      const isLost = places[at] === lost
      const told = await shards.send(sendings, { transactionId: 'before' }, space)
      expect(told, space).toMatchObject(
        isLost ? { status: 503, json: { title: 'Shard is lost' } } : { status: 200 },
      )
      expect(await shards.get(controlPath(space)), space).toMatchObject({ status: isLost ? 503 : 200 })
    }

    await shards.bringBack(lost)
    await shards.health(200)
    for (const space of spaces)
      expect(await shards.send(sendings, { transactionId: 'before' }, space), space).toMatchObject({
        status: 200,
      })
    expect((await Promise.all(spaces.map(placesOf))).flat()).toEqual(places)
  })
})
