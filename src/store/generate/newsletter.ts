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

/** Lays out a newsletter as the two parts of an e-mail. Colour blocks stand where images would be: nothing is loaded. */
export const newsletter = (content: NewsletterContent, layout: Layout = 'full'): Newsletter => ({
  html: layout === 'full' ? fullHtml(content) : compactHtml(content),
  text: plainText(content),
})

const wordsByLanguage = {
  en: { logo: (brand: string) => `Logo of ${brand}`, picture: 'Decorative colour band' },
  de: { logo: (brand: string) => `Logo von ${brand}`, picture: 'Farbband zur Zierde' },
  fr: { logo: (brand: string) => `Logo ${brand}`, picture: 'Bandeau de couleur décoratif' },
} as const

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, character => entities[character]!)

const font = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif"

function fullHtml(content: NewsletterContent): string {
  const { language, accent, footer } = content
  const words = wordsByLanguage[language]
  const brand = escaped(content.brand)
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<title>${escaped(content.headline)}</title>
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
<div style="display:none;max-height:0;overflow:hidden;opacity:0;">${escaped(content.preheader)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f3f1ec;">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" class="page" width="600" cellpadding="0" cellspacing="0" border="0" style="width:600px;max-width:600px;background-color:#ffffff;">
<tr><td class="pad" role="img" aria-label="${escaped(words.logo(content.brand))}" style="padding:22px 40px;background-color:${accent};${font};font-size:18px;font-weight:bold;letter-spacing:1px;color:#ffffff;">${brand}</td></tr>
<tr><td role="img" aria-label="${words.picture}" height="8" style="height:8px;line-height:8px;font-size:0;background-color:${accent};opacity:0.55;">&nbsp;</td></tr>
<tr><td class="pad" style="padding:36px 40px 8px;${font};">
<h1 class="headline" style="margin:0 0 16px;font-size:30px;line-height:37px;color:#22262a;">${escaped(content.headline)}</h1>
<p style="margin:0 0 16px;font-size:16px;line-height:25px;color:#3d4247;">${escaped(content.intro)}</p>
</td></tr>
${content.sections.map(section => fullSection(section, accent)).join('\n')}
<tr><td class="pad" style="padding:24px 40px 32px;background-color:#faf9f6;${font};font-size:12px;line-height:19px;color:#71767b;">
${footer.reason ? `<p style="margin:0 0 8px;">${escaped(footer.reason)}</p>\n` : ''}<p style="margin:0 0 8px;">${escaped(footer.address)}</p>
<p style="margin:0;"><a href="${escaped(footer.unsubscribe.url)}" style="color:#71767b;text-decoration:underline;">${escaped(footer.unsubscribe.label)}</a></p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

function fullSection(section: Section, accent: string): string {
  const lines = [`<tr><td class="pad" style="padding:12px 40px 20px;border-top:1px solid #eceae4;${font};">`]
  if (section.title) {
    lines.push(
      `<h2 style="margin:8px 0;font-size:19px;line-height:26px;color:#22262a;">${escaped(section.title)}</h2>`,
    )
  }
  lines.push(
    `<p style="margin:0 0 12px;font-size:15px;line-height:23px;color:#3d4247;">${escaped(section.text)}</p>`,
  )
  if (section.items) {
    lines.push(
      '<ul style="margin:0 0 12px;padding-left:20px;font-size:15px;line-height:23px;color:#3d4247;">',
    )
    lines.push(...section.items.map(item => `<li>${escaped(item)}</li>`), '</ul>')
  }
  if (section.link) lines.push(fullLink(section.link, section.linkStyle ?? 'button', accent))
  return [...lines, '</td></tr>'].join('\n')
}

function fullLink(link: Link, style: 'button' | 'text', accent: string): string {
  const url = escaped(link.url)
  const label = escaped(link.label)
  if (style === 'text') {
    return `<p style="margin:0 0 8px;font-size:15px;"><a href="${url}" style="color:${accent};">${label}</a></p>`
  }
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 8px;">
<tr><td class="button" style="border-radius:4px;background-color:${accent};"><a href="${url}" style="display:inline-block;padding:12px 24px;font-size:15px;font-weight:bold;color:#ffffff;text-decoration:none;">${label}</a></td></tr>
</table>`
}

function compactHtml(content: NewsletterContent): string {
  const sections = content.sections.map(section => {
    const title = section.title ? `<h2>${escaped(section.title)}</h2>` : ''
    const items = section.items
      ? `<ul>${section.items.map(item => `<li>${escaped(item)}</li>`).join('')}</ul>`
      : ''
    const link = section.link
      ? `<p><a href="${escaped(section.link.url)}" style="color:${content.accent}">${escaped(section.link.label)}</a></p>`
      : ''
    return `${title}<p>${escaped(section.text)}</p>${items}${link}`
  })
  const { address, reason, unsubscribe } = content.footer
  const small = [reason, address].filter(line => line !== undefined).map(escaped)
  small.push(`<a href="${escaped(unsubscribe.url)}">${escaped(unsubscribe.label)}</a>`)
  return (
    `<!DOCTYPE html><html lang="${content.language}"><head><meta charset="utf-8"><title>${escaped(content.headline)}</title></head>` +
    `<body style="margin:0"><div style="display:none">${escaped(content.preheader)}</div>` +
    '<table role="presentation" width="100%" style="max-width:600px;margin:auto;font-family:Arial,sans-serif">' +
    `<tr><td style="padding:16px;background:${content.accent};color:#fff">${escaped(content.brand)}</td></tr>` +
    `<tr><td style="padding:16px"><h1>${escaped(content.headline)}</h1><p>${escaped(content.intro)}</p>${sections.join('')}</td></tr>` +
    `<tr><td style="padding:16px;font-size:12px">${small.join('<br>')}</td></tr></table></body></html>`
  )
}

const textWidth = 72

function plainText(content: NewsletterContent): string {
  const blocks = [content.brand.toUpperCase(), underlined(content.headline, '='), wrapped(content.intro)]
  for (const section of content.sections) {
    if (section.title) blocks.push(underlined(section.title, '-'))
    blocks.push(wrapped(section.text))
    if (section.items) blocks.push(section.items.map(item => wrapped(item, '- ', '  ')).join('\n'))
    // A link is never broken over lines: mail programs would follow only its first part.
    if (section.link) blocks.push(`${section.link.label}:\n${section.link.url}`)
  }
  const { address, reason, unsubscribe } = content.footer
  const small = [reason, address].filter(line => line !== undefined).map(line => wrapped(line))
  // Two hyphens and a space mark what follows as a signature (RFC 3676, 4.3).
  blocks.push(['-- ', ...small, `${unsubscribe.label}: ${unsubscribe.url}`].join('\n'))
  return `${blocks.join('\n\n')}\n`
}

const underlined = (title: string, mark: string) =>
  `${title}\n${mark.repeat(Math.min(title.length, textWidth))}`

/** Breaks at spaces, but never inside a placeholder, whose replacement text may hold spaces. */
function wrapped(text: string, first = '', following = ''): string {
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
