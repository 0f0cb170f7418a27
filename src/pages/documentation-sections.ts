import { readFileSync } from 'node:fs'
import { headingAnchor } from './references.ts'

/** A heading of a document, with what stands below it up to the next one. */
export interface Section {
  /** 1 for the title */
  readonly depth: number
  readonly heading: string
  readonly anchor: string
  /** Paragraphs, entries of lists, rows of tables and blocks of code, in Markdown. */
  readonly passages: string[]
}

/** A document without its comments. @param path below the package */
export const readDocument = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replaceAll(/<!--.*?-->\n?/gs, '')

/** Makes each anchor unique on its page: with a number from the second one on, as code hosts do it. */
export function anchorCounter(): (anchor: string) => string {
  const anchors = new Map<string, number>()
  return anchor => {
    const before = anchors.get(anchor) ?? 0
    anchors.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

/** Markdown as a reader sees it, about. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<\/?[a-z]+>/g, ' ')
    .replaceAll(/^[ |:-]+$|[`*\\]|^ *(?:\||```.*|>|- )/gm, '')
    .replaceAll(/\s*\|\s*|\s+/g, ' ')
    .trim()

/** The sections of a document; the first one has its title. */
export function sectionsOf(markdown: string): Section[] {
  const unique = anchorCounter()
  // Code may have lines that begin with a hash.
  const parts = markdown.split(/^(?:(#{1,4}) (.+)\n|(```[\s\S]*?^```))/m)
  const sections: Section[] = []
  for (let at = 1; at < parts.length; at += 4) {
    const [marks, heading, code = '', rest = ''] = parts.slice(at, at + 4)
    if (marks && heading)
      sections.push({
        depth: marks.length,
        // The heading of a rule is its ID alone; its name comes next.
        heading: plain(/^R\d\d$/.test(heading) ? `${heading} ${rest.split('.')[0]}` : heading),
        anchor: unique(headingAnchor(heading)),
        passages: [],
      })
    const passages = [code, ...rest.split(/\n(?=\n|\|| *- )/)]
    sections.at(-1)?.passages.push(...passages.filter(passage => plain(passage) !== ''))
  }
  return sections
}
