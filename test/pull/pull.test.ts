import { describe, expect, onTestFinished, test } from 'vitest'
import { asLiteral, ValueReader } from '../../src/contract/pull/assemble-content.ts'
import { Notes } from '../../src/contract/pull/crawl.ts'
import type { PullResult } from '../../src/contract/pull/pull.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { generate } from '../../src/lib/generate.ts'
import { personalize } from '../../src/service/previews-and-tests.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { ids, type Json, startMock, synchronizationPath, type TestMockOptions } from '../mock.ts'
import { addressesOf, answersOf, fetchOf, pulledBy, pulledFrom, startedWith, undisturbed } from './pulling.ts'

/** The one figure that differs: a preview does not show the placeholders that the content has, so it is shorter. */
const withoutMailSize = (text: string) => text.replace(/"averageMailSize":\d+/, '"averageMailSize":0')

/** Pulls from a mock with this content, starts another one with the result, and holds all answers against each other. */
async function expectSameAnswers(fixture: Fixture, options: TestMockOptions = {}) {
  const mock = await startMock({ ...options, fixture: () => fixture })
  const pulled = await pulledFrom(mock)
  const addresses = addressesOf(fixture)
  const before = await answersOf(mock, addresses)
  const after = await answersOf(await startedWith(pulled, options), addresses)
  for (const [address, text] of before)
    expect(withoutMailSize(after.get(address)!), address).toBe(withoutMailSize(text))
  return { pulled, before }
}

const ofDemo = async () => undisturbed((await readFixtures(defaultFixture))[0]!)

describe('a mock that starts with what was pulled gives the same responses, to the byte', () => {
  test('of the default content, with sendings in every state', async () => {
    const { before, pulled } = await expectSameAnswers(await ofDemo())
    expect(before.size).toBeGreaterThan(200)
    const successes = [...before.values()].filter(it => it.startsWith('200'))
    expect(successes.length).toBeGreaterThan(100)
    const states = new Set(pulled.fixture.sendings.map(({ plan }) => plan[0]!.state))
    expect([...states].sort()).toEqual(['CREATED', 'FAILED', 'INDETERMINATE_FAILURE', 'PENDING'])
  })

  test('of some hundreds of generated rows, in pages', async () => {
    const counts = { mailings: 120, synchronizations: 110, 'mailing-uploads': 20, sendings: 40, lists: 10 }
    const fixture = await generate(await ofDemo(), counts, 7)
    const { pulled } = await expectSameAnswers(fixture, { dials: { 'page-size-limit': '100' } })
    expect(pulled.fixture.mailings).toHaveLength(150)
    expect(pulled.fixture.synchronizations).toHaveLength(124)
    expect(pulled.fixture.sendings).toHaveLength(54)
  })

  test('of another deployment, with names of its own', async () => {
    const names = { relationPrefix: 'acme', platformSegment: 'suite' }
    const mock = await startMock({ fixture: undisturbed, names })
    const pulled = await pulledFrom(mock, { url: 'http://localhost/integrations/suite' })
    expect(pulled).toMatchObject({ relationPrefix: 'acme', platformSegment: 'suite' })
    expect(pulled.fixture.synchronizations).toHaveLength(14)
  })

  test('of a deployment that lists the newest first, with rows in the order of their creation', async () => {
    const fixture = await ofDemo()
    const { pulled } = await expectSameAnswers(fixture, { dials: { 'collection-order': 'newest-first' } })
    expect(pulled.isNewestFirst).toBe(true)
    const usual = await pulledFrom(await startMock({ fixture: () => fixture }))
    expect(usual.isNewestFirst).toBe(false)
    expect(pulled.fixture).toEqual(usual.fixture)
  })

  test.each<[string, TestMockOptions['dials']]>([
    ['without embedded arrays where there is nothing', { 'empty-collection': 'no-embedded' }],
    [
      'with links that lead to nothing',
      { 'draft-preview-link': 'always', 'approved-preview-link': 'always' },
    ],
    ['with a target that is null', { 'target-of-unsent': 'null' }],
    ['with a configuration where there is none', { 'absent-configuration': 'permit-all' }],
    ['that has no statistics before the start', { 'statistics-before-start': 'not-found' }],
  ])('of a deployment %s', async (_, dials) => {
    await expectSameAnswers(await ofDemo(), { dials: dials! })
  })
})

describe('what a pulled space does from then on', () => {
  test('a sending stays in the state that was pulled, and nothing more goes out', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const copy = await startedWith(await pulledFrom(mock))
    const sendings = synchronizationPath(ids.pending, '/sendings?includeAllStates=true')
    const before = (await copy.as('demo').get(sendings)).json._embedded['svc:sendings']
    copy.clock.advance(24 * 3_600_000)
    const after = (await copy.as('demo').get(sendings)).json._embedded['svc:sendings']
    expect(after).toEqual(before)
    expect(after[0].state).toBe('PENDING')
  })

  test('a known transaction ID returns its sending, and a new one is sent', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const copy = await startedWith(await pulledFrom(mock))
    const { transactionId, synchronizationId, id } = mock
      .space()
      .data.content.fixture.sendings.find(it => it.transactionId !== null)!
    const path = synchronizationPath(synchronizationId, '/sendings')
    const repeated = await copy.as('demo').post(path, { transactionId })
    expect([repeated.status, repeated.json.id]).toEqual([200, id])
    expect((await copy.as('demo').post(path, { transactionId: 'another' })).status).toBe(201)
  })
})

