import { describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { basic, customersPath, halType } from '../mock.ts'
import { eventually } from '../process.ts'
import { posted, problemIn, Raw, sendings, useMocks } from './raw.ts'

const mebibyte = 1 << 20
const start = useMocks()
const small = { memoryLimit: 16, spaceLimit: 100_000 }

const control = (mock: Mock, method: string, path: string, body?: object) =>
  mock.fetch(`http://localhost/_mock${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
const create = (mock: Mock, user: string, body: object) =>
  mock.fetch(`http://localhost${sendings}`, {
    method: 'POST',
    headers: { authorization: basic(user), 'content-type': halType },
    body: JSON.stringify(body),
  })
const read = (mock: Mock, user: string) =>
  mock.fetch('http://localhost/mailings/unknown', { headers: { authorization: basic(user) } })

interface Memory {
  limitBytes: number
  usedBytes: number
  full: boolean
  madeRoom: number
  kinds: Record<string, number>
}
const memoryOf = async (mock: Mock) => (await (await control(mock, 'GET', '/memory')).json()) as Memory

/** Creates sendings with long names until one is refused. */
async function fillWithRows(mock: Mock): Promise<Response> {
  for (let n = 0; n < 100; n++) {
    const response = await create(mock, 'demo', { name: 'x'.repeat(mebibyte - 1_000), transactionId: `${n}` })
    if (response.status !== 201) return response
  }
  throw new Error('nothing was refused')
}

