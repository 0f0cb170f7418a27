import type { Faker } from '@faker-js/faker'
import { slug } from '../../store/generate/letters.ts'
import { newsletter } from '../../store/generate/newsletter.ts'
import type { Originals } from './originals.ts'

/** What kinds of text there are, each with what is invented in its place. */
const inventors = {
  email: faker =>
    `${slug(faker.person.firstName())}.${slug(faker.person.lastName())}@${slug(faker.company.name())}.example.com`,
  transaction: faker => faker.string.uuid(),
  customer: faker => slug(faker.company.name()),
  list: faker =>
    `${faker.location.city()} ${faker.helpers.arrayElement(['newsletter', 'customers', 'subscribers'])}`,
  profile: faker => faker.person.fullName(),
  group: faker => `${faker.company.name()} team`,
  name: faker => faker.commerce.productName(),
  subject: faker => faker.company.catchPhrase(),
} as const satisfies Record<string, (faker: Faker) => string>

export type Kind = keyof typeof inventors

/** So often another text is drawn where one was taken or happens to be an original. */
const mostDraws = 40

/**
 * Invented texts in the place of real ones. The same text in gives the same out, whatever it stands for; another text in
 * gives another out. They follow from the seed and from the order in which originals come, so nothing of an original is in them.
 */
export class Inventions {
  readonly #faker: Faker
  readonly #originals: Originals
  readonly #texts = new Map<string, string>()
  readonly #contents = new Map<string, { readonly html: string; readonly text: string }>()
  readonly #taken = new Set<string>()

  constructor(faker: Faker, originals: Originals) {
    this.#faker = faker
    this.#originals = originals
  }

  /** The text that stands for another one; nothing for nothing. */
  text(kind: Kind, original: string): string {
    if (original === '') return ''
    let made = this.#texts.get(original)
    if (made === undefined) {
      made = this.#drawn(kind)
      this.#texts.set(original, made)
      this.#taken.add(made)
    }
    return made
  }

  /** HTML and text of a newsletter that stand for those of another one. */
  content(html: string, text: string): { html: string; text: string } {
    const key = JSON.stringify([html, text])
    let made = this.#contents.get(key)
    if (made === undefined) {
      made = this.#letter()
      for (let draws = 1; draws < mostDraws && this.#originals.areIn(made.text); draws++)
        made = this.#letter()
      this.#contents.set(key, made)
    }
    return made
  }

  #drawn(kind: Kind): string {
    for (let draws = 0; draws < mostDraws; draws++) {
      const text = inventors[kind](this.#faker)
      if (!this.#taken.has(text) && !this.#originals.areIn(text)) return text
    }
    const number = this.#texts.size + 1
    return kind === 'email' ? `person${number}@example.com` : `${kind}-${number}`
  }

  #letter() {
    const faker = this.#faker
    const brand = faker.company.name()
    const site = `https://www.${slug(brand)}.example.com`
    const words = (least: number, most: number) => sentence(faker.lorem.words({ min: least, max: most }))
    return newsletter(
      {
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
      },
      'compact',
    )
  }
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
