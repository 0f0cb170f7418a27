import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ledgerOf } from '../../src/rig/ledger.ts'
import { defaultDials } from '../../src/service/dials.ts'
import { Links } from '../../src/service/links.ts'
import { PreparedDials } from '../../src/service/prepared-dials.ts'
import { RenderCache } from '../../src/service/render-cache.ts'
import { createService } from '../../src/service/service.ts'
import type { PlanStep } from '../../src/store/rows.ts'
import { halType, ids, type Json, startMock, synchronizationPath, type TestMock } from '../mock.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
const service = createService(names)

/** Creates a sending whose states are given, as a scenario will. */
async function create(mock: TestMock, plan: PlanStep[], body: Json): Promise<{ status: number; json: Json }> {
  const path = synchronizationPath(ids.ready, '/sendings')
  const request = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': halType },
  })
  const links = new Links('http://localhost', names, 'demo')
  const answer = service(request, {
    space: mock.space(),
    rights: ['write'],
    target: path,
    links,
    rendered: new RenderCache(links, defaultDials),
    cause: 'the-request',
    header: name => request.headers.get(name) ?? undefined,
    dials: defaultDials,
    prepared: new PreparedDials(defaultDials),
    hidesTestSynchronizations: false,
    body: () => Buffer.from(JSON.stringify(body)),
    json: () => body,
    plan,
  })
  return { status: answer.status, json: JSON.parse(String(answer.body)) }
}

const repeat = async (mock: TestMock) =>
  (await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'a' })).json.state
const sent = (mock: TestMock) =>
  [...mock.space().data.tables.platformSendings.rows()].filter(({ cause }) => cause === 'the-request')

