import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { anonymiseFixture } from '../../src/contract/pull/anonymise.ts'
import { generate } from '../../src/lib/generate.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { type Fixture, fixture as fixtureSchema } from '../../src/store/rows.ts'
import { startMock } from '../mock.ts'
import { addressesOf, answersOf, pulledBy, pulledFrom, startedWith, undisturbed } from './pulling.ts'

const demo = async () => (await readFixtures(defaultFixture))[0]!
const hidden = { anonymise: true }

/** Texts that say nothing about anybody: what stays of a fixture, and words of the service. */
const sayNothing =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|read|write|sent|not-sent|sending|mailing-upload|test-sending|list|test|CREATED|PENDING|FAILED|INDETERMINATE_FAILURE|fixture|demo|\.\/fixture\.schema\.json)$/

/** Every text in a value, except the names of members that are the format's own. */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one)
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* textsIn(one)
}

/** Every original text, whole and in the pieces that somebody would look for: sentences, addresses, hosts. */
function originalsOf(fixture: Fixture): Set<string> {
  const { testSynchronizations: _, ...rest } = fixture
  const originals = new Set<string>()
  for (const text of textsIn({ ...rest, description: '' })) {
    if (text === '' || sayNothing.test(text)) continue
    originals.add(text)
    for (const [address] of text.matchAll(/https?:\/\/[^\s"'<>)]+/g)) {
      originals.add(address)
      originals.add(new URL(address).host)
    }
    for (const email of text.match(/[\w.+-]+@[\w.-]+\w/g) ?? []) originals.add(email)
    for (const piece of text.split(/<[^>]*>|\n|[.!?] /))
      if (piece.trim().split(/\s+/).length >= 3) originals.add(piece.trim())
  }
  return originals
}

describe('an anonymised pull', () => {
  test('an anonymised pull has no original text left anywhere', async () => {
    const fixture = await generate(
      undisturbed(await demo()),
      { mailings: 40, synchronizations: 60, sendings: 30 },
      3,
    )
    const mock = await startMock({ fixture: () => fixture })
    const pulled = await pulledFrom(mock, hidden)
    /** As a whole word: a short one is a part of many others. */
    const isIn = (written: string) => (original: string) => {
      const part = asJson(original)
      const isWhole = (at: number) =>
        ![written.charAt(at - 1), written.charAt(at + part.length)].some(it => /[\p{L}\p{N}]/u.test(it))
      let at = written.indexOf(part)
      while (at >= 0 && !isWhole(at)) at = written.indexOf(part, at + 1)
      return at >= 0
    }
    const written = JSON.stringify(pulled.fixture).toLowerCase()
    const asJson = (text: string) => JSON.stringify(text).slice(1, -1).toLowerCase()
    const originals = [...originalsOf(fixture)]
    expect(originals.length).toBeGreaterThan(800)
    expect(originals.filter(isIn(written))).toEqual([])
    // The same search finds them where nothing was replaced.
    const plain = JSON.stringify((await pulledFrom(mock)).fixture).toLowerCase()
    expect(originals.filter(isIn(plain)).length).toBeGreaterThan(300)
  })

  test('an anonymised pull does not name the service that it comes from', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const at = { url: 'http://secret-brand.localhost' }
    expect(JSON.stringify(await pulledFrom(mock, at))).toContain('secret-brand')
    expect(JSON.stringify(await pulledFrom(mock, { ...at, ...hidden }))).not.toContain('secret-brand')
  })

  test('an anonymised pull is the same for the same seed, and another one for another', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const of = async (seed: number) => JSON.stringify((await pulledFrom(mock, { ...hidden, seed })).fixture)
    const first = await of(5)
    expect(await of(5)).toBe(first)
    expect(await of(6)).not.toBe(first)
  })

  test('an anonymised pull starts a mock with as many of everything, under the same IDs', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const plain = await pulledFrom(mock)
    const pulled = await pulledFrom(mock, hidden)
    const shape = ({ fixture: it }: typeof pulled) => ({
      mailings: it.mailings.map(({ id, draft, approved }) => [id, draft?.number, approved?.number]),
      synchronizations: it.synchronizations.map(({ customer: _, ...others }) => others),
      sendings: it.sendings.map(({ transactionId, ...others }) => ({
        ...others,
        hasTransaction: transactionId !== null,
      })),
      lists: it.lists.map(({ id, recipients }) => [id, recipients]),
      platformSendings: it.platformSendings,
    })
    expect(shape(pulled)).toEqual(shape(plain))
    const { fixture } = pulled
    const answers = await answersOf(await startedWith(pulled), addressesOf(fixture))
    const before = await answersOf(mock, addressesOf(undisturbed(await demo())))
    const statuses = (of: Map<string, string>) => [...of.values()].map(it => it.slice(0, 3)).sort()
    // Only the latest upload of a synchronization can be pulled; everything else is answered as it was.
    expect(statuses(answers)).toEqual(statuses(before))
  })

  test('an anonymised pull gives the same text for the same, and another one for another', async () => {
    const fixture = undisturbed(await demo())
    const it = await anonymiseFixture(fixture, 1)
    const pairs = new Map<string, string>()
    const seen = (before: string | null, after: string | null) => {
      if (before === null || after === null) return expect(after).toBe(before)
      expect(pairs.get(before) ?? after, before).toBe(after)
      pairs.set(before, after)
    }
    for (const [at, list] of fixture.lists.entries()) {
      seen(list.name, it.lists[at]!.name)
      seen(list.customer, it.lists[at]!.customer)
      for (const [n, group] of list.testMailGroups.entries()) {
        seen(group.name, it.lists[at]!.testMailGroups[n]!.name)
        for (const [m, email] of group.emails.entries())
          seen(email, it.lists[at]!.testMailGroups[n]!.emails[m]!)
      }
    }
    for (const [at, mailing] of fixture.mailings.entries())
      for (const version of ['draft', 'approved'] as const) {
        seen(mailing[version]?.name ?? null, it.mailings[at]![version]?.name ?? null)
        seen(mailing[version]?.subject ?? null, it.mailings[at]![version]?.subject ?? null)
      }
    for (const [at, row] of fixture.synchronizations.entries())
      seen(row.customer, it.synchronizations[at]!.customer)
    for (const [at, row] of fixture.sendings.entries())
      seen(row.transactionId, it.sendings[at]!.transactionId)
    for (const [at, row] of fixture.platformMailings.entries()) {
      seen(row.name, it.platformMailings[at]!.name)
      seen(row.subject, it.platformMailings[at]!.subject)
    }
    expect(pairs.size).toBeGreaterThan(80)
    expect(new Set(pairs.values()).size).toBe(pairs.size)
    for (const [before, after] of pairs) expect(after.toLowerCase()).not.toBe(before.toLowerCase())
  })

  test('an anonymised pull hides IDs that are names as well', async () => {
    const item = (id: string) => ({
      id,
      name: id,
      isApproved: false,
      hasDraft: true,
      creationDate: '2026-01-01T00:00:00Z',
    })
    const answers: Record<string, unknown> = {
      '/mailings': { _embedded: { 'x:mailings': [item('Newsletter of Mr Example')] }, _links: {} },
      '/integrations/mailing-platform/mailing-synchronizations': { _embedded: {}, _links: {} },
      '/integrations/mailing-platform/accessible-customers': { _embedded: {}, _links: {} },
    }
    const fetch = async (url: string) => Response.json(answers[new URL(url).pathname])
    const plain = await pulledBy(fetch)
    const it = await pulledBy(fetch, hidden)
    expect(JSON.stringify(plain)).toContain('Mr Example')
    expect(JSON.stringify(it)).not.toMatch(/Example'/)
    expect(it.fixture.mailings[0]!.id).not.toBe(plain.fixture.mailings[0]!.id)
  })
})

