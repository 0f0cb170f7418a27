import { readdirSync } from 'node:fs'
import { editDistance, findNearest } from '../store/validation-messages.ts'
import { plain, readDocument, sectionsOf } from './documentation-sections.ts'

/** What a search found. */
export interface Findings {
  /** The best section first. */
  readonly sections: readonly {
    /** Name of its file in `docs`. */
    readonly document: string
    readonly title: string
    readonly heading: string
    readonly anchor: string
    /** Of the passage that fits best. */
    readonly excerpt: string
  }[]
  /** Number of further sections. */
  readonly more: number
  /** Whether a section has all words, in any form. */
  readonly hasAll: boolean
  /** The question with near words in place of those that are nowhere, if there are any. */
  readonly meant: string | undefined
}

const maxFound = 30

/** Words of a question that say nothing of its subject. */
const fillers: ReadonlySet<string> = new Set(
  `a about after an and are at be before between but by can do does for from get gets got has have how i if in instead into is
  it its long make makes many me mean means my no not of on one only or over return returns see should so than that the them then there
  they this to use used using was what when where which while who why will with work yet you your`.split(
    /\s+/,
  ),
)

/** What a question says that wants the mock to do something. */
const imperative = /^(?:return |(?:how (?:to|do i) )?make the (?:mock|server|service) )/i

/** Lower-case words, each between spaces, without what a reader does not see. */
const wordsOf = (markdown: string) =>
  ` ${markdown
    .toLowerCase()
    .replaceAll(/\btim(?:es?|ed|ing) out\b/g, 'timeout')
    .replaceAll(/\btransaction[ -]id/g, 'transactionid')
    .replaceAll(/\b(?:e-?)?mails?\b/g, 'email')
    .replaceAll(/n['’]t\b/g, ' not')
    .replaceAll(/(?:\]\([^)]*\)|<[^>]*>|[^\p{L}\d])+/gu, ' ')
    .trim()} `

/** What a word shares with its other forms: "idempotent" is found as "idempotency", "retries" as "retry", "color" as "colour". */
const stemOf = (word: string) =>
  word
    .replace(/^un(?=.{5})/, '')
    .replace(/(?<=..)iz(?=e|ing|ation)/, 'is')
    .replace(/(?<=...)our(?=s?$)/, 'or')
    .replace(/(?<=^.{4,})(?:enc[ey]|ent|ie[sd]|y?ing|e?d|e?s|y|e)$/, '')

const stemsOf = (markdown: string) => wordsOf(markdown).replaceAll(/[^ ]{5,}/g, stemOf)

/** Only a long word is also found by its beginning: "port" is not the beginning of "portrait". */
const hasStem = (text: string, stem: string) => text.includes(stem.length > 4 ? ` ${stem}` : ` ${stem} `)

/** Long lists of names: they have every word, each about a single case. */
const registers: ReadonlySet<string> = new Set(['conduct.md', 'dials.md', 'fidelity.md', 'scenarios.md'])

/** Most searches are for what a client has to do, and how to test that. */
const importance: Readonly<Record<string, number>> = {
  'client-guide.md': 1.8,
  'testing-recipes.md': 1.2,
  'README.md': 0.7,
}

/**
 * How much more a section counts than others with the same words.
 * @param isNamed whether the question is the name of the section, such as R02 or rate-limit
 * @param isInHeading whether the heading has all words of the question, or begins with the only one
 * @param isPhrase whether these are several words
 */
function importanceOf(
  document: string,
  depth: number,
  isNamed: boolean,
  isInHeading: boolean,
  isPhrase: boolean,
): number {
  if (isNamed && registers.has(document)) return 4
  // The beginning of a document stands for all of it.
  if (depth > 1 && registers.has(document)) return isInHeading ? 1 : 0.5
  return (importance[document] ?? 1) * (depth === 1 ? 1.3 : 1) * (isInHeading && isPhrase ? 1.5 : 1)
}

/** All sections, in the order in which docs/README.md lists the documents, where those for users come first. */
function readLibrary() {
  const index = readDocument('docs/README.md')
  const rows = index.split('\n').filter(line => line.startsWith('| '))
  return readdirSync(new URL('../../docs/', import.meta.url))
    .filter(name => name.endsWith('.md'))
    .sort((one, other) => index.indexOf(`(${one}`) - index.indexOf(`(${other}`))
    .flatMap(document => {
      const sections = sectionsOf(readDocument(`docs/${document}`))
      const title = sections[0]!.heading
      // Of the document as a whole: its title, and for what the index recommends it.
      const wishes = rows.filter(row => row.includes(`(${document})`)).map(row => row.split(' | ')[0])
      const about = stemsOf([title, ...wishes].join(' '))
      return sections.map(section => {
        const heading = stemsOf(section.heading)
        const passages = section.passages.map(stemsOf)
        const stems = { about, heading, passages, all: [about, heading, ...passages].join('') }
        return { ...section, document, title, stems }
      })
    })
}

