import type { Faker } from '@faker-js/faker'
import { type NewsletterContent, renderNewsletter, toSlug } from '../contract/pull/newsletter.ts'
import { latestDateOf } from '../store/fixtures.ts'
import type {
  Customer,
  Fixture,
  List,
  Mailing,
  MailingUpload,
  PlatformMailing,
  PlatformSending,
  Sending,
  Synchronization,
  Version,
} from '../store/rows.ts'

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

/**
 * Parses the value of `--generate`, such as `mailings=10000,synchronizations=2000`.
 * @throws Error saying what was seen and what is possible
 */
export function parseCounts(text: string): Counts {
  const counts: Partial<Record<GeneratedTable, number>> = {}
  for (const part of text.split(',').map(it => it.trim())) {
    const [name = '', count, ...rest] = part.split('=').map(it => it.trim())
    if (count === undefined || rest.length > 0)
      throw new Error(`cannot read "${part}": expected table=count, such as mailings=10000`)
    const table = parseTable(name)
    if (table in counts) throw new Error(`"${name}" is given twice: expected each table once`)
    if (!/^[+-]?\d+$/.test(count)) throw new Error(describeWrongCount(table, `"${count}"`))
    counts[table] = checkCount(table, Number(count))
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

function checkCount(table: GeneratedTable, count: number): number {
  if (!Number.isInteger(count) || count < 0 || count > maxCount)
    throw new Error(describeWrongCount(table, String(count)))
  return count
}

const describeWrongCount = (table: GeneratedTable, seen: string) =>
  `the count of ${table} is ${seen}: expected a whole number from 0 to ${maxCount}`

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

type Order = Readonly<{ faker: Faker; count: number }>
type Target = { synchronization: Synchronization; mailing: Mailing; list: List }

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
  const play = requestGenerator(all, span)
  const approved = new Set(all.mailings.filter(it => it.approved).map(it => it.id))
  const ready = (it: Synchronization) => approved.has(it.mailingId)
  const firstFilled = (...choices: (readonly Synchronization[])[]) => choices.find(it => it.length > 0) ?? []
  const toUpload = firstFilled(fresh, all.synchronizations)
  const toSend = firstFilled(fresh.filter(ready), all.synchronizations.filter(ready))
  if (uploads.count > 0 && toUpload.length === 0)
    throw new Error(
      `mailing-uploads=${uploads.count} needs a synchronization, and space "${all.space}" has none: add synchronizations=1 or more`,
    )
  if (sendings.count > 0 && toSend.length === 0)
    throw new Error(
      `sendings=${sendings.count} needs a synchronization whose mailing is approved, and space "${all.space}" has none: add mailings=1,synchronizations=1 or more`,
    )
  const requestsOf = ({ faker, count }: Order, make: (at: number) => void) =>
    samplePoints(span, count, faker).map(at => ({ at, make }))
  const requests = [
    ...requestsOf(uploads, at => play.upload(uploads.faker, toUpload, at)),
    ...requestsOf(sendings, at => play.send(sendings.faker, toSend, at)),
  ]
  // The platform numbers its mailings in order of creation, for uploads and sendings alike.
  for (const { at, make } of requests.sort((one, other) => one.at - other.at)) make(at)
  return play.result()
}

/** Makes uploads and sendings of a fixture; `result` is the fixture with them. */
function requestGenerator(all: Fixture, span: Span) {
  const synchronizations = new Map(all.synchronizations.map(it => [it.id, it]))
  const mailings = new Map(all.mailings.map(it => [it.id, it]))
  const lists = new Map(all.lists.map(it => [it.id, it]))
  const uploads: MailingUpload[] = []
  const sendings: Sending[] = []
  const platformMailings: PlatformMailing[] = []
  const platformSendings: PlatformSending[] = []
  let lastMailing = all.platformMailings.reduce((most, { id }) => Math.max(most, id), 100_000)
  let lastSending = all.platformSendings.reduce((most, { id }) => Math.max(most, id), 500_000)
  return { upload, send, result }

  function upload(faker: Faker, choice: readonly Synchronization[], at: number): void {
    const target = targetOf(faker.helpers.arrayElement(choice).id)
    const created = formatInstant(at)
    const modified = faker.datatype.boolean({ probability: 0.8 })
      ? created
      : formatInstant(dateAfter(faker, at))
    uploads.push({
      id: faker.string.uuid(),
      synchronizationId: target.synchronization.id,
      creationDate: created,
      modificationDate: modified,
      platformMailingId: addMailing(target, {
        origin: 'mailing-upload',
        version: (target.mailing.draft ?? target.mailing.approved)!,
        createdAt: created,
        approvedAt: null,
      }),
    })
    modify(target.synchronization, modified, {
      mailingUploadsModificationDate: laterDate(
        modified,
        target.synchronization.mailingUploadsModificationDate,
      ),
    })
  }

  function send(faker: Faker, choice: readonly Synchronization[], at: number): void {
    const target = targetOf(faker.helpers.arrayElement(choice).id)
    const created = formatInstant(at)
    const id = faker.string.uuid()
    const version = target.mailing.approved!
    const name = faker.datatype.boolean({ probability: 0.1 }) ? `${version.name}, resent` : null
    const schedule = faker.datatype.boolean({ probability: 0.2 }) ? formatInstant(dateAfter(faker, at)) : null
    const platformMailingId = addMailing(target, {
      origin: 'sending',
      version: { ...version, name: name ?? version.name },
      createdAt: created,
      approvedAt: created,
    })
    lastSending++
    platformSendings.push({
      id: lastSending,
      platformMailingId,
      kind: 'list',
      recipients: target.list.recipients,
      addresses: null,
      requestedAt: created,
      startsAt: schedule ?? created,
      cause: generatedCause,
    })
    sendings.push({
      id,
      synchronizationId: target.synchronization.id,
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
      platformSendingId: lastSending,
      cause: generatedCause,
    })
    modify(target.synchronization, created, { sendingsModificationDate: created })
  }

  function result(): Fixture {
    return {
      ...all,
      synchronizations: [...synchronizations.values()],
      mailingUploads: [...all.mailingUploads, ...uploads],
      sendings: [...all.sendings, ...sendings],
      platformMailings: [...all.platformMailings, ...platformMailings],
      platformSendings: [...all.platformSendings, ...platformSendings],
    }
  }

  function targetOf(id: string): Target {
    const synchronization = synchronizations.get(id)!
    const mailing = mailings.get(synchronization.mailingId)!
    return { synchronization, mailing, list: lists.get(synchronization.listId)! }
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
    { synchronization, list }: Target,
    made: Pick<PlatformMailing, 'origin' | 'createdAt' | 'approvedAt'> & { version: Version },
  ): number {
    const { version, ...rest } = made
    lastMailing++
    platformMailings.push({
      id: lastMailing,
      ...rest,
      customer: list.customer,
      listId: list.id,
      name: version.name,
      subject: version.subject,
      mailingId: synchronization.mailingId,
      version: version.number,
      cause: generatedCause,
    })
    return lastMailing
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

const highestId = (rows: readonly { id: number }[]) => rows.reduce((most, { id }) => Math.max(most, id), 0)

const missingNeed = (
  table: GeneratedTable,
  count: number,
  need: string,
  needed: GeneratedTable,
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