/** A value of a schema in which every text is the path at which it stands. */
function withPaths(schema: z.ZodType, path: string): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return withPaths(schema.unwrap() as z.ZodType, path)
  if (schema instanceof z.ZodArray) return [withPaths(schema.element as z.ZodType, path)]
  if (schema instanceof z.ZodRecord) return { [`${path} name`]: `${path} value` }
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, inner]) => [
        name,
        withPaths(inner, path === '' ? name : `${path}.${name}`),
      ]),
    )
  if (schema instanceof z.ZodNumber) return 1
  return schema instanceof z.ZodBoolean ? true : path
}

/** Texts of a fixture that stay as they are, with what they say. */
const mayStay: Readonly<Record<string, string>> = {
  $schema: 'where our schema is',
  $format: 'a number of ours',
  space: 'what the user of pull calls it',
  description: 'a sentence of pull',
  'users.name': 'the name of the space',
  'users.password': 'the name of the space',
  'users.rights': 'one of two words',
  'sendings.plan.state': 'a state of the service',
  'sendings.plan.truth': 'one of two words',
  'sendings.plan.partial': 'a yes or no',
  'sendings.cause': 'a request ID of a mock',
  'sendings.hidden': 'a yes or no',
  'platformMailings.origin': 'one of three words',
  'platformMailings.cause': 'a request ID of a mock',
  'platformSendings.kind': 'one of two words',
  'platformSendings.cause': 'a request ID of a mock',
  'platformSendings.broughtBy': 'a request ID of a mock',
  'testSynchronizations.scenario': 'a scenario of the mock',
  'settings.name': 'a setting of the mock',
  'settings.value': 'a setting of the mock',
}

test('the texts that an anonymised fixture keeps are those that say nothing about anybody', async () => {
  const given = withPaths(fixtureSchema, '') as Fixture
  const kept = new Set(textsIn(await anonymiseFixture(given, 1)))
  const texts = [...new Set(textsIn(given))].filter(it => !/(?:\.id|Id|Date|At|Since)$/.test(it))
  const revealed = texts.filter(it => kept.has(it) && !Object.hasOwn(mayStay, it))
  expect(
    revealed,
    'an anonymised fixture keeps these texts: replace them in src/contract/pull/anonymise.ts, or say in `mayStay` here why they may stay',
  ).toEqual([])
  const replaced = Object.keys(mayStay).filter(it => !kept.has(it))
  expect(replaced, 'these are replaced, or are texts no more: take them out of `mayStay`').toEqual([])
})
