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
 * Renders a newsletter as the two parts of an e-mail, the HTML in few bytes for spaces with many thousands of mailings.
 * Nothing is loaded.
 */
export const renderNewsletter = (content: NewsletterContent): Newsletter => ({
  html: renderHtml(content),
  text: renderPlainText(content),
})

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, character => entities[character]!)

function renderHtml(content: NewsletterContent): string {
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