describe('the states of a sending', () => {
  it('3 transitions, 3 PENDING: a plan by attempts moves on with the attempts, and a GET shows where it stands', async () => {
    const mock = await startMock()
    const plan: PlanStep[] = [{ state: 'PENDING', times: 2 }, { state: 'CREATED' }]
    const first = await create(mock, plan, { transactionId: 'a' })
    expect([first.status, first.json.state]).toEqual([200, 'PENDING'])
    expect(sent(mock)).toEqual([])
    expect(await repeat(mock)).toBe('PENDING')
    expect((await mock.as('demo').get(first.json._links.self.href)).json.state).toBe('PENDING')
    mock.clock.advance(5_000)
    expect(await repeat(mock)).toBe('CREATED')
    expect(await repeat(mock)).toBe('CREATED')
    expect(sent(mock)).toMatchObject([{ startsAt: '2026-11-01T10:00:05.000Z' }])
  })

  it('a platform sending names the later attempt that it was sent at, and none if the first request or the clock sent it', async () => {
    const plans: Record<string, PlanStep[]> = {
      first: [{ state: 'CREATED' }],
      attempt: [{ state: 'PENDING', times: 1 }, { state: 'CREATED' }],
      clock: [{ state: 'PENDING', times: 5, for: 1_000 }, { state: 'CREATED' }],
    }
    const found: Record<string, boolean> = {}
    for (const [name, plan] of Object.entries(plans)) {
      const mock = await startMock()
      await create(mock, plan, { transactionId: 'a' })
      if (name === 'clock') mock.clock.advance(2_000)
      expect(await repeat(mock)).toBe('CREATED')
      const [row] = sent(mock)
      found[name] = row!.broughtBy !== undefined
      expect(row!.broughtBy === 'the-request').toBe(false)
    }
    expect(found).toEqual({ first: false, attempt: true, clock: false })
  })

  it('4.1/8, 8 PENDING window: a plan by time moves on with the clock, and the mailing goes out at that time, whoever looks when', async () => {
    const mock = await startMock()
    const first = await create(mock, [{ state: 'PENDING', for: 30_000 }, { state: 'CREATED' }], {
      transactionId: 'a',
    })
    mock.clock.advance(29_999)
    expect(await repeat(mock)).toBe('PENDING')
    mock.clock.advance(60_000)
    const { json } = await mock.as('demo').get(first.json._links.self.href)
    expect(json.state).toBe('CREATED')
    expect(json.target.sendingId).toBeTypeOf('number')
    expect(sent(mock)).toMatchObject([{ startsAt: '2026-11-01T10:00:30.000Z' }])
    expect(await repeat(mock)).toBe('CREATED')
    expect(sent(mock)).toHaveLength(1)
  })

  it('3 INDETERMINATE_FAILURE: it exists in both worlds, sent and not sent', async () => {
    for (const truth of ['sent', 'not-sent'] as const) {
      const mock = await startMock()
      const { status, json } = await create(mock, [{ state: 'INDETERMINATE_FAILURE', truth }], {
        transactionId: 'a',
      })
      expect([status, json.state]).toEqual([200, 'INDETERMINATE_FAILURE'])
      expect(sent(mock)).toHaveLength(truth === 'sent' ? 1 : 0)
    }
  })

  const failing: PlanStep[] = [{ state: 'PENDING', for: 60_000 }, { state: 'FAILED' }]
  const ofReady = (path: string) => synchronizationPath(ids.ready, path)
  it.each([
    ['a GET', (mock: TestMock, id: string) => mock.as('demo').get(ofReady(`/sendings/${id}`))],
    [
      'its statistics',
      (mock: TestMock, id: string) => mock.as('demo').get(ofReady(`/sendings/${id}/statistics`)),
    ],
    ['the collection', (mock: TestMock) => mock.as('demo').get(ofReady('/sendings?includeAllStates=true'))],
    ['a repeat', repeat],
  ])('3 transitions: what was shown as failed by %s does not become pending again', async (_, look) => {
    const mock = await startMock()
    const { json } = await create(mock, failing, { transactionId: 'a' })
    mock.clock.advance(60_000)
    await look(mock, json.id)
    mock.clock.advance(-60_000)
    const again = await mock.as('demo').get(ofReady(`/sendings/${json.id}`))
    expect(again.json.state).toBe('FAILED')
  })

  it.each<['never-starts' | 'stopped', string, object]>([
    ['never-starts', 'scheduled', {}],
    ['stopped', 'stopped', {}],
    ['stopped', 'stopped', { name: 'No date' }],
  ])(
    '4.1/1, S statistics before start: a CREATED sending that is %s does not go out, and its statistics stay zero',
    async (truth, before, more) => {
      const mock = await startMock()
      const scheduleDate = '2026-11-01T11:00:00.000Z'
      const body = 'name' in more ? more : { scheduleDate }
      const { status, json } = await create(mock, [{ state: 'CREATED', truth }], {
        ...body,
        transactionId: 'a',
      })
      expect([status, json.state, typeof json.target.sendingId]).toEqual([201, 'CREATED', 'number'])
      const statusNow = () => ledgerOf(mock.rig()).sendings.map(it => it.status)
      expect(statusNow()).toEqual([before])
      await mock.rig().moveClock(at => at + 86_400_000)
      expect(statusNow()).toEqual(['stopped'])
      expect(ledgerOf(mock.rig()).summary).toMatchObject({ sent: 0, scheduled: 0, stopped: 1 })
      const { json: figures } = await mock.as('demo').get(ofReady(`/sendings/${json.id}/statistics`))
      expect(figures.sendingStatistics).toMatchObject({ recipientsCount: 0, startDate: null, endDate: null })
      expect((await mock.as('demo').get(ofReady(`/sendings/${json.id}`))).json.state).toBe('CREATED')
    },
  )

  it('3 FAILED, 7/1: a failed sending is told with 200 and was not sent', async () => {
    const mock = await startMock()
    const { status, json } = await create(mock, [{ state: 'FAILED' }], { transactionId: 'a' })
    expect([status, json.state, json.target.sendingId]).toEqual([200, 'FAILED', null])
    expect(sent(mock)).toEqual([])
  })

  it('4.1/3, 4.1/7, 3/1: without a transaction ID any other state is an error answer, the truth unchanged', async () => {
    for (const [truth, count] of [
      ['sent', 1],
      ['not-sent', 0],
    ] as const) {
      const mock = await startMock()
      const { status } = await create(mock, [{ state: 'INDETERMINATE_FAILURE', truth }], {})
      expect(status).toBe(500)
      expect(sent(mock)).toHaveLength(count)
    }
  })

  it('a sending whose plan moves on survives a look from the collection', async () => {
    const mock = await startMock()
    await create(mock, [{ state: 'PENDING', for: 1_000 }, { state: 'CREATED' }], { transactionId: 'a' })
    const path = synchronizationPath(ids.ready, '/sendings')
    expect((await mock.as('demo').get(path)).json._embedded['svc:sendings']).toEqual([])
    mock.clock.advance(1_000)
    const { json } = await mock.as('demo').get(path)
    expect(json._embedded['svc:sendings']).toMatchObject([
      { state: 'CREATED', target: { sendingId: expect.any(Number) } },
    ])
  })
})