describe('the fixture', () => {
  test('the fixture holds neither password nor user of the service, and calls its space as it is told', async () => {
    const users = [{ name: 'key-4711', password: 'a-real-secret', rights: ['read' as const] }]
    const mock = await startMock({ fixture: base => ({ ...undisturbed(base), users }) })
    const asked = { user: 'key-4711', password: 'a-real-secret', space: 'staging' }
    const { fixture } = await pulledFrom(mock, asked)
    expect(fixture.space).toBe('staging')
    expect(fixture.users).toEqual([{ name: 'staging', password: 'staging', rights: ['read', 'write'] }])
    expect(JSON.stringify(fixture)).not.toMatch(/key-4711|a-real-secret/)
  })

  test('the fixture says of how many versions no preview is to be had', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const { notes } = await pulledFrom(mock)
    expect(notes).toEqual([
      expect.stringMatching(
        /^a version of a mailing has no preview.* a placeholder stands in its place \(21 times\)$/,
      ),
    ])
  })

  test('the lists of a service that names no customers keep their test recipients', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const withoutCustomers: Fetch = async (url, init) => {
      const response = await fetchOf(mock)(url, init)
      const text = (await response.text()).replaceAll(/"customer":"[^"]*"/g, '"customer":null')
      return new Response(text, response)
    }
    const recipientsOf = ({ fixture }: PullResult) =>
      fixture.lists.flatMap(it => [...it.testProfiles, ...it.testMailGroups]).map(it => it.id)
    const ids = recipientsOf(await pulledBy(withoutCustomers))
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.sort()).toEqual(recipientsOf(await pulledFrom(mock)).sort())
  })

  test('what two customers have under the same ID of the platform stays theirs', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const { platformMailings, platformSendings } = mock.space().data.content.fixture
    /** Numbers the rows of each customer from 1. */
    const numbered = (rows: readonly { id: number; customer: string | undefined }[]) =>
      rows.map(({ id, customer }, at) => {
        const own = rows.slice(0, at + 1).filter(it => it.customer === customer).length
        return [String(id), String(own)] as const
      })
    const customerOf = new Map(platformMailings.map(it => [it.id, it.customer]))
    const sendings = platformSendings.map(it => ({
      id: it.id,
      customer: customerOf.get(it.platformMailingId),
    }))
    const numbers = new Map([...numbered(platformMailings), ...numbered(sendings)])
    const perCustomer: Fetch = async (url, init) => {
      const response = await fetchOf(mock)(url, init)
      const text = (await response.text()).replaceAll(
        /("(?:mailing|sending)Id":)(\d+)/g,
        (whole, name, id) => (numbers.has(id) ? name + numbers.get(id) : whole),
      )
      return new Response(text, response)
    }
    const pulled = await pulledBy(perCustomer)
    const usual = await pulledFrom(mock)
    expect(pulled.fixture.platformSendings).toHaveLength(usual.fixture.platformSendings.length)
    expect(pulled.notes).toContainEqual(
      expect.stringMatching(/^an ID of the platform that two customers share was replaced/),
    )
    const copy = await startedWith(pulled)
    const addresses = addressesOf(mock.space().data.content.fixture).filter(it => it.endsWith('/statistics'))
    const [before, after] = [await answersOf(mock, addresses), await answersOf(copy, addresses)]
    const counts = (all: Map<string, string>) =>
      [...all.values()].map(it => /"recipientsCount":\d+/.exec(it)?.[0])
    expect(counts(after)).toEqual(counts(before))
  })

  test('sendings and mailing-uploads that are numbered in each synchronization stay apart', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const numbered: Fetch = async (url, init) => {
      const response = await fetchOf(mock)(url, init)
      const json = (await response.json()) as Json
      if (/\/mailing-uploads\/latest$/.test(url)) json.id = '1'
      for (const [at, it] of (json._embedded?.['svc:sendings'] ?? []).entries()) it.id = String(at + 1)
      return Response.json(json, response)
    }
    const [{ fixture }, usual] = [await pulledBy(numbered), await pulledFrom(mock)]
    for (const name of ['sendings', 'mailingUploads'] as const)
      expect(fixture[name]).toEqual(
        usual.fixture[name].map(it => ({ ...it, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })),
      )
  })

  test.each([
    ['2026-01-02T03:04:05.678', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ])('the date %s is read as %s, whatever the zone of the machine', (written, read) => {
    const zone = process.env.TZ
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    })
    process.env.TZ = 'Asia/Kathmandu'
    const notes = new Notes()
    expect(new ValueReader(notes, false).date({ creationDate: written }, 'creationDate')).toBe(read)
    const isZoneless = /:\d\d(?:\.\d+)?$/.test(written) && !written.includes('+')
    expect(notes.lines()).toEqual(isZoneless ? ['a creationDate had no time zone, and was read as UTC'] : [])
  })

  test.each([
    '{{firstName}}',
    '{{firstName|there}}',
    '{{{x}}',
    '{{a}}{{b}}',
    '{{ not one }}',
    '{{x|}}',
    'plain',
  ])('the fixture shows %s as it was shown, though it looks like a placeholder', shown => {
    expect(personalize(asLiteral(shown), undefined)).toBe(shown)
  })
})
