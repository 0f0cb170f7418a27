import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkFixture, FixtureError, readFixtures } from '../../src/store/fixtures.ts'
import { temporaryDirectory } from '../process.ts'

/** What is said of a fixture, problem by problem. */
async function problemsOf(value: unknown): Promise<string[]> {
  const error = await checkFixture(value, 'it').catch(error => error)
  expect(error).toBeInstanceOf(FixtureError)
  return (error as FixtureError).found.map(({ path, problem }) => `${path}: ${problem}`)
}

const rows = { customers: [], lists: [], accessibleLists: [], mailings: [], synchronizations: [] }
const requests = { mailingUploads: [], sendings: [], platformMailings: [], platformSendings: [] }
const user = { name: 'ann', password: 'secret', rights: ['read'] }
const fixture = { $format: 1, space: 'acme', users: [user], ...rows, ...requests }

test('a fixture with the keys that there are is taken', async () => {
  expect(await checkFixture(fixture, 'it')).toEqual(fixture)
})

test('a misspelt table is named first, though all else is missing', async () => {
  const [first, second] = await problemsOf({ space: 'acme', user: [user] })
  expect(first).toMatch(/^: unknown key "user"; did you mean "users"\? Possible: .*\busers, customers,/)
  expect(second).toBe('$format: expected 1, got nothing')
})

test('each of several is named, with what it may have meant', async () => {
  const { users, sendings, ...others } = fixture
  const told = await problemsOf({ ...others, usrs: users, Sendings: sendings })
  expect(told.slice(0, 2)).toEqual([
    expect.stringContaining('unknown key "usrs"; did you mean "users"?'),
    expect.stringContaining('unknown key "Sendings"; did you mean "sendings"?'),
  ])
})

test('a misspelt member of a row is named with its place', async () => {
  const { password, ...nameAndRights } = user
  expect(await problemsOf({ ...fixture, users: [{ ...nameAndRights, pasword: password }] })).toEqual([
    'users[0]: unknown key "pasword"; did you mean "password"? Possible: name, password, rights',
    'users[0].password: expected a text, got nothing',
  ])
})

test.each(['.', '..'])(
  'a customer or a space named %s is refused, since no address leads to it',
  async name => {
    expect(await problemsOf({ ...fixture, customers: [{ name }] })).toEqual([
      `customers[0].name: expected another name than "." and "..", which no address can have, got "${name}"`,
    ])
    expect(await problemsOf({ ...fixture, space: name })).toEqual([
      `space: expected a space name without "+", not "." or "..", got "${name}"`,
    ])
    expect(await checkFixture({ ...fixture, space: '...', customers: [{ name: '.a' }] }, 'it')).toBeDefined()
  },
)

test('a name with half a surrogate pair is refused, since no address can have it', async () => {
  const name = '\ud800'
  expect(await problemsOf({ ...fixture, space: name, customers: [{ name }] })).toEqual([
    expect.stringMatching(/^space: expected whole characters/),
    expect.stringMatching(/^customers\[0\]\.name: expected whole characters/),
  ])
  expect(await checkFixture({ ...fixture, customers: [{ name: '\ud83d\ude00' }] }, 'it')).toBeDefined()
})

test('the place of what is not JSON is said once, whatever the version of Node', async () => {
  using folder = temporaryDirectory()
  const file = folder.at('broken.json')
  writeFileSync(file, '{ "$format": 1,\n}')
  await expect(readFixtures(file)).rejects.toThrow(
    /broken\.json, line 2 is not JSON: Expected double-quoted property name$/,
  )
})
