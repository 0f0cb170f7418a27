import {
  escapeHtml,
  type Link,
  type Newsletter,
  type NewsletterContent,
  renderNewsletter,
  type Section,
} from '../../src/lib/newsletter.ts'

/** A newsletter as an editor would produce it. Colour blocks replace images, so nothing is loaded. */
export const renderInFull = (content: NewsletterContent): Newsletter => ({
  html: renderFullHtml(content),
  text: renderNewsletter(content).text,
})

const wordsByLanguage = {
  en: { logo: (brand: string) => `Logo of ${brand}`, picture: 'Decorative colour band' },
  de: { logo: (brand: string) => `Logo von ${brand}`, picture: 'Farbband zur Zierde' },
  fr: { logo: (brand: string) => `Logo ${brand}`, picture: 'Bandeau de couleur décoratif' },
} as const

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
