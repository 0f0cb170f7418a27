/** Client input ends up in reports: in a terminal, in XML, in HTML. It must stay text there. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would obey
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const codePoint = (character: string) => character.codePointAt(0)!.toString(16).padStart(4, '0')

/** For a terminal: escapes control characters, which could move the cursor or change colours or direction. */
export const forTerminal = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(controls, it => `\\u${codePoint(it)}`)

/** The same on one line. */
export const onOneLine = (text: string): string =>
  forTerminal(text)
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For HTML, as text or in a quoted attribute. */
export const forHtml = (text: string): string => forTerminal(text).replaceAll(/[&<>"']/g, it => entities[it]!)

/** Lone surrogates, and other characters that XML cannot represent. */
const notInXml = /[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** For XML, as text or in a quoted attribute. */
export const forXml = (text: string): string =>
  forHtml(text.replaceAll(notInXml, it => `\\u${it.charCodeAt(0).toString(16)}`))
