import type { Fixture, List, PlatformMailing, Version } from '../../store/rows.ts'
import { Inventions } from './inventions.ts'
import { Originals } from './originals.ts'

/**
 * The fixture with everything replaced that says something about somebody: names, addresses, subjects, content and
 * transaction IDs. What stays says nothing: UUIDs, numbers, dates, states. The same fixture and seed give the same bytes.
 */
export async function anonymised(fixture: Fixture, seed: number): Promise<Fixture> {
  // Loaded only here: its word lists take longer to load than the rest of the program.
  const { Faker, en, base } = await import('@faker-js/faker')
  const faker = new Faker({ locale: [en, base] })
  faker.seed(seed)
  const inventions = new Inventions(faker, new Originals(fixture))
  inventFormsFirst(fixture, inventions)
  const text = inventions.text.bind(inventions)
  const customer = <Row extends { readonly customer: string }>(row: Row): Row => ({
    ...row,
    customer: text('customer', row.customer),
  })
  return {
    ...fixture,
    customers: fixture.customers.map(({ name }) => ({ name: text('customer', name) })),
    lists: fixture.lists.map(it => list(it, inventions)),
    accessibleLists: fixture.accessibleLists.map(customer),
    mailings: fixture.mailings.map(it => ({
      ...it,
      draft: it.draft && version(it.draft, inventions),
      approved: it.approved && version(it.approved, inventions),
    })),
    synchronizations: fixture.synchronizations.map(customer),
    sendings: fixture.sendings.map(it => ({
      ...it,
      transactionId: it.transactionId === null ? null : text('transaction', it.transactionId),
      name: it.name === null ? null : text('name', it.name),
      subject: it.subject === null ? null : text('subject', it.subject),
    })),
    platformMailings: fixture.platformMailings.map(it => platformMailing(customer(it), inventions)),
  }
}

/** A text that stands in several places takes the form that the strictest of them asks for. */
function inventFormsFirst({ lists, sendings }: Fixture, inventions: Inventions): void {
  for (const { testMailGroups } of lists)
    for (const { emails } of testMailGroups) for (const email of emails) inventions.text('email', email)
  for (const { transactionId } of sendings)
    if (transactionId !== null) inventions.text('transaction', transactionId)
}

const list = (it: List, inventions: Inventions): List => ({
  ...it,
  customer: inventions.text('customer', it.customer),
  name: inventions.text('list', it.name),
  testProfiles: it.testProfiles.map(({ id, description }) => ({
    id,
    description: inventions.text('profile', description),
    attributes: {},
  })),
  testMailGroups: it.testMailGroups.map(({ id, name, emails }) => ({
    id,
    name: inventions.text('group', name),
    emails: emails.map(email => inventions.text('email', email)),
  })),
})

const version = (it: Version, inventions: Inventions): Version => ({
  number: it.number,
  name: inventions.text('name', it.name),
  subject: inventions.text('subject', it.subject),
  ...inventions.content(it.html, it.text),
})

const platformMailing = (it: PlatformMailing, inventions: Inventions): PlatformMailing => ({
  ...it,
  name: inventions.text('name', it.name),
  subject: inventions.text('subject', it.subject),
})
