import type { Faker } from '@faker-js/faker'
import { toSlug } from '../contract/pull/anonymise.ts'
import { latestDateOf } from '../store/fixtures.ts'
import type {
  Customer,
  Fixture,
  List,
  Mailing,
  PlatformMailing,
  Synchronization,
  Version,
} from '../store/rows.ts'
import { type NewsletterContent, renderNewsletter } from './newsletter.ts'

/** The tables that can be filled with generated rows, by their names in the API document. */
const generatedTables = [
  'customers',
  'lists',
  'mailings',
  'synchronizations',
  'mailing-uploads',
  'sendings',
] as const

type GeneratedTable = (typeof generatedTables)[number]
/** How many rows to add, by table. */
export type Counts = Readonly<Partial<Record<GeneratedTable, number>>>

const maxCount = 1_000_000

/** Parses `--generate`, such as `mailings=10000,synchronizations=2000`. @throws Error saying what is possible */
export function parseCounts(text: string): Counts {
  const counts: Partial<Record<GeneratedTable, number>> = {}
  for (const part of text.split(',').map(it => it.trim())) {
    const [name = '', count, ...rest] = part.split('=').map(it => it.trim())
    if (count === undefined || rest.length > 0)
      throw new Error(`cannot read "${part}": expected table=count, such as mailings=10000`)
    const table = parseTable(name)
    if (table in counts) throw new Error(`"${name}" is given twice: expected each table once`)
    const isNumber = /^[+-]?\d+$/.test(count)
    counts[table] = checkCount(
      table,
      isNumber ? Number(count) : Number.NaN,
      isNumber ? undefined : `"${count}"`,
    )
  }
  return counts
}

/** The count of every table; 0 if none is given. @throws Error as parseCounts does */
function completeCounts(counts: Counts): Record<GeneratedTable, number> {
  for (const name of Object.keys(counts)) parseTable(name)
  const entries = generatedTables.map(table => [table, checkCount(table, counts[table] ?? 0)])
  return Object.fromEntries(entries) as Record<GeneratedTable, number>
}

function parseTable(name: string): GeneratedTable {
  const table = generatedTables.find(it => it === name)
  if (!table)
    throw new Error(`there is no table "${name}" to fill: expected one of ${generatedTables.join(', ')}`)
  return table
}

function checkCount(table: GeneratedTable, count: number, seen = String(count)): number {
  if (Number.isInteger(count) && count >= 0 && count <= maxCount) return count
  throw new Error(`the count of ${table} is ${seen}: expected a whole number from 0 to ${maxCount}`)
}

/** Generated content ends at this fixed date, not at the current time, so that the same seed gives the same bytes. */
const referenceDate = Date.parse('2026-10-01T00:00:00.000Z')
const firstDate = Date.parse('2026-01-01T00:00:00.000Z')
const minute = 60_000

/** A time span, in milliseconds since 1970. */
type Span = Readonly<{ from: number; to: number }>

const formatInstant = (time: number): string => new Date(time).toISOString()

/** Random points of a span, in order. */
const samplePoints = ({ from, to }: Span, count: number, faker: Faker): number[] =>
  Array.from({ length: count }, () => faker.number.int({ min: from, max: to })).sort((a, b) => a - b)

/**
 * Time spans of the generated rows: mailings first, then synchronizations, then requests on them, all later than anything
 * in the base. So each table stays chronological, with the base's rows on its first page.
 */
function planSpans(base: Fixture): { mailings: Span; synchronizations: Span; requests: Span } {
  const newest = latestDateOf(base)
  const from = Math.max(newest === Number.NEGATIVE_INFINITY ? firstDate : newest + 1, 0)
  // A base that extends past the reference date, such as a snapshot, gets a short span.
  const to = from < referenceDate - minute ? referenceDate : from + minute
  const third = Math.floor((to - from) / 3)
  return {
    mailings: { from, to: from + third - 1 },
    synchronizations: { from: from + third, to: from + 2 * third - 1 },
    requests: { from: from + 2 * third, to },
  }
}

/** How many rows to make, and where their values come from. */
interface Order {
  readonly faker: Faker
  readonly count: number
}

const generatedCause = 'generated'
const laterDate = (date: string, other: string | null) => (other !== null && other > date ? other : date)

/**
 * Adds uploads and sendings on a fixture's synchronizations, each with its rows on the platform. They use the generated
 * synchronizations, and the existing ones only if none of those is suitable.
 * @throws Error when there is nothing to upload or to send
 */
