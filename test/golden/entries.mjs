/**
 * A recorded file: entries with a name each, as text.
 *
 *     === name
 *     its lines
 */

/** @typedef {Map<string, string>} Entries */

const heading = '=== '

/** @param {Entries} entries */
export function textOf(entries) {
  return [...entries]
    .map(([name, text]) => `${heading}${name}\n${text.replaceAll(/^(?=\\*===)/gm, '\\')}\n`)
    .join('\n')
}

/** @param {string} text @returns {Entries} */
export function parseEntries(text) {
  /** @type {Entries} */
  const entries = new Map()
  for (const part of `\n\n${text}`.split(/\n\n(?==== )/).slice(1)) {
    const end = part.indexOf('\n')
    const lines = part.slice(end + 1).replace(/\n$/, '')
    entries.set(part.slice(heading.length, end), lines.replaceAll(/^\\(?=\\*===)/gm, ''))
  }
  return entries
}

/** Collects entries; a name that is taken gets a number. */
export class Recording {
  /** @type {Entries} */
  entries = new Map()

  /** @param {string} name @param {string | object | null | undefined} value text, or what is shown as JSON */
  add(name, value) {
    let own = name
    for (let nth = 2; this.entries.has(own); nth++) own = `${name} #${nth}`
    this.entries.set(own, typeof value === 'string' ? value : jsonText(value))
  }
}

/** Where two builds are compared, each member has a line of its own: a new one is then the same change wherever it stands. */
const widest = process.env.GOLDEN_ROOT ? 0 : 110

/**
 * JSON with a line for each member, except what fits on one line.
 * @param {unknown} value
 * @returns {string}
 */
export function jsonText(value, indent = '') {
  const flat = JSON.stringify(value) ?? 'undefined'
  const isShort = flat.length <= 2 || flat.length + indent.length <= widest
  if (value === null || typeof value !== 'object' || isShort) return flat
  const inner = `${indent}  `
  const text = (/** @type {unknown} */ it) => jsonText(it, inner)
  if (Array.isArray(value)) return `[\n${value.map(item => inner + text(item)).join(',\n')}\n${indent}]`
  const members = Object.entries(value)
    .filter(([, it]) => it !== undefined)
    .map(([key, it]) => `${inner}${JSON.stringify(key)}: ${text(it)}`)
  return `{\n${members.join(',\n')}\n${indent}}`
}
