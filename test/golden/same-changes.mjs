/** Entries of two builds, and what differs between them: each change once, with the entries that have it. */
import { changes, shortened } from './diff.mjs'

/** @typedef {import('./entries.mjs').Entries} Entries */
/** @typedef {import('./diff.mjs').Marked} Marked */
/** @typedef {{ lines: Marked[], names: string[], places: number }} Change the first of its places, and all entries that have it */

/** Lines around a change that are shown with it. */
const context = 2
/** Lines of a change that are shown. */
const mostLines = 40
/** Entries that are named with a change. */
const mostNames = 4

/**
 * The changes, those that most entries have first: what few have is read last, where the eye rests.
 * @param {Entries} before @param {Entries} after
 * @returns {Change[]}
 */
export function sameChanges(before, after) {
  /** @type {Map<string, Change>} */
  const all = new Map()
  for (const [name, old] of before) {
    const text = after.get(name)
    if (text === undefined || text === old) continue
    for (const { changed, lines } of hunks(old, text)) {
      const key = keyOfChange(changed)
      const change = all.get(key) ?? { lines, names: [], places: 0 }
      change.places++
      if (change.names.at(-1) !== name) change.names.push(name)
      all.set(key, change)
    }
  }
  return [...all.values()].sort((one, other) => other.names.length - one.names.length)
}

/**
 * Each run of changed lines, and it with the lines around it. Only texts that differ in nothing else differ in their form.
 * @param {string} before @param {string} after
 * @returns {{ changed: Marked[], lines: Marked[] }[]}
 */
function hunks(before, after) {
  const loose = changes(before, after, withoutForm)
  const marked = loose.some(([mark]) => mark !== ' ') ? loose : changes(before, after)
  const isChanged = (/** @type {number} */ nth) => marked[nth] !== undefined && marked[nth][0] !== ' '
  const all = []
  for (let start = 0; start < marked.length; start++) {
    if (!isChanged(start)) continue
    let end = start
    while (isChanged(end)) end++
    all.push({
      changed: marked.slice(start, end),
      lines: marked.slice(Math.max(0, start - context), end + context),
    })
    start = end
  }
  return all
}

/** A line without what follows from other lines: its depth, the comma before a further one, the length of a body. @param {string} line */
const withoutForm = line =>
  line
    .trim()
    .replace(/,$/, '')
    .replace(/^(Content-Length: |\(compact JSON, |\(gzip, of which )\d+/, '$1')

/** What makes two changes the same: the words that went and came, and of which member. @param {Marked[]} lines */
function keyOfChange(lines) {
  const of = (/** @type {string} */ sign) =>
    lines.filter(([mark]) => mark === sign).map(([, line]) => withoutForm(line))
  const removed = of('-')
  const added = of('+')
  if (removed.length !== added.length) return JSON.stringify([removed, added])
  return JSON.stringify(removed.map((line, nth) => changeOfLine(line, added[nth] ?? '')))
}

/** @param {string} before @param {string} after */
function changeOfLine(before, after) {
  const words = /** @type {const} */ ([before.split(/(?<=\W)|(?=\W)/), after.split(/(?<=\W)|(?=\W)/)])
  const [one, other] = words
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const member = /^[^:=]*/.exec(before)?.[0]
  return [member, ...words.map(it => it.slice(start, it.length - end).join(''))]
}

/** @param {Change} change */
export function textOfChange({ lines, names, places }) {
  const shown = lines.slice(0, mostLines).map(([mark, line, other]) => `  ${mark} ${shortened(line, other)}`)
  const count = `${names.length} ${names.length === 1 ? 'entry' : 'entries'}`
  return [
    `${places > names.length ? `${count}, ${places} places` : count}: ${listOf(names)}`,
    ...shown,
    ...(lines.length > mostLines ? [`  ... and ${lines.length - mostLines} more lines`] : []),
  ].join('\n')
}

/** @param {string[]} names */
export const listOf = names =>
  names.length > mostNames
    ? `${names.slice(0, mostNames).join('; ')}; and ${names.length - mostNames} more`
    : names.join('; ')
