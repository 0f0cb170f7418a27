import type { Faker } from '@faker-js/faker'
import { getOrMake } from '../../store/maps.ts'
import type { Fixture, List, Version } from '../../store/rows.ts'
import { renderNewsletter, toSlug } from './newsletter.ts'

const inventors = {
  email: faker =>
    `${toSlug(faker.person.firstName())}.${toSlug(faker.person.lastName())}@${toSlug(faker.company.name())}.example.com`,
  transaction: faker => faker.string.uuid(),
  customer: faker => toSlug(faker.company.name()),
  list: faker =>
    `${faker.location.city()} ${faker.helpers.arrayElement(['newsletter', 'customers', 'subscribers'])}`,
  profile: faker => faker.person.fullName(),
  group: faker => `${faker.company.name()} team`,
  name: faker => faker.commerce.productName(),
  subject: faker => faker.company.catchPhrase(),
} as const satisfies Record<string, (faker: Faker) => string>

export type TextKind = keyof typeof inventors

/** Maximum number of attempts to find a text that is neither taken nor an original. */
const maxDraws = 40

/**
 * Invented texts in place of real ones. The same text always gets the same replacement, different texts get
 * different ones. The replacements depend only on the seed and the order of the originals.
 */
export class InventedTexts {
  readonly #faker: Faker
  readonly #originals: OriginalTexts
  readonly #texts = new Map<string, string>()
  readonly #contents = new Map<string, { readonly html: string; readonly text: string }>()
  readonly #taken = new Set<string>()

  constructor(faker: Faker, originals: OriginalTexts) {
    this.#faker = faker
    this.#originals = originals
  }

  /** The replacement of a text; an empty text stays empty. */
  text(kind: TextKind, original: string): string {
    if (original === '') return ''
    return getOrMake(this.#texts, original, () => {
      const made = this.#draw(kind)
      this.#taken.add(made)
      return made
    })
  }

  /** HTML and text of an invented newsletter in place of another one. */
  content(html: string, text: string): { html: string; text: string } {
    return getOrMake(this.#contents, JSON.stringify([html, text]), () => {
      let made = this.#letter()
      for (let draws = 1; draws < maxDraws && this.#originals.areIn(made.text); draws++) made = this.#letter()
      return made
    })
  }

  #draw(kind: TextKind): string {
    for (let draws = 0; draws < maxDraws; draws++) {
      const text = inventors[kind](this.#faker)
      if (!this.#taken.has(text) && !this.#originals.areIn(text)) return text
    }
    const number = this.#texts.size + 1
    return kind === 'email' ? `person${number}@example.com` : `${kind}-${number}`
  }

  #letter() {
    const faker = this.#faker
    const brand = faker.company.name()
    const site = `https://www.${toSlug(brand)}.example.com`
    const words = (least: number, most: number) => capitalise(faker.lorem.words({ min: least, max: most }))
    return renderNewsletter({
      language: 'en',
      brand,
      accent: faker.helpers.arrayElement(['#1f6f54', '#1d3f63', '#7b2d43', '#4b3a75']),
      preheader: words(4, 8),
      headline: words(2, 5),
      intro: faker.lorem.sentences(2),
      sections: Array.from({ length: faker.number.int({ min: 1, max: 3 }) }, () => ({
        title: words(1, 3),
        text: faker.lorem.sentences({ min: 1, max: 3 }),
        link: { label: words(2, 3), url: `${site}/${faker.lorem.slug()}` },
      })),
      footer: {
        address: `${brand}, ${faker.location.streetAddress()}, ${faker.location.city()}`,
        unsubscribe: { label: words(1, 2), url: `${site}/${faker.lorem.slug(2)}` },
      },
    })
  }
}

const capitalise = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Maximum number of consecutive words that are compared. */
const maxRunWords = 6

/**
 * All personal or business texts of a fixture. Invented texts are compared with them, since a random word may
 * be one of them.
 */