function addRequests(
  all: Fixture,
  fresh: readonly Synchronization[],
  span: Span,
  uploads: Order,
  sendings: Order,
): Fixture {
  if (uploads.count === 0 && sendings.count === 0) return all
  const synchronizations = new Map(all.synchronizations.map(it => [it.id, it]))
  const mailings = new Map(all.mailings.map(it => [it.id, it]))
  const lists = new Map(all.lists.map(it => [it.id, it]))
  const ready = (it: Synchronization) => Boolean(mailings.get(it.mailingId)?.approved)
  const firstFilled = (...choices: (readonly Synchronization[])[]) => choices.find(it => it.length > 0) ?? []
  const toUpload = firstFilled(fresh, all.synchronizations)
  const toSend = firstFilled(fresh.filter(ready), all.synchronizations.filter(ready))
  if (uploads.count > 0 && toUpload.length === 0)
    throw missingNeed('mailing-uploads', uploads.count, 'a synchronization', 'synchronizations', all)
  if (sendings.count > 0 && toSend.length === 0) {
    const need = 'a synchronization whose mailing is approved'
    throw missingNeed('sendings', sendings.count, need, 'mailings=1,synchronizations', all)
  }
  const result = {
    ...all,
    mailingUploads: [...all.mailingUploads],
    sendings: [...all.sendings],
    platformMailings: [...all.platformMailings],
    platformSendings: [...all.platformSendings],
  }
  let platformMailingId = highestId(all.platformMailings, 100_000)
  let platformSendingId = highestId(all.platformSendings, 500_000)
  const requests = [
    ...samplePoints(span, uploads.count, uploads.faker).map(at => ({ at, make: upload })),
    ...samplePoints(span, sendings.count, sendings.faker).map(at => ({ at, make: send })),
  ]
  // The platform numbers its mailings in order of creation, for uploads and sendings alike.
  for (const { at, make } of requests.sort((one, other) => one.at - other.at)) make(at)
  return { ...result, synchronizations: [...synchronizations.values()] }

  function upload(at: number): void {
    const { faker } = uploads
    const synchronization = chooseOne(faker, toUpload)
    const mailing = mailings.get(synchronization.mailingId)!
    const created = formatInstant(at)
    const modified = faker.datatype.boolean({ probability: 0.8 })
      ? created
      : formatInstant(dateAfter(faker, at))
    addMailing(synchronization, (mailing.draft ?? mailing.approved)!, {
      origin: 'mailing-upload',
      createdAt: created,
      approvedAt: null,
    })
    result.mailingUploads.push({
      id: faker.string.uuid(),
      synchronizationId: synchronization.id,
      creationDate: created,
      modificationDate: modified,
      platformMailingId,
    })
    const before = synchronization.mailingUploadsModificationDate
    modify(synchronization, modified, { mailingUploadsModificationDate: laterDate(modified, before) })
  }

  function send(at: number): void {
    const { faker } = sendings
    const synchronization = chooseOne(faker, toSend)
    const version = mailings.get(synchronization.mailingId)!.approved!
    const created = formatInstant(at)
    const id = faker.string.uuid()
    const name = faker.datatype.boolean({ probability: 0.1 }) ? `${version.name}, resent` : null
    const schedule = faker.datatype.boolean({ probability: 0.2 }) ? formatInstant(dateAfter(faker, at)) : null
    addMailing(
      synchronization,
      { ...version, name: name ?? version.name },
      { origin: 'sending', createdAt: created, approvedAt: created },
    )
    platformSendingId++
    result.platformSendings.push({
      id: platformSendingId,
      platformMailingId,
      kind: 'list',
      recipients: lists.get(synchronization.listId)!.recipients,
      addresses: null,
      requestedAt: created,
      startsAt: schedule ?? created,
      cause: generatedCause,
    })
    result.sendings.push({
      id,
      synchronizationId: synchronization.id,
      creationDate: created,
      scheduleDate: schedule,
      // Contains the row's own ID, so it is unique.
      transactionId: faker.datatype.boolean({ probability: 0.9 })
        ? `letter-${created.slice(0, 10)}-${id.replaceAll('-', '')}`
        : null,
      name,
      subject: null,
      plan: [{ state: 'CREATED' }],
      step: 0,
      stepSince: created,
      stepAttempts: 1,
      platformMailingId,
      platformSendingId,
      cause: generatedCause,
    })
    modify(synchronization, created, { sendingsModificationDate: created })
  }

  /** One of the synchronizations, as it is by now. */
  function chooseOne(faker: Faker, choice: readonly Synchronization[]): Synchronization {
    return synchronizations.get(faker.helpers.arrayElement(choice).id)!
  }

  function dateAfter(faker: Faker, at: number): number {
    return faker.number.int({ min: at + 1, max: span.to + 1 })
  }

  /** The base's rows belong to the caller, so a changed row is a new object. */
  function modify(row: Synchronization, date: string, change: Partial<Synchronization>): void {
    const modificationDate = laterDate(date, row.modificationDate)
    synchronizations.set(row.id, { ...row, ...change, modificationDate })
  }

  function addMailing(
    { mailingId, listId }: Synchronization,
    { name, subject, number }: Version,
    made: Pick<PlatformMailing, 'origin' | 'createdAt' | 'approvedAt'>,
  ): void {
    platformMailingId++
    result.platformMailings.push({
      id: platformMailingId,
      ...made,
      customer: lists.get(listId)!.customer,
      listId,
      name,
      subject,
      mailingId,
      version: number,
      cause: generatedCause,
    })
  }
}