/** What the document says of sendings, in a dozen lines: held against the mock over random requests. */
class Model {
  readonly sendings = new Map<string, string>()
  created = 0
  now = Date.parse('2026-11-01T10:00:00Z')

  create(body: { transactionId?: string; scheduleDate?: string }): {
    status: number
    subject: string | undefined
  } {
    const known = body.transactionId === undefined ? undefined : this.sendings.get(body.transactionId)
    if (known !== undefined) return { status: 200, subject: known }
    if (body.transactionId !== undefined && !/^[\w.:-]{1,100}$/.test(body.transactionId))
      return { status: 400, subject: undefined }
    if (body.scheduleDate !== undefined && Date.parse(body.scheduleDate) <= this.now)
      return { status: 400, subject: undefined }
    const subject = `subject ${this.created++}`
    if (body.transactionId !== undefined) this.sendings.set(body.transactionId, subject)
    return { status: 201, subject }
  }
}

const transactionId = fc.constantFrom(undefined, 'a', 'b', 'c.d:e-f_g', '', 'no good', 'x'.repeat(101))
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      transactionId,
      minutes: fc.constantFrom(undefined, -1, 0, 5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 10 }) }),
  },
)

it('4.1: over any series of requests the sendings follow the rules, and each was sent just once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      const mock = await startMock()
      const model = new Model()
      for (const { kind, minutes, ...rest } of steps) {
        if (kind === 'wait') {
          mock.clock.advance(minutes * 60_000)
          model.now += minutes * 60_000
          continue
        }
        const { transactionId } = rest as { transactionId?: string | undefined }
        const body = {
          ...(transactionId !== undefined && { transactionId }),
          ...(minutes !== undefined && {
            scheduleDate: new Date(model.now + minutes * 60_000).toISOString(),
          }),
        }
        const subject = `subject ${model.created}`
        const expected = model.create(body)
        const { status, json } = await mock
          .as('demo')
          .post(synchronizationPath(ids.ready, '/sendings'), { ...body, subject })
        expect(status).toBe(expected.status)
        if (status >= 400) continue
        const { platformMailings } = mock.space().data.tables
        expect(platformMailings.get(json.target.mailingId)!.subject).toBe(expected.subject)
      }
      const { sendingsOfSynchronization, platformSendings } = mock.space().data.tables
      expect(sendingsOfSynchronization.count(ids.ready)).toBe(model.created)
      expect([...platformSendings.changes()]).toHaveLength(model.created)
      expect(new Set([...platformSendings.changes()].map(({ row }) => row.cause)).size).toBe(model.created)
    }),
    { numRuns: 60 },
  )
})
