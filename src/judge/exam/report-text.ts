/** What reports of the exam and of `verify` share. Input of others ends up in them, and must stay text there. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would obey
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const codePoint = (character: string) => character.codePointAt(0)!.toString(16).padStart(4, '0')

/** For a terminal: escapes control characters, which could move the cursor or change colours or direction. */
export const forTerminal = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(controls, it => `\\u${codePoint(it)}`)

/** The same on one line. */
export const onOneLine = (text: string): string =>
  forTerminal(text)
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')

/** For Markdown on one line: no markup, no mention, no end of a cell. */
export const forMarkdown = (text: string): string =>
  onOneLine(text)
    .replaceAll(/[\\`*_[\]|#~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')

/** The same as code, in which no backslash is read. */
export const codeForMarkdown = (text: string): string =>
  text.includes('`') ? forMarkdown(text) : `\`${onOneLine(text)}\``

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

type Attributes = Readonly<Record<string, string | number>>

const xmlTag = (name: string, attributes: Attributes) =>
  [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${forXml(String(value))}"`)].join(' ')

/** @param text its content; undefined for an empty element */
export const xmlElement = (name: string, attributes: Attributes, text?: string): string =>
  text === undefined
    ? `<${xmlTag(name, attributes)}/>`
    : `<${xmlTag(name, attributes)}>${forXml(text)}</${name}>`

export interface JunitCase {
  readonly attributes: Attributes
  /** Elements that say how it ended; none if it passed. */
  readonly inside: readonly string[]
}

/**
 * JUnit XML with one suite.
 * @param counts name and counts, of the report and of its suite
 * @param more further attributes of the suite
 */
export const junitXml = (
  counts: Attributes,
  more: Attributes,
  properties: Attributes,
  cases: readonly JunitCase[],
): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<${xmlTag('testsuites', counts)}>`,
    `  <${xmlTag('testsuite', { ...counts, ...more })}>`,
    '    <properties>',
    ...Object.entries(properties).map(([name, value]) => `      ${xmlElement('property', { name, value })}`),
    '    </properties>',
    ...cases.flatMap(({ attributes, inside }) =>
      inside.length === 0
        ? [`    ${xmlElement('testcase', attributes)}`]
        : [
            `    <${xmlTag('testcase', attributes)}>`,
            ...inside.map(element => `      ${element}`),
            '    </testcase>',
          ],
    ),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')

export const colourer =
  (isWanted: boolean) =>
  (text: string, colour: 'red' | 'green' | 'yellow'): string =>
    isWanted ? `\u001b[${{ red: 31, green: 32, yellow: 33 }[colour]}m${text}\u001b[0m` : text

// biome-ignore lint/suspicious/noControlCharactersInRegex: a line that is pasted has none
const controlCharacters = /[\u0000-\u001f\u007f]/g

/** Quotes a text as one word for a shell, always on one line. */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (text.search(controlCharacters) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replaceAll(/['\\]/g, '\\$&')
    .replaceAll(controlCharacters, it => `\\x${it.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `$'${escaped}'`
}
