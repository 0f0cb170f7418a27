import type { Faker } from '@faker-js/faker'
import type { Version } from './rows.ts'

/** One block of a newsletter: a heading, a few sentences, perhaps a list, perhaps somewhere to go. */
export type Section = Readonly<{
  title?: string
  text: string
  items?: readonly string[]
  link?: Link
  /** How the link looks: a filled button by default, or a line of text. */
  linkStyle?: 'button' | 'text'
}>

export type Link = Readonly<{ label: string; url: string }>

/** What a newsletter says. Everything is plain text and may hold placeholders such as `{{firstName|there}}`. */
export type NewsletterContent = Readonly<{
  language: 'en' | 'de' | 'fr'
  brand: string
  /** CSS colour of the header block and the buttons, such as `#7a2e1d`. */
  accent: string
  /** The line that mail programs show beside the subject. */
  preheader: string
  headline: string
  intro: string
  sections: readonly Section[]
  footer: Readonly<{ address: string; reason?: string; unsubscribe: Link }>
}>

export type Newsletter = Readonly<{ html: string; text: string }>

/**
 * The `full` layout is what an editor would produce. The `compact` one says the same in the fewest bytes, for
 * spaces with many thousands of mailings.
 */
export type Layout = 'full' | 'compact'

/** Renders a newsletter as the two parts of an e-mail. Colour blocks replace images, so nothing is loaded. */
export const renderNewsletter = (content: NewsletterContent, layout: Layout = 'full'): Newsletter => ({
  html: layout === 'full' ? renderFullHtml(content) : renderCompactHtml(content),
  text: renderPlainText(content),
})

const wordsByLanguage = {
  en: { logo: (brand: string) => `Logo of ${brand}`, picture: 'Decorative colour band' },
  de: { logo: (brand: string) => `Logo von ${brand}`, picture: 'Farbband zur Zierde' },
  fr: { logo: (brand: string) => `Logo ${brand}`, picture: 'Bandeau de couleur décoratif' },
} as const

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, character => entities[character]!)

const font = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif"