/** The package does not change while it runs. */
const library = readLibrary()

/** The words, each that no section has replaced by the nearest one, if any is near; undefined if that changes nothing. */
function correct(typed: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { heading, passages } of library)
    for (const [word] of wordsOf([heading, ...passages].join(' ')).matchAll(/\p{L}{4,}/gu))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  const usualFirst = [...counts.keys()].sort((one, other) => counts.get(other)! - counts.get(one)!)
  const isKnown = (word: string) => library.some(({ stems }) => hasStem(stems.all, stemOf(word)))
  // Hardly anybody mistypes the first letter, or more than one in a short word.
  const isNear = (word: string, it: string) =>
    it[0] === word[0] && editDistance(word, it) <= (word.length > 7 ? 2 : 1)
  const nearestOf = (word: string) =>
    findNearest(
      word,
      usualFirst.filter(it => isNear(word, it)),
    )
  const corrected = typed.map(word => (isKnown(word) ? word : (nearestOf(word) ?? word)))
  return corrected.some((word, at) => word !== typed[at]) ? corrected.join(' ') : undefined
}

/** Of a heading such as "R16 Pauses do not grow". */
const titleOfRule = (heading: string) => /^R\d\d /.test(heading) && stemsOf(heading.slice(4))

/** A long program has many words by chance. */
const isCode = (passage: string) => passage.startsWith('```')

/** Some words of a passage, from shortly before the first one with one of the stems. */
function excerptOf(passage: string, stems: readonly string[]): string {
  const words = plain(passage).split(' ')
  const first = words.findIndex(word => stems.some(stem => hasStem(stemsOf(word), stem)))
  const from = first > 10 ? first - 5 : 0
  const excerpt = (from === 0 ? '' : '… ') + words.slice(from).join(' ')
  return excerpt.length > 180 ? excerpt.slice(0, 180).replace(/\s\S*$/, ' …') : excerpt
}

/**
 * Sections with the words of a question, in any form. A rare word counts more than a usual one, and each counts in the heading, in what
 * the document is about, and in the passage that has most of them.
 */
export function findSections(question: string): Findings {
  const given = wordsOf(question.replace(imperative, 'simulate ')).split(' ').filter(Boolean)
  const telling = given.filter(word => !fillers.has(word))
  const words = telling.length > 0 ? telling : given
  const phrase = stemsOf(question).trimEnd()
  const name = question.trim().toLowerCase()
  const weights = new Map(
    words.map(stemOf).map(stem => {
      const having = library.filter(({ stems }) => hasStem(stems.all, stem)).length
      return [stem, Math.log(1 + library.length / (1 + having))]
    }),
  )
  const weigh = (text: string) =>
    [...weights].reduce((sum, [stem, weight]) => sum + (hasStem(text, stem) ? weight : 0), 0)
  const isPhrase = weights.size > 1
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  const found = library
    .map(section => {
      const { heading, about, passages, all } = section.stems
      const has = weigh(all)
      const inPassages = passages.map(
        (passage, at) => weigh(passage) / (isCode(section.passages[at]!) ? 2 : 1),
      )
      const inBest = Math.max(0, ...inPassages)
      const inPhrase = all.includes(phrase) ? total : 0
      const match = 1.5 * weigh(heading) + weigh(about) + inBest + has / 2 + inPhrase / 2
      // A single word is in many headings by the way.
      const isInHeading =
        weigh(heading) === total && (isPhrase || heading.startsWith(` ${[...weights.keys()][0]}`))
      const isNamed = section.anchor === name || titleOfRule(section.heading) === stemsOf(question)
      return {
        section,
        has,
        isOwn: section.depth === 1 || inBest + weigh(heading) > 0,
        best: section.passages[inPassages.indexOf(inBest)] ?? '',
        match,
        grade: match * importanceOf(section.document, section.depth, isNamed, isInHeading, isPhrase),
      }
    })
    .filter(({ isOwn, has }) => isOwn && has > 0)
    .sort((one, other) => other.grade - one.grade)
  // What is far behind the best has the words by chance.
  const bestMatch = Math.max(...found.map(({ match }) => match))
  const near = found.filter(({ match }) => match >= bestMatch / 2)
  const hasAll = found.some(({ has }) => has === total)
  return {
    sections: near.slice(0, maxFound).map(({ section: { document, title, heading, anchor }, best }) => ({
      document,
      title,
      heading,
      anchor,
      excerpt: excerptOf(best, [...weights.keys()]),
    })),
    more: Math.max(0, near.length - maxFound),
    hasAll,
    meant: hasAll ? undefined : correct(words),
  }
}