export class OriginalTexts {
  readonly #runs = new Set<string>()

  constructor(fixture: Fixture) {
    for (const text of textsOf(fixture)) this.#runs.add(wordsOf(text).join(' '))
    this.#runs.delete('')
  }

  /** Whether a text contains an original, word for word, in any case. */
  areIn(text: string): boolean {
    const words = wordsOf(text)
    for (let from = 0; from < words.length; from++)
      for (let run = words[from]!, to = from + 1; ; run += ` ${words[to++]}`) {
        if (this.#runs.has(run)) return true
        if (to >= words.length || to - from >= maxRunWords) break
      }
    return this.#runs.has(words.join(' '))
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function* textsOf({ customers, lists, mailings, sendings, platformMailings }: Fixture): Iterable<string> {
  for (const { name } of customers) yield name
  for (const { name, testProfiles, testMailGroups } of lists) {
    yield name
    for (const { description } of testProfiles) yield description
    for (const group of testMailGroups) {
      yield group.name
      for (const email of group.emails) yield* [email, ...email.split('@')]
    }
  }
  for (const { draft, approved } of mailings)
    for (const version of [draft, approved]) if (version) yield* [version.name, version.subject]
  for (const { transactionId } of sendings) if (transactionId !== null) yield transactionId
  for (const { name, subject } of platformMailings) yield* [name, subject]
}

/**
 * The fixture with all personal or business texts replaced: names, addresses, subjects, content and
 * transaction IDs. UUIDs, numbers, dates and states stay. The same fixture and seed give the same bytes.
 */
export async function anonymiseFixture(fixture: Fixture, seed: number): Promise<Fixture> {
  // Loaded only here: its word lists take longer to load than the rest of the program.
  const { Faker, en, base } = await import('@faker-js/faker')
  const faker = new Faker({ locale: [en, base] })
  faker.seed(seed)
  const inventions = new InventedTexts(faker, new OriginalTexts(fixture))
  inventFormsFirst(fixture, inventions)
  const text = inventions.text.bind(inventions)
  const customer = <Row extends { readonly customer: string }>(row: Row): Row => ({
    ...row,
    customer: text('customer', row.customer),
  })
  return {
    ...fixture,
    customers: fixture.customers.map(({ name }) => ({ name: text('customer', name) })),
    lists: fixture.lists.map(it => anonymiseList(it, inventions)),
    accessibleLists: fixture.accessibleLists.map(customer),
    mailings: fixture.mailings.map(it => ({
      ...it,
      draft: it.draft && anonymiseVersion(it.draft, inventions),
      approved: it.approved && anonymiseVersion(it.approved, inventions),
    })),
    synchronizations: fixture.synchronizations.map(customer),
    sendings: fixture.sendings.map(it => ({
      ...it,
      transactionId: it.transactionId === null ? null : text('transaction', it.transactionId),
      name: it.name === null ? null : text('name', it.name),
      subject: it.subject === null ? null : text('subject', it.subject),
    })),
    platformMailings: fixture.platformMailings.map(it => ({
      ...customer(it),
      name: text('name', it.name),
      subject: text('subject', it.subject),
    })),
  }
}

/** A text in several places gets the form of the strictest place. */
function inventFormsFirst({ lists, sendings }: Fixture, inventions: InventedTexts): void {
  for (const { testMailGroups } of lists)
    for (const { emails } of testMailGroups) for (const email of emails) inventions.text('email', email)
  for (const { transactionId } of sendings)
    if (transactionId !== null) inventions.text('transaction', transactionId)
}

const anonymiseList = (it: List, inventions: InventedTexts): List => ({
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

const anonymiseVersion = (it: Version, inventions: InventedTexts): Version => ({
  number: it.number,
  name: inventions.text('name', it.name),
  subject: inventions.text('subject', it.subject),
  ...inventions.content(it.html, it.text),
})
