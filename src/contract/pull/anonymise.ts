import type { Faker } from '@faker-js/faker'
import { getOrMake } from '../../store/maps.ts'
import type { Fixture, Version } from '../../store/rows.ts'

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

type TextKind = keyof typeof inventors

/** Maximum number of attempts to find a text that is neither taken nor an original. */
const maxDraws = 40

/** What replaces the texts and the contents of a fixture. */
interface Replacements {
  readonly text: (kind: TextKind, original: string) => string
  readonly content: (html: string, text: string) => { html: string; text: string }
}

/**
 * Invented texts in place of real ones. The same text always gets the same replacement, different texts get
 * different ones. The replacements depend only on the seed and the order of the originals.
 * @param hasOriginal whether a text contains one
 */
function inventTexts(faker: Faker, hasOriginal: (text: string) => boolean): Replacements {
  const texts = new Map<string, string>()
  const contents = new Map<string, { html: string; text: string }>()
  const taken = new Set<string>()

  function draw(kind: TextKind): string {
    for (let draws = 0; draws < maxDraws; draws++) {
      const text = inventors[kind](faker)
      if (!taken.has(text) && !hasOriginal(text)) return text
    }
    const number = texts.size + 1
    return kind === 'email' ? `person${number}@example.com` : `${kind}-${number}`
  }

  return {
    /** An empty text stays empty. */
    text(kind, original) {
      if (original === '') return ''
      const made = getOrMake(texts, original, () => draw(kind))
      taken.add(made)
      return made
    },
    content: (html, text) =>
      getOrMake(contents, JSON.stringify([html, text]), () => {
        let made = inventLetter(faker)
        for (let draws = 1; draws < maxDraws && hasOriginal(made.text); draws++) made = inventLetter(faker)
        return made
      }),
  }
}

/** A name as part of a URL: lower-case letters, digits and hyphens. */
export const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

function inventLetter(faker: Faker) {
  const text = faker.lorem.sentences({ min: 3, max: 8 })
  return { html: `<!DOCTYPE html><html lang="en"><body><p>${text}</p></body></html>`, text }
}

/** Maximum number of consecutive words that are compared. */
const maxRunWords = 6

/** Finds originals in an invented text, word for word, in any case: a random word may be one of them. */
function finderOf(originals: Iterable<string>): (text: string) => boolean {
  const runs = new Set<string>()
  for (const text of originals) runs.add(wordsOf(text).join(' '))
  runs.delete('')
  return text => {
    const words = wordsOf(text)
    for (let from = 0; from < words.length; from++)
      for (let run = words[from]!, to = from + 1; ; run += ` ${words[to++]}`) {
        if (runs.has(run)) return true
        if (to >= words.length || to - from >= maxRunWords) break
      }
    return runs.has(words.join(' '))
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * The fixture with all personal or business texts replaced: names, addresses, subjects, content and
 * transaction IDs. UUIDs, numbers, dates and states stay. The same fixture and seed give the same bytes.
 */
export async function anonymiseFixture(fixture: Fixture, seed: number): Promise<Fixture> {
  // Loaded only here: its word lists take longer to load than the rest of the program.
  const { Faker, en, base } = await import('@faker-js/faker')
  const faker = new Faker({ locale: [en, base] })
  faker.seed(seed)
  const found: [TextKind, string][] = []
  const note = (kind: TextKind, text: string) => {
    found.push([kind, text])
    return text
  }
  replaceTexts(fixture, { text: note, content: (html, text) => ({ html, text }) })
  const originals = found.flatMap(([kind, text]) => (kind === 'email' ? [text, ...text.split('@')] : text))
  const inventions = inventTexts(faker, finderOf(originals))
  // A text in several places gets the form of the strictest place.
  for (const strictest of ['email', 'transaction'])
    for (const [kind, text] of found) if (kind === strictest) inventions.text(kind, text)
  return replaceTexts(fixture, inventions)
}

function replaceTexts(fixture: Fixture, inventions: Replacements): Fixture {
  const { text } = inventions
  const orNull = (kind: TextKind, original: string | null) => original && text(kind, original)
  const customer = <Row extends { readonly customer: string }>(row: Row): Row => ({
    ...row,
    customer: text('customer', row.customer),
  })
  const version = (it: Version | null): Version | null =>
    it && {
      number: it.number,
      name: text('name', it.name),
      subject: text('subject', it.subject),
      ...inventions.content(it.html, it.text),
    }
  return {
    ...fixture,
    customers: fixture.customers.map(({ name }) => ({ name: text('customer', name) })),
    lists: fixture.lists.map(it => ({
      ...customer(it),
      name: text('list', it.name),
      testProfiles: it.testProfiles.map(({ id, description }) => ({
        id,
        description: text('profile', description),
        attributes: {},
      })),
      testMailGroups: it.testMailGroups.map(({ id, name, emails }) => ({
        id,
        name: text('group', name),
        emails: emails.map(email => text('email', email)),
      })),
    })),
    accessibleLists: fixture.accessibleLists.map(customer),
    mailings: fixture.mailings.map(it => ({
      ...it,
      draft: version(it.draft),
      approved: version(it.approved),
    })),
    synchronizations: fixture.synchronizations.map(customer),
    sendings: fixture.sendings.map(it => ({
      ...it,
      transactionId: orNull('transaction', it.transactionId),
      name: orNull('name', it.name),
      subject: orNull('subject', it.subject),
    })),
    platformMailings: fixture.platformMailings.map(it => ({
      ...customer(it),
      name: text('name', it.name),
      subject: text('subject', it.subject),
    })),
    platformSendings: fixture.platformSendings.map(it => ({
      ...it,
      addresses: it.addresses?.map(email => text('email', email)) ?? null,
    })),
  }
}