/**
 * A fixture with additional rows, for tests of paging and load. The same base, counts and seed give the same bytes. The
 * base's rows stay, before the generated ones.
 * @throws Error naming the rows that a table needs and the base lacks
 */
export async function generate(base: Fixture, counts: Counts, seed: number): Promise<Fixture> {
  const wanted = completeCounts(counts)
  // Loaded lazily, since its word lists take longer to load than the rest of the program.
  const { Faker, en, base: fallback } = await import('@faker-js/faker')
  // One source per table, so that a different count of one table does not change the others. The number of existing rows is
  // part of the seed, so that generating twice with one seed does not repeat IDs.
  const source = (table: GeneratedTable): Faker => {
    const faker = new Faker({ locale: [en, fallback] })
    faker.seed([
      seed >>> 0,
      Math.floor(seed / 2 ** 32) >>> 0,
      generatedTables.indexOf(table),
      base[table === 'mailing-uploads' ? 'mailingUploads' : table].length,
    ])
    return faker
  }
  const spans = planSpans(base)
  const customers = generateCustomers(source('customers'), base, wanted.customers)
  const lists = generateLists(source('lists'), base, customers, wanted.lists)
  const mailings = generateMailings(source('mailings'), spans.mailings, wanted.mailings)
  const all: Fixture = {
    ...base,
    customers: [...base.customers, ...customers],
    lists: [...base.lists, ...lists],
    mailings: [...base.mailings, ...mailings],
  }
  const fresh = generateSynchronizations(
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

function generateCustomers(faker: Faker, base: Fixture, count: number): Customer[] {
  const taken = new Set(base.customers.map(it => it.name))
  return Array.from({ length: count }, () => {
    const wish = toSlug(faker.company.name())
    let name = wish
    for (let no = 2; taken.has(name); no++) name = `${wish}-${no}`
    taken.add(name)
    return { name }
  })
}

function generateLists(faker: Faker, base: Fixture, fresh: readonly Customer[], count: number): List[] {
  if (count === 0) return []
  const customers = fresh.length > 0 ? fresh : base.customers
  if (customers.length === 0) throw missingNeed('lists', count, 'a customer', 'customers', base)
  let id = highestId(base.lists)
  let profileId = highestId(base.lists.flatMap(it => it.testProfiles))
  let groupId = highestId(base.lists.flatMap(it => it.testMailGroups))
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
        { id: groupId, name: 'Editors', emails: [`${toSlug(firstName)}.${toSlug(lastName)}@example.org`] },
      ],
    }
  })
}

function generateMailings(faker: Faker, span: Span, count: number): Mailing[] {
  if (count === 0) return []
  const brands = inventBrands(faker, 12)
  return samplePoints(span, count, faker).map((created, i) => {
    const letter = inventLetter(faker, faker.helpers.arrayElement(brands), i + 1)
    // The first one is approved, so that even the smallest fixture can have sendings.
    const kind = i === 0 ? 'approved' : faker.helpers.arrayElement(['draft', 'both', 'approved', 'approved'])
    return {
      id: faker.string.uuid(),
      creationDate: formatInstant(created),
      modificationDate: formatInstant(faker.number.int({ min: created, max: span.to })),
      draft: kind === 'draft' ? letter : kind === 'both' ? nextDraft(letter) : null,
      approved: kind === 'draft' ? null : letter,
    }
  })
}

