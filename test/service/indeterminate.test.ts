import { describe, expect, it } from 'vitest'
import { examples } from '../../src/contract/examples/examples.ts'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import { fillPath, operations, pathsOf } from '../../src/service/operations.ts'
import { ids, readIds, type Seen, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { undisturbed } from '../pull/pulling.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const minute = 60_000
const day = 24 * 60 * minute

/** Pairs of what a client meets alike, while the mailing goes out in the one and not in the other. */
const worlds: Readonly<Record<string, { sent: readonly object[]; notSent: readonly object[] }>> = {
  'at once': {
    sent: [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
    notSent: [{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }],
  },
  'after two PENDING': {
    sent: [
      { state: 'PENDING', times: 2 },
      { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
    ],
    notSent: [
      { state: 'PENDING', times: 2 },
      { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
    ],
  },
  'after a minute of PENDING, by the clock alone': {
    sent: [
      { state: 'PENDING', for: '1m' },
      { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
    ],
    notSent: [
      { state: 'PENDING', for: '1m' },
      { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
    ],
  },
  'with a mailing left behind where nothing was sent': {
    sent: [{ state: 'INDETERMINATE_FAILURE', truth: 'sent', answer: { status: 502 } }],
    notSent: [
      { state: 'INDETERMINATE_FAILURE', truth: 'not-sent', phase: 'partial', answer: { status: 502 } },
    ],
  },
  'with the first answer lost': {
    sent: [
      { state: 'INDETERMINATE_FAILURE', truth: 'sent', answer: { status: 502 } },
      { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
    ],
    notSent: [
      { state: 'INDETERMINATE_FAILURE', truth: 'not-sent', answer: { status: 502 } },
      { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
    ],
  },
}

/** A mock in one of the worlds. The scenario's name tells which, as names of scenarios do. */
async function mockWith(steps: readonly object[]): Promise<TestMock> {
  const mock = await startMock({ hints: true, fixture: undisturbed })
  const scenario = { description: 'a test', rules: [{ on: 'createSending', steps }] }
  mock.rig().scenarios.arm(scenarioFrom(scenario, `truly-${nameOfWorld(steps)}`, 'a test'))
  return mock
}

const nameOfWorld = (steps: readonly object[]) =>
  JSON.stringify(steps).includes('not-sent') ? 'not-sent' : 'sent'

/** Requests that create the sending, each as different clients write it. */
const bodies: Readonly<Record<string, { transactionId?: string; scheduleDate?: string }>> = {
  'sent at once': { transactionId: 'T' },
  'without a transaction ID': {},
  'scheduled for an hour later': { transactionId: 'T', scheduleDate: '2026-11-01T11:00:00.000Z' },
  'without a transaction ID, scheduled': { scheduleDate: '2026-11-01T11:00:00.000Z' },
}

const platformSendings = (mock: TestMock) =>
  [...mock.space().data.tables.platformSendings.rows()].filter(({ cause }) => cause.startsWith('r'))

/** How far the space's clock is from that of the machine, which goes on between the two worlds. */
const distance = /<span class="chip info">[−+][^<]*/g

/** What a client sees, whole: status, headers and body. */
const bytes = ({ status, headers, text }: Seen) =>
  [status, ...[...headers].map(it => it.join(': ')), text.replaceAll(distance, '')].join('\n')

/** Every operation that reads, of this sending and its synchronization, with all states of the collection. */
const readPaths = (sendingId: string) =>
  readIds
    .flatMap(id => {
      const isOfSending = operations[id].path.includes('/sendings/:id')
      const at = { ...examples[id][0]!.at, syncId: ids.ready, ...(isOfSending && { id: sendingId }) }
      return pathsOf(operations[id], 'mailing-platform').map(path => fillPath(path, at))
    })
    .concat(`${sendings}?includeAllStates=true`)

/** All that can be read, every page behind a link of the sending and of its synchronization included, as a browser gets it. */
async function lookAround(mock: TestMock, sendingId: string): Promise<string[]> {
  const demo = mock.as('demo')
  const seen: string[] = []
  // The report of a sending that no answer shows has no link.
  const links = new Set([`http://localhost/_mock/spaces/demo/sendings/${sendingId}/report`])
  for (const path of readPaths(sendingId)) {
    const answer = await demo.get(path)
    seen.push(['GET', path, bytes(answer), 'HEAD', bytes(await demo.send('HEAD', path))].join('\n'))
    const { json } = answer
    for (const { href } of Object.values<{ href?: string }>(json?._links ?? {}))
      if (href && !href.includes('{')) links.add(href)
  }
  const pages = [...links].filter(href => href.includes('/_mock/spaces/'))
  expect(pages.length).toBeGreaterThan(2)
  for (const href of [...links].sort())
    for (const Accept of pages.includes(href) ? ['text/html', 'application/json'] : ['application/hal+json'])
      seen.push(`GET ${href}\n${bytes(await demo.get(href, { Accept }))}`)
  return seen
}

/** All that a client can see from its first attempt to a day later, and of another sending after it. */
async function transcriptOf(mock: TestMock, body: object): Promise<string[]> {
  const demo = mock.as('demo')
  const seen: string[] = []
  const attempt = async () => seen.push(bytes(await demo.post(sendings, body)))
  await attempt()
  const { id } = mock.space().data.tables.sendings.changes()[0]!.row
  seen.push(...(await lookAround(mock, id)))
  for (const pause of [2 * minute, day]) {
    await mock.rig().moveClock(now => now + pause)
    seen.push(...(await lookAround(mock, id)))
    await attempt()
    seen.push(...(await lookAround(mock, id)))
  }
  mock.rig().scenarios.arm(undefined)
  seen.push(bytes(await demo.post(sendings, { transactionId: 'another' })))
  seen.push(bytes(await demo.post(synchronizationPath(ids.ready, '/mailing-uploads'), {})))
  seen.push(...(await lookAround(mock, id)))
  return seen
}

describe('3 INDETERMINATE_FAILURE: what was sent shows in no response of the service', () => {
  for (const [name, { sent, notSent }] of Object.entries(worlds))
    for (const [how, body] of Object.entries(bodies).slice(0, name === 'at once' ? 4 : 2))
      it(`both worlds are the same to the byte, in every operation, page and header at every moment: INDETERMINATE_FAILURE ${name}, ${how}`, async () => {
        const [one, other] = [await mockWith(sent), await mockWith(notSent)]
        const [here, there] = [await transcriptOf(one, body), await transcriptOf(other, body)]
        expect(here.length).toBeGreaterThan(150)
        expect(there).toEqual(here)
        // The ledger alone has the truth: each attempt without an ID sends again, unless its date is past. The other sending is in both.
        const attempts = body.transactionId !== undefined ? 1 : body.scheduleDate !== undefined ? 2 : 3
        expect(platformSendings(other)).toHaveLength(1)
        expect(platformSendings(one)).toHaveLength(1 + attempts)
      })

  it('S indeterminate without transactionId: no collection has the sending, and no date has moved', async () => {
    for (const truth of ['sent', 'not-sent']) {
      const mock = await mockWith([{ state: 'INDETERMINATE_FAILURE', truth }])
      const demo = mock.as('demo')
      const synchronization = async () => (await demo.get(synchronizationPath(ids.ready))).json
      const before = await synchronization()
      expect((await demo.post(sendings, {})).status).toBe(500)
      const { json } = await demo.get(`${sendings}?includeAllStates=true`)
      expect(json._embedded['svc:sendings']).toEqual([])
      expect(await synchronization()).toEqual(before)
    }
  })

  it('a sending without a transaction ID that is CREATED in the end is in the collection, though its answer is a 500', async () => {
    const mock = await mockWith([{ state: 'PENDING', times: 1 }, { state: 'CREATED' }])
    expect((await mock.as('demo').post(sendings, {})).status).toBe(500)
    const { json } = await mock.as('demo').get(sendings)
    expect(json._embedded['svc:sendings'].map((it: { state: string }) => it.state)).toEqual(['CREATED'])
  })

  it('a client that concludes from target, statistics, dates, report, hints or later IDs is right in exactly one of both worlds', async () => {
    /** Whether it was sent, as a client that wants to know concludes from one thing that it can read. */
    const guesses: Record<string, (mock: TestMock, sending: Seen) => Promise<boolean>> = {
      target: async (_, { json }) => json.target?.sendingId != null || json.target?.mailingId != null,
      statistics: async (mock, { json }) => {
        const { json: figures } = await mock.as('demo').get(`${sendings}/${json.id}/statistics`)
        return figures.sendingStatistics.recipientsCount > 0 || figures.sendingStatistics.startDate !== null
      },
      'the synchronization': async mock => {
        const { json } = await mock.as('demo').get(synchronizationPath(ids.ready))
        return json.sendingsModificationDate === json.modificationDate
      },
      'the report': async (mock, { json }) =>
        !(await mock.as('demo').get(json._links['svc:report'].href)).text.includes('No figures are told'),
      'the hints': async (_, { headers }) => headers.has('x-mock-scenario'),
      'the next ID': async mock => {
        mock.rig().scenarios.arm(undefined)
        const { json } = await mock.as('demo').post(sendings, { transactionId: 'next' })
        return json.target.sendingId > (await firstPlatformId())
      },
    }
    for (const [name, guess] of Object.entries(guesses)) {
      const right = []
      for (const truth of ['sent', 'not-sent'] as const) {
        const mock = await mockWith([{ state: 'INDETERMINATE_FAILURE', truth }])
        const sending = await mock.as('demo').post(sendings, { transactionId: 'T' })
        right.push((await guess(mock, sending)) === (truth === 'sent'))
      }
      expect({ name, right: right.filter(Boolean).length }).toEqual({ name, right: 1 })
    }
  })

  it('S target of indeterminate: with the dial at as-is target and statistics show what exists', async () => {
    const mock = await startMock({ dials: { 'target-of-indeterminate': 'as-is' } })
    const steps = [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }]
    mock
      .rig()
      .scenarios.arm(
        scenarioFrom({ description: 'a test', rules: [{ on: 'createSending', steps }] }, 'x', 'a test'),
      )
    const { json } = await mock.as('demo').post(sendings, { transactionId: 'T' })
    expect(json.target.sendingId).toEqual(expect.any(Number))
    const { json: statistics } = await mock.as('demo').get(`${sendings}/${json.id}/statistics`)
    expect(statistics.sendingStatistics.startDate).not.toBeNull()
  })

  it('a FAILED sending still names the mailing that it left behind', async () => {
    const mock = await mockWith([{ state: 'FAILED', phase: 'partial', answer: { status: 502 } }])
    await mock.as('demo').post(sendings, { transactionId: 'T' })
    mock.rig().scenarios.arm(undefined)
    const { json } = await mock.as('demo').post(sendings, { transactionId: 'T' })
    expect(json).toMatchObject({
      state: 'FAILED',
      target: { mailingId: expect.any(Number), sendingId: null },
    })
  })
})

/** The platform ID that the first sending of a fresh mock has. */
async function firstPlatformId(): Promise<number> {
  const mock = await startMock()
  return (await mock.as('demo').post(sendings, {})).json.target.sendingId
}
