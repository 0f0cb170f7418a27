import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { everyPayload } from './hostile.ts'

/** Members of a fixture that hold whatever somebody wrote. */
const free = new Set([
  'attributes',
  'cause',
  'customer',
  'description',
  'html',
  'name',
  'subject',
  'text',
  'transactionId',
])

/**
 * The default fixture with every payload in every text that a person or a client writes: names of customers, lists,
 * profiles and groups, all of a mailing, what sendings and the platform kept of it. Users keep their names.
 */
export async function hostileFixture(): Promise<Fixture> {
  const [base] = await readFixtures(defaultFixture)
  const { users, ...rest } = base!
  return { ...(poisoned(rest, 'fixture') as Omit<Fixture, 'users'>), users }
}

/** What was there stands at the end: so it is still unique, and whatever refers to it finds it. */
function poisoned(value: unknown, member: string): unknown {
  if (typeof value === 'string') return free.has(member) ? `${everyPayload(wordOf(member))} ${value}` : value
  if (Array.isArray(value)) return value.map(item => poisoned(item, member))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      poisoned(item, member === 'attributes' ? member : name),
    ]),
  )
}

/** A customer is referred to by its name: both must become the same. */
const wordOf = (member: string) => (member === 'customer' ? 'name' : member)
