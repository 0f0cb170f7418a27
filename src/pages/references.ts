import { readFileSync } from 'node:fs'

/* What pages name that the documentation explains: rules of conduct, clauses, sections, scenarios and faults. */

/** The anchor of a heading, as code hosts make it. @param text Markdown */
export function headingAnchor(text: string): string {
  const words = text.toLowerCase().replaceAll(/\]\([^)]*\)|[^\p{L}\p{N}\s_-]/gu, '')
  return words.trim().replaceAll(/\s/g, '-')
}

/** The anchor of a row of a table: `4.1/8`, `reset-after`. Empty for no words. @param first its first cell */
export function rowAnchor(first: string): string {
  const words = first.replaceAll(/<[^>]*>|&\w+;/g, '').toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N}./]+/gu, '-').replaceAll(/^-|-$/g, '')
}

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
const firstCells = (text: string) =>
  [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell]) => cell!.replaceAll(/[`\\]/g, ''))

/** Places in the documentation by what a page calls them: `2.3 state`, `section 4.1`, `reset-after`. */
const places = collectPlaces()

function collectPlaces(): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  const register = read('fidelity.md')
  // Others, such as "3 PENDING", could be a number and a word.
  for (const cell of firstCells(register))
    if (/^(?:\d\.\d+|S) \S|^\S+\/\d+$/.test(cell)) all.set(cell, `fidelity.md#${rowAnchor(cell)}`)
  for (const [, heading, number] of register.matchAll(/^#+ ((\d[\d.]*) .+)$/gm))
    all.set(`section ${number}`, `fidelity.md#${headingAnchor(heading!)}`)
  for (const cell of firstCells(read('scenarios.md')))
    if (/^[a-z\d]+(?:-[a-z\d]+)+$/.test(cell)) all.set(cell, `scenarios.md#${rowAnchor(cell)}`)
  return all
}

const names = [...places.keys()].sort((one, other) => other.length - one.length)
const reference = new RegExp(
  `\\bR(?:0[1-9]|[12]\\d|3[01])\\b|(?<![\\w./:-])(?:${names.join('|').replaceAll('.', '\\.')})(?![\\w/-]|\\.\\w)`,
  'g',
)

/** Elements in which a reference stays text: they are links or quotations, or do something of their own. */
const unlinked = new Set('a button code pre textarea option summary label h1 h3 svg'.split(' '))

/** Links each reference in a page's text to its place in the documentation. @param docs address of the documentation */
export function linkReferences(page: string, docs: string): string {
  let within: string | undefined
  return page.replaceAll(/<(\/?)(\w+)[^>]*>|[^<]+/g, (part, end: string, tag: string | undefined) => {
    if (tag === undefined) return within === undefined ? part.replaceAll(reference, linked) : part
    if (within === undefined && end === '' && unlinked.has(tag)) within = tag
    else if (end !== '' && tag === within) within = undefined
    return part
  })

  function linked(name: string): string {
    const place = /^R\d/.test(name) ? `conduct.md#${name.toLowerCase()}` : places.get(name)
    return place === undefined ? name : `<a class="reference" href="${docs}/${place}">${name}</a>`
  }
}