function generateSynchronizations(faker: Faker, all: Fixture, span: Span, count: number): Synchronization[] {
  if (count === 0) return []
  const lists = findPermittedLists(all)
  if (lists.length === 0) throw missingNeed('synchronizations', count, 'a list', 'lists', all)
  if (all.mailings.length === 0) throw missingNeed('synchronizations', count, 'a mailing', 'mailings', all)
  const ready = all.mailings.filter(it => it.approved)
  return samplePoints(span, count, faker).map((created, i) => {
    const list = faker.helpers.arrayElement(lists)
    const date = formatInstant(created)
    return {
      id: faker.string.uuid(),
      creationDate: date,
      modificationDate: date,
      // The first one has an approved mailing if there is any, so that it can have sendings.
      mailingId: faker.helpers.arrayElement(i === 0 && ready.length > 0 ? ready : all.mailings).id,
      customer: list.customer,
      listId: list.id,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
    }
  })
}

/** The lists that the space may use; all lists if it may use none. */
function findPermittedLists({ lists, accessibleLists }: Fixture): readonly List[] {
  const restricted = new Map(
    accessibleLists.filter(it => !it.permitAll).map(it => [it.customer, new Set(it.permittedLists)]),
  )
  const some = lists.filter(list => restricted.get(list.customer)?.has(list.id) ?? true)
  return some.length > 0 ? some : lists
}

const highestId = (rows: readonly { id: number }[], least = 0) =>
  rows.reduce((most, { id }) => Math.max(most, id), least)

const missingNeed = (
  table: GeneratedTable,
  count: number,
  need: string,
  needed: string,
  { space }: Fixture,
) => new Error(`${table}=${count} needs ${need}, and space "${space}" has none: add ${needed}=1 or more`)

type Brand = Pick<NewsletterContent, 'language' | 'brand' | 'accent' | 'footer'> & { site: string }

/** Colours that are dark enough for white text. */
const accents = ['#1f6f54', '#1d3f63', '#8a4b16', '#7b2d43', '#4b3a75', '#2d5b6b', '#6b2f2f', '#3d5a1e']

/** Invents the brands of newsletters. A few are enough for many letters. */
function inventBrands(faker: Faker, count: number): Brand[] {
  return Array.from({ length: count }, () => {
    const brand = faker.company.name()
    const site = `https://www.${toSlug(brand)}.example.com`
    const address = `${faker.location.streetAddress()}, ${faker.location.city()}`
    return {
      language: 'en',
      brand,
      accent: faker.helpers.arrayElement(accents),
      site,
      footer: {
        address: `${brand}, ${address}`,
        unsubscribe: { label: 'Unsubscribe', url: `${site}/unsubscribe` },
      },
    }
  })
}

const subjects: readonly ((product: string, faker: Faker) => string)[] = [
  product => `New this week: ${product}`,
  product => `{{firstName|Hello}}, have you seen our ${product}?`,
  (product, faker) => `${faker.number.int({ min: 10, max: 40 })} % off: ${product}`,
  product => `${product}: back in stock`,
  product => `For {{city|your town}}: the ${product}`,
]

/** Invents the first version of a letter about a product of the brand. */
function inventLetter(faker: Faker, { site, ...brand }: Brand, no: number): Version {
  const product = faker.commerce.productName()
  const url = `${site}/${toSlug(product)}`
  const content: NewsletterContent = {
    ...brand,
    preheader: `${faker.commerce.department()} news, and something new to see.`,
    headline: `${faker.commerce.productAdjective()}, and ${faker.commerce.productAdjective().toLowerCase()}`,
    intro: `Hello {{firstName|there}}, ${faker.company.buzzPhrase()}: that is what our ${product} is for.`,
    sections: [
      { title: product, text: faker.commerce.productDescription(), link: { label: 'Have a look', url } },
    ],
  }
  return {
    number: 1,
    name: `${product} no. ${no}`,
    subject: faker.helpers.arrayElement(subjects)(product, faker),
    ...renderNewsletter(content),
  }
}

/** A draft that was started after the approval. */
const nextDraft = (approved: Version): Version => ({
  ...approved,
  number: approved.number + 1,
  name: `${approved.name}, revised`,
  subject: `Once more: ${approved.subject}`,
})