function renderFullHtml(content: NewsletterContent): string {
  const { language, accent, footer } = content
  const words = wordsByLanguage[language]
  const brand = escapeHtml(content.brand)
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<title>${escapeHtml(content.headline)}</title>
<style>
@media only screen and (max-width: 620px) {
  .page { width: 100% !important; }
  .pad { padding-left: 20px !important; padding-right: 20px !important; }
  .headline { font-size: 24px !important; line-height: 30px !important; }
  .button a { display: block !important; text-align: center !important; }
}
</style>
</head>
<body style="margin:0;padding:0;background-color:#f3f1ec;">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;">${escapeHtml(content.preheader)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f3f1ec;">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" class="page" width="600" cellpadding="0" cellspacing="0" border="0" style="width:600px;max-width:600px;background-color:#ffffff;">
<tr><td class="pad" role="img" aria-label="${escapeHtml(words.logo(content.brand))}" style="padding:22px 40px;background-color:${accent};${font};font-size:18px;font-weight:bold;letter-spacing:1px;color:#ffffff;">${brand}</td></tr>
<tr><td role="img" aria-label="${words.picture}" height="8" style="height:8px;line-height:8px;font-size:0;background-color:${accent};opacity:0.55;">&nbsp;</td></tr>
<tr><td class="pad" style="padding:36px 40px 8px;${font};">
<h1 class="headline" style="margin:0 0 16px;font-size:30px;line-height:37px;color:#22262a;">${escapeHtml(content.headline)}</h1>
<p style="margin:0 0 16px;font-size:16px;line-height:25px;color:#3d4247;">${escapeHtml(content.intro)}</p>
</td></tr>
${content.sections.map(section => renderFullSection(section, accent)).join('\n')}
<tr><td class="pad" style="padding:24px 40px 32px;background-color:#faf9f6;${font};font-size:12px;line-height:19px;color:#71767b;">
${footer.reason ? `<p style="margin:0 0 8px;">${escapeHtml(footer.reason)}</p>\n` : ''}<p style="margin:0 0 8px;">${escapeHtml(footer.address)}</p>
<p style="margin:0;"><a href="${escapeHtml(footer.unsubscribe.url)}" style="color:#71767b;text-decoration:underline;">${escapeHtml(footer.unsubscribe.label)}</a></p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

function renderFullSection(section: Section, accent: string): string {
  const lines = [`<tr><td class="pad" style="padding:12px 40px 20px;border-top:1px solid #eceae4;${font};">`]
  if (section.title) {
    lines.push(
      `<h2 style="margin:8px 0;font-size:19px;line-height:26px;color:#22262a;">${escapeHtml(section.title)}</h2>`,
    )
  }
  lines.push(
    `<p style="margin:0 0 12px;font-size:15px;line-height:23px;color:#3d4247;">${escapeHtml(section.text)}</p>`,
  )
  if (section.items) {
    lines.push(
      '<ul style="margin:0 0 12px;padding-left:20px;font-size:15px;line-height:23px;color:#3d4247;">',
    )
    lines.push(...section.items.map(item => `<li>${escapeHtml(item)}</li>`), '</ul>')
  }
  if (section.link) lines.push(renderFullLink(section.link, section.linkStyle ?? 'button', accent))
  return [...lines, '</td></tr>'].join('\n')
}

function renderFullLink(link: Link, style: 'button' | 'text', accent: string): string {
  const url = escapeHtml(link.url)
  const label = escapeHtml(link.label)
  if (style === 'text') {
    return `<p style="margin:0 0 8px;font-size:15px;"><a href="${url}" style="color:${accent};">${label}</a></p>`
  }
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 8px;">
<tr><td class="button" style="border-radius:4px;background-color:${accent};"><a href="${url}" style="display:inline-block;padding:12px 24px;font-size:15px;font-weight:bold;color:#ffffff;text-decoration:none;">${label}</a></td></tr>
</table>`
}

function renderCompactHtml(content: NewsletterContent): string {
  const sections = content.sections.map(section => {
    const title = section.title ? `<h2>${escapeHtml(section.title)}</h2>` : ''
    const items = section.items
      ? `<ul>${section.items.map(item => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
      : ''
    const link = section.link
      ? `<p><a href="${escapeHtml(section.link.url)}" style="color:${content.accent}">${escapeHtml(section.link.label)}</a></p>`
      : ''
    return `${title}<p>${escapeHtml(section.text)}</p>${items}${link}`
  })
  const { address, reason, unsubscribe } = content.footer
  const small = [reason, address].filter(line => line !== undefined).map(escapeHtml)
  small.push(`<a href="${escapeHtml(unsubscribe.url)}">${escapeHtml(unsubscribe.label)}</a>`)
  return (
    `<!DOCTYPE html><html lang="${content.language}"><head><meta charset="utf-8"><title>${escapeHtml(content.headline)}</title></head>` +
    `<body style="margin:0"><div style="display:none">${escapeHtml(content.preheader)}</div>` +
    '<table role="presentation" width="100%" style="max-width:600px;margin:auto;font-family:Arial,sans-serif">' +
    `<tr><td style="padding:16px;background:${content.accent};color:#fff">${escapeHtml(content.brand)}</td></tr>` +
    `<tr><td style="padding:16px"><h1>${escapeHtml(content.headline)}</h1><p>${escapeHtml(content.intro)}</p>${sections.join('')}</td></tr>` +
    `<tr><td style="padding:16px;font-size:12px">${small.join('<br>')}</td></tr></table></body></html>`
  )
}

const textWidth = 72

function renderPlainText(content: NewsletterContent): string {
  const blocks = [content.brand.toUpperCase(), underline(content.headline, '='), wrapText(content.intro)]
  for (const section of content.sections) {
    if (section.title) blocks.push(underline(section.title, '-'))
    blocks.push(wrapText(section.text))
    if (section.items) blocks.push(section.items.map(item => wrapText(item, '- ', '  ')).join('\n'))
    // A link is never broken over lines: mail programs would follow only its first part.
    if (section.link) blocks.push(`${section.link.label}:\n${section.link.url}`)
  }
  const { address, reason, unsubscribe } = content.footer
  const small = [reason, address].filter(line => line !== undefined).map(line => wrapText(line))
  // Two hyphens and a space mark what follows as a signature (RFC 3676, 4.3).
  blocks.push(['-- ', ...small, `${unsubscribe.label}: ${unsubscribe.url}`].join('\n'))
  return `${blocks.join('\n\n')}\n`
}

const underline = (title: string, mark: string) =>
  `${title}\n${mark.repeat(Math.min(title.length, textWidth))}`

/** Breaks lines at spaces, but never inside a placeholder, whose replacement text may contain spaces. */
function wrapText(text: string, first = '', following = ''): string {
  const lines: string[] = []
  let line = first
  for (const word of text.match(/(?:\{\{[^}]*\}\}|\S)+/g) ?? []) {
    const fresh = line === first || line === following
    if (!fresh && line.length + 1 + word.length > textWidth) {
      lines.push(line)
      line = following + word
    } else {
      line += fresh ? word : ` ${word}`
    }
  }
  return [...lines, line].join('\n')
}

type Brand = Pick<NewsletterContent, 'language' | 'brand' | 'accent' | 'footer'> & { site: string }

/** A name as part of a URL: lower-case letters, digits and hyphens. */
export const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Colours that are dark enough for white text. */
const accents = ['#1f6f54', '#1d3f63', '#8a4b16', '#7b2d43', '#4b3a75', '#2d5b6b', '#6b2f2f', '#3d5a1e']

/** Invents the brands of newsletters. A few are enough for many letters. */
export function inventBrands(faker: Faker, count: number): Brand[] {
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
export function inventLetter(faker: Faker, { site, ...brand }: Brand, no: number): Version {
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
    ...renderNewsletter(content, 'compact'),
  }
}

/** A draft that was started after the approval. */
export const nextDraft = (approved: Version): Version => ({
  ...approved,
  number: approved.number + 1,
  name: `${approved.name}, revised`,
  subject: `Once more: ${approved.subject}`,
})
