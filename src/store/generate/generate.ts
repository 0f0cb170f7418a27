import type { Faker } from '@faker-js/faker'
import type { Customer, Fixture, List, Mailing, Synchronization } from '../rows.ts'
import { type Counts, completed, type Table, tables } from './counts.ts'
import { instant, pointsIn, type Span, spansAfter } from './dates.ts'
import { inventBrands, inventLetter, nextDraft, slug } from './letters.ts'
import { addRequests } from './requests.ts'

export { type Counts, parseCounts, type Table } from './counts.ts'

/**
 * A fixture with so many rows more, for tests of paging and load. It depends on nothing but the arguments: the same
 * base, counts and seed give the same bytes. The base's rows stay, in front of the generated ones.
 * @throws Error naming what a table needs and the base lacks
 */
export async function generate(base: Fixture, counts: Counts, seed: number): Promise<Fixture> {
  const wanted = completed(counts)
  // Loaded only here: its word lists take longer to load than the rest of the program.
  const { Faker, en, base: fallback } = await import('@faker-js/faker')
  // One source per table, so that another count of one leaves the others' content. The rows that are there already
  // count in: generating twice on top of each other, with one seed, does not give the same IDs twice.
  const source = (table: Table): Faker => {
    const faker = new Faker({ locale: [en, fallback] })
    faker.seed([
      seed >>> 0,
      Math.floor(seed / 2 ** 32) >>> 0,
      tables.indexOf(table),
      base[member[table]].length,
    ])
    return faker
  }
  const spans = spansAfter(base)
  const customers = moreCustomers(source('customers'), base, wanted.customers)
  const lists = moreLists(source('lists'), base, customers, wanted.lists)
  const mailings = moreMailings(source('mailings'), spans.mailings, wanted.mailings)
  const all: Fixture = {
    ...base,
    customers: [...base.customers, ...customers],
    lists: [...base.lists, ...lists],
    mailings: [...base.mailings, ...mailings],
  }
  const fresh = moreSynchronizations(
    source('synchronizations'),
    all,
    spans.synchronizations,
    wanted.synchronizations,
  )
  return addRequests(
    { ...all, synchronizations: [...base.synchronizations, ...fresh] },
    fresh,
    spans.requests,
    { faker: source('mailing-uploads'), count: wanted['mailing-uploads'] },
    { faker: source('sendings'), count: wanted.sendings },
  )
}

const member = {
  customers: 'customers',
  lists: 'lists',
  mailings: 'mailings',
  synchronizations: 'synchronizations',
  'mailing-uploads': 'mailingUploads',
  sendings: 'sendings',
} as const satisfies Record<Table, keyof Fixture>

function moreCustomers(faker: Faker, base: Fixture, count: number): Customer[] {
  const taken = new Set(base.customers.map(it => it.name))
  return Array.from({ length: count }, () => {
    const wish = slug(faker.company.name())
    let name = wish
    for (let no = 2; taken.has(name); no++) name = `${wish}-${no}`
    taken.add(name)
    return { name }
  })
}

function moreLists(faker: Faker, base: Fixture, fresh: readonly Customer[], count: number): List[] {
  if (count === 0) return []
  const customers = fresh.length > 0 ? fresh : base.customers
  if (customers.length === 0) throw lacking('lists', count, 'a customer', 'customers', base)
  let id = highest(base.lists)
  let profileId = highest(base.lists.flatMap(it => it.testProfiles))
  let groupId = highest(base.lists.flatMap(it => it.testMailGroups))
  const profile = (description: string, attributes: Record<string, string>) => {
    profileId++
    return { id: profileId, description, attributes }
  }
  return Array.from({ length: count }, (_, i) => {
    const firstName = faker.person.firstName()
    const lastName = faker.person.lastName()
    id++
    groupId++
    return {
      id,
      customer: customers[i % customers.length]!.name,
      name: `${faker.commerce.department()} newsletter ${id}`,
      recipients: faker.number.int({ min: 0, max: 50_000 }),
      testProfiles: [
        profile(`${firstName} ${lastName}`, { firstName, lastName, city: faker.location.city() }),
        profile('Nothing known', {}),
      ],
      testMailGroups: [
        { id: groupId, name: 'Editors', emails: [`${slug(firstName)}.${slug(lastName)}@example.org`] },
      ],
    }
  })
}

function moreMailings(faker: Faker, span: Span, count: number): Mailing[] {
  if (count === 0) return []
  const brands = inventBrands(faker, 12)
  return pointsIn(span, count, faker).map((created, i) => {
    const letter = inventLetter(faker, faker.helpers.arrayElement(brands), i + 1)
    // The first one is approved, so that even the smallest world can have sendings.
    const kind = i === 0 ? 'approved' : faker.helpers.arrayElement(['draft', 'both', 'approved', 'approved'])
    return {
      id: faker.string.uuid(),
      creationDate: instant(created),
      modificationDate: instant(faker.number.int({ min: created, max: span.to })),
      draft: kind === 'draft' ? letter : kind === 'both' ? nextDraft(letter) : null,
      approved: kind === 'draft' ? null : letter,
    }
  })
}

function moreSynchronizations(faker: Faker, all: Fixture, span: Span, count: number): Synchronization[] {
  if (count === 0) return []
  const lists = permitted(all)
  if (lists.length === 0) throw lacking('synchronizations', count, 'a list', 'lists', all)
  if (all.mailings.length === 0) throw lacking('synchronizations', count, 'a mailing', 'mailings', all)
  const ready = all.mailings.filter(it => it.approved)
  return pointsIn(span, count, faker).map((created, i) => {
    const list = faker.helpers.arrayElement(lists)
    const date = instant(created)
    return {
      id: faker.string.uuid(),
      creationDate: date,
      modificationDate: date,
      // As with the mailings, the first one can be sent if any can.
      mailingId: faker.helpers.arrayElement(i === 0 && ready.length > 0 ? ready : all.mailings).id,
      customer: list.customer,
      listId: list.id,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
    }
  })
}

/** The lists that the space may use; all of them if it may use none. */
function permitted({ lists, accessibleLists }: Fixture): readonly List[] {
  const restricted = new Map(
    accessibleLists.filter(it => !it.permitAll).map(it => [it.customer, new Set(it.permittedLists)]),
  )
  const some = lists.filter(list => restricted.get(list.customer)?.has(list.id) ?? true)
  return some.length > 0 ? some : lists
}

const highest = (rows: readonly { id: number }[]) => rows.reduce((most, { id }) => Math.max(most, id), 0)

const lacking = (table: Table, count: number, need: string, needed: Table, { space }: Fixture) =>
  new Error(`${table}=${count} needs ${need}, and space "${space}" has none: add ${needed}=1 or more`)
