import type { Faker } from '@faker-js/faker'
import type { Version } from '../rows.ts'
import { type NewsletterContent, newsletter } from './newsletter.ts'

type Brand = Pick<NewsletterContent, 'language' | 'brand' | 'accent' | 'footer'> & { site: string }

/** A name as a part of an address: lower-case letters, digits and hyphens. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Dark enough for white text on them. */
const accents = ['#1f6f54', '#1d3f63', '#8a4b16', '#7b2d43', '#4b3a75', '#2d5b6b', '#6b2f2f', '#3d5a1e']

/** Brands as they write newsletters: a handful, so that many letters look as if they came from the same few. */
export function inventBrands(faker: Faker, count: number): Brand[] {
  return Array.from({ length: count }, () => {
    const brand = faker.company.name()
    const site = `https://www.${slug(brand)}.example.com`
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

/** The first version of a letter about something that the brand sells. */
export function inventLetter(faker: Faker, { site, ...brand }: Brand, no: number): Version {
  const product = faker.commerce.productName()
  const url = `${site}/${slug(product)}`
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
    ...newsletter(content, 'compact'),
  }
}

/** The draft that somebody began after the approval. */
export const nextDraft = (approved: Version): Version => ({
  ...approved,
  number: approved.number + 1,
  name: `${approved.name}, revised`,
  subject: `Once more: ${approved.subject}`,
})