describe('the memory of a mock', () => {
  it('is shared by the journals of all spaces: the oldest requests of the largest ones make room', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    for (let n = 0; n < 3_000; n++)
      await create(mock, `demo+${n % 10}`, { subject: 3, name: 'x'.repeat(12_000) })
    const { usedBytes, limitBytes, madeRoom, full, kinds } = await memoryOf(mock)
    expect(usedBytes).toBeLessThanOrEqual(limitBytes)
    expect([madeRoom > 0, full, kinds.rows]).toEqual([true, false, 0])
    expect(await mock.space('demo+9').requests()).not.toHaveLength(0)
    await mock.close()
  })

  it('counts a refusal with all the fields that it holds', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    const before = (await memoryOf(mock)).kinds.journals!
    const response = await mock.fetch(
      `http://localhost${customersPath}/lindenau/configuration/accessible-lists`,
      {
        method: 'PUT',
        headers: { authorization: basic('demo'), 'content-type': halType },
        body: JSON.stringify({ permittedLists: Array(50).fill('') }),
      },
    )
    const answer = await response.text()
    expect(JSON.parse(answer).invalidFields).toHaveLength(50)
    expect((await memoryOf(mock)).kinds.journals! - before).toBeGreaterThan(2 * answer.length)
    await mock.close()
  })

  it('when it is used up, changes and new spaces are answered 503 that says so, and reading goes on', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    const refused = await fillWithRows(mock)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    const { detail } = (await refused.json()) as { detail: string }
    expect(detail).toMatch(
      /^The memory of this mock is used up: 16 MiB \(--memory-limit\), of which rows take \d+ MiB$/,
    )
    expect((await create(mock, 'demo', {})).status).toBe(503)
    const opening = await read(mock, 'demo+new')
    expect([opening.status, ((await opening.json()) as { detail: string }).detail]).toEqual([503, detail])
    expect((await read(mock, 'demo')).status).toBe(404)
    expect(await (await control(mock, 'GET', '/health')).text()).toBe('{"status":"ready","memory":"full"}')
    expect(await memoryOf(mock)).toMatchObject({ limitBytes: 16 * mebibyte, full: true })
    await mock.close()
  })

  it('refuses long bodies of control calls when it is used up; a reset gives it back', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    await fillWithRows(mock)
    const { port } = await mock.listen()
    const raw = await Raw.open(port)
    raw.send(posted('/_mock/spaces/demo/faults', JSON.stringify({ padding: 'x'.repeat(10_000) })))
    await raw.answers(1)
    expect(raw.statuses).toEqual([503])
    expect(problemIn(raw).detail).toContain('--memory-limit')
    raw.leave()
    expect((await control(mock, 'POST', '/reset', {})).status).toBe(204)
    expect((await create(mock, 'demo', {})).status).toBe(201)
    expect(await (await control(mock, 'GET', '/health')).text()).toBe('{"status":"ready"}')
    await mock.close()
  })

  it('counts held requests, refuses further ones, and gets it back when they are released', async () => {
    const { mock } = await start(small)
    await mock.space('demo').arm({ rules: [{ on: 'createSending', steps: [{ hold: 'gate', times: 100 }] }] })
    const held = async () => (await mock.space('demo').holds())[0]?.held ?? 0
    const waiting: Promise<Response>[] = []
    let refused: Response | undefined
    while (!refused && waiting.length < 20) {
      const request = create(mock, 'demo', {
        name: 'x'.repeat(mebibyte - 1_000),
        transactionId: `${waiting.length}`,
      })
      waiting.push(request)
      void request.then(response => {
        refused ??= response
      })
      await eventually('it to be held or refused', async () =>
        refused || (await held()) === waiting.length ? true : undefined,
      )
    }
    expect([refused?.status, await refused?.text()]).toEqual([503, expect.stringContaining('--memory-limit')])
    expect(await held()).toBe(waiting.length - 1)
    await mock.space('demo').release('gate', 1)
    await mock.reset()
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201, 500, 503]))
    const { kinds } = await memoryOf(mock)
    expect([kinds.requests, kinds.rows, kinds.scenarios]).toEqual([0, 0, 0])
  })

  it('counts bodies while they arrive, and lets go of those that never end', async () => {
    const { mock, port } = await start({ ...small, requestTimeout: 60_000 })
    const body = 'x'.repeat(mebibyte - 1_000)
    const arriving = await Promise.all(Array.from({ length: 24 }, () => Raw.open(port)))
    for (const raw of arriving) raw.send(posted(sendings, body).subarray(0, mebibyte - 10_000))
    await eventually('some to be refused', () =>
      arriving.some(raw => raw.statuses[0] === 503) ? true : undefined,
    )
    expect((await memoryOf(mock)).usedBytes).toBeLessThanOrEqual(16 * mebibyte)
    for (const raw of arriving) raw.leave()
    await eventually('all to be let go', async () =>
      (await memoryOf(mock)).kinds.requests === 0 ? true : undefined,
    )
  })

  it('counts spaces, streams and exams, and gives them back', async () => {
    const mock = await createMock({ logLevel: 'silent' })
    const { kinds: before } = await memoryOf(mock)
    await read(mock, 'demo+x')
    const stream = await mock.fetch('http://localhost/_mock/spaces/demo+x/events')
    const exam = await control(mock, 'POST', '/exams', { only: ['pending-*'] })
    const { kinds } = await memoryOf(mock)
    for (const kind of ['spaces', 'streams', 'exams', 'journals'])
      expect(kinds[kind], kind).toBeGreaterThan(before[kind]!)
    await stream.body!.cancel()
    await control(
      mock,
      'DELETE',
      new URL(
        ((await exam.json()) as { _links: { self: { href: string } } })._links.self.href,
      ).pathname.slice(6),
      {},
    )
    await mock.reset()
    expect((await memoryOf(mock)).kinds).toMatchObject({
      spaces: before.spaces,
      rows: 0,
      streams: 0,
      exams: 0,
    })
    await mock.close()
  })

  it('counts the definitions of one-shot faults before it keeps them, and gives them back one by one', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    const steps = Array(12).fill({
      phase: 'before',
      answer: { status: 503, body: { text: 'x'.repeat(65_000) } },
    })
    const arm = () => control(mock, 'POST', '/spaces/demo/faults', { on: 'createSending', steps })
    const scenarioBytes = async () => (await memoryOf(mock)).kinds.scenarios!
    let first: Response | undefined
    let refused: Response | undefined
    for (let n = 0; n < 20 && !refused; n++) {
      const response = await arm()
      first ??= response
      if (response.status !== 201) refused = response
    }
    expect([first!.status, refused?.status]).toEqual([201, 503])
    expect(((await refused!.json()) as { detail: string }).detail).toContain('scenarios take')
    const before = await scenarioBytes()
    const { id } = (await first!.json()) as { id: string }
    await control(mock, 'DELETE', `/spaces/demo/faults/${id}`)
    expect(before - (await scenarioBytes())).toBeGreaterThan(12 * 65_000)
    await control(mock, 'DELETE', '/spaces/demo/faults')
    expect(await scenarioBytes()).toBe(0)
    await mock.close()
  })

  it('counts what a space begins with, a scenario too, before it is kept', async () => {
    const mock = await createMock({ logLevel: 'silent', ...small })
    const steps = Array(12).fill({
      phase: 'before',
      answer: { status: 503, body: { text: 'x'.repeat(65_000) } },
    })
    const scenario = { rules: [{ on: 'createSending', steps }] }
    let refused: Response | undefined
    for (let n = 0; n < 20 && !refused; n++) {
      const response = await control(mock, 'PUT', `/spaces/demo+b${n}`, { scenario })
      if (response.status >= 300) refused = response
    }
    expect(refused?.status).toBe(503)
    const { usedBytes, limitBytes, kinds } = await memoryOf(mock)
    expect(kinds.spaces! + kinds.scenarios!).toBeGreaterThan(limitBytes / 2)
    expect(usedBytes).toBeLessThanOrEqual(limitBytes)
    await mock.close()
  })

  it('counts four times the body of a request that waits: its bytes, its text, and what was read from it', async () => {
    const { mock } = await start({ memoryLimit: 64 })
    await mock.space('demo').arm({ rules: [{ on: 'createSending', steps: [{ hold: 'gate' }] }] })
    const waiting = create(mock, 'demo', { name: 'x'.repeat(500_000) })
    await eventually('it to be held', async () => (await mock.space('demo').holds())[0])
    expect((await memoryOf(mock)).kinds.requests).toBeGreaterThan(4 * 500_000)
    await mock.space('demo').release('gate')
    expect((await waiting).status).toBe(201)
    expect((await memoryOf(mock)).kinds.requests).toBe(0)
  })
})
