import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { raw } from 'hono/html'
import { Marked } from 'marked'
import { z } from 'zod'
import { problems } from '../service/problem.ts'
import { findNearest } from '../store/validation-messages.ts'
import { CopyButton } from './components/elements.tsx'
import { FilterForm, SearchField, toQueryString } from './components/listing.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { headingAnchor, rowAnchor } from './references.ts'
import { serviceBase } from './service-links.ts'

/** The folder of the package: the same from the source and from the build. */
const root = new URL('../../', import.meta.url)

/** Types of the files that the documentation shows or links to as they are. */
const fileTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.json': 'application/json',
  '.yaml': 'text/plain; charset=UTF-8',
}

/** @param path below the package */
const hasFile = (path: string) =>
  /^(?:(?:docs\/(?:images\/)?|fixtures\/|scenarios\/)[\w-][\w.-]*|[A-Z]+\.md|openapi(?:-3\.0)?\.yaml)$/.test(
    path,
  ) && existsSync(new URL(path, root))

/**
 * A file that is served as it is; undefined when it is none of the documentation.
 * @param path below the package @param send counts its bytes until they have left
 */
export function documentationFile(
  path: string,
  send: <Bytes extends Buffer>(bytes: Bytes) => Bytes,
): Response | undefined {
  const type = fileTypes[posix.extname(path)]
  if (type === undefined || !hasFile(path)) return undefined
  return new Response(send(readFileSync(new URL(path, root))), {
    headers: { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' },
  })
}

/** Path below `/_mock` of a file of the package; undefined when it is not served. */
function addressOf(path: string): string | undefined {
  if (!hasFile(path)) return undefined
  const [, name] = /^(?:docs\/)?([\w-]+\.md)$/.exec(path) ?? []
  if (name !== undefined) return `/docs/${name}`
  return posix.extname(path) in fileTypes ? `/docs/files/${path}` : undefined
}

const read = (path: string) => readFileSync(new URL(path, root), 'utf8').replaceAll(/<!--.*?-->\n?/gs, '')

/** Makes each anchor unique on its page: with a number from the second one on, as code hosts do it. */
function anchorCounter(): (anchor: string) => string {
  const anchors = new Map<string, number>()
  return anchor => {
    const before = anchors.get(anchor) ?? 0
    anchors.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

/** Markdown as a reader sees it, about. */
const plain = (markdown: string) =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<\/?[a-z]+>/g, ' ')
    .replaceAll(/^[ |:-]+$|[`*\\]|^ *(?:\||```.*|>|- )/gm, '')
    .replaceAll(/\s*\|\s*|\s+/g, ' ')
    .trim()

/** Each heading with what stands below it, up to the next one. */
function sectionsOf(markdown: string) {
  const unique = anchorCounter()
  // Code may have lines that begin with a hash.
  const parts = markdown.split(/^(?:(#{1,4}) (.+)\n|(```[\s\S]*?^```))/m)
  const sections: { depth: number; heading: string; anchor: string; text: string }[] = []
  for (let at = 1; at < parts.length; at += 4) {
    const [marks, heading, code = '', rest = ''] = parts.slice(at, at + 4)
    if (marks && heading)
      sections.push({
        depth: marks.length,
        // The heading of a rule is its ID alone; its name comes next.
        heading: plain(/^R\d\d$/.test(heading) ? `${heading} ${rest.split('.')[0]}` : heading),
        anchor: unique(headingAnchor(heading)),
        text: plain(rest),
      })
    else if (sections.length > 0) sections.at(-1)!.text += ` ${plain(code)} ${plain(rest)}`
  }
  return sections
}

/** Some words of a text. @param from about where they begin */
const excerptOf = (text: string, from: number) =>
  (from === 0 ? '' : '… ') +
  text.slice(from === 0 ? 0 : text.indexOf(' ', from) + 1, from + 180).replace(/\s\S*$/, ' …')

/** The beginning that a word shares with its other forms: "idempotent" is found as "idempotency", "times out" as "timeout". */
const stemOf = (word: string) => word.replace(/(?<=^.{4,})(?:enc[ey]|ent|ies|ing|ed|es|s|y)$/, '')

/** Short words stand in many others, such as CI in "decision": they count alone. */
const hasWord = (text: string, word: string) =>
  text.includes(word) && (word.length > 3 || text.split(/[^\p{L}\d]+/u).includes(word))

/** Words of a question that say nothing of its subject. */
const fillers: ReadonlySet<string> = new Set(
  'a an and are can do does for how i in is it long my of on or should the to what when which why with'.split(
    ' ',
  ),
)

/** The words, each that no section has replaced by the nearest one, if any is near; undefined if that changes nothing. */
function correct(typed: readonly string[], sections: readonly { heading: string; text: string }[]) {
  const texts = sections.map(({ heading, text }) => `${heading} ${text}`.toLowerCase())
  const counts = new Map<string, number>()
  for (const [word] of texts.join(' ').matchAll(/\p{L}{4,}/gu)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const usualFirst = [...counts.keys()].sort((one, other) => counts.get(other)! - counts.get(one)!)
  const corrected = typed.map(word =>
    texts.some(text => hasWord(text, stemOf(word))) ? word : (findNearest(word, usualFirst) ?? word),
  )
  return corrected.some((word, at) => word !== typed[at]) ? corrected.join(' ') : undefined
}

/** What most searches are for: what a client has to do, and how to test that. */
const guidance: Readonly<Record<string, number>> = { 'client-guide.md': 2, 'testing-recipes.md': 1 }

/** Their headings are names of single rules and dials. */
const registers: ReadonlySet<string> = new Set(['conduct.md', 'dials.md'])

/**
 * The sections of all documents that have all these words in any form, or else most of them: those with the words in heading or title or
 * side by side first, and guidance before others, then in the order in which docs/README.md lists the documents, where those for users come first.
 */
function findSections(wanted: string) {
  const given = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const telling = given.filter(word => !fillers.has(word))
  const typed = telling.length > 0 ? telling : given
  const phrase = typed.join(' ')
  const words = typed.map(stemOf)
  const order = read('docs/README.md')
  const documents = readdirSync(new URL('docs/', root))
    .filter(name => name.endsWith('.md'))
    .sort((one, other) => order.indexOf(`(${one}`) - order.indexOf(`(${other}`))
    .map(document => ({ document, sections: sectionsOf(read(`docs/${document}`)) }))
  const found = documents.flatMap(({ document, sections }) =>
    sections.flatMap(section => {
      const heading = section.heading.toLowerCase()
      const text = section.text.toLowerCase()
      const all = `${heading} ${text}`
      const has = words.filter(word => hasWord(all, word)).length
      if (has === 0) return []
      const place = [phrase, ...words].map(word => text.indexOf(word)).find(it => it >= 0) ?? 0
      const inHeading = words.filter(word => hasWord(heading, word)).length
      const title = sections[0]!.heading.toLowerCase()
      const inTitle = words.filter(word => hasWord(title, word)).length
      const isRegister = registers.has(document)
      // By its very name, such as R02 or rate-limit.
      const isNamed = isRegister && section.anchor === phrase
      return {
        ...section,
        document,
        has,
        title: sections[0]!.heading,
        grade:
          (isRegister ? 1 : 2) * inHeading +
          inTitle +
          Number(hasWord(all, phrase)) +
          (guidance[document] ?? 0) +
          (isNamed ? 2 : 0),
        excerpt: excerptOf(section.text, Math.max(0, place - 60)),
      }
    }),
  )
  const most = found.reduce((before, { has }) => Math.max(before, has), 0)
  const hasAll = most === words.length
  const everySection = documents.flatMap(({ sections }) => sections)
  return {
    hasAll,
    meant: hasAll ? undefined : correct(typed, everySection),
    sections: found.filter(({ has }) => has === most).sort((one, other) => other.grade - one.grade),
  }
}

const maxFound = 30

/** One search field over all documents, and what it found. */
function Search({ call }: { call: PageCall<z.output<typeof documentQuery>> }) {
  const { find } = call.query
  const action = call.at(`/docs/${call.params.document}`)
  const found = find.trim() === '' ? undefined : findSections(find)
  return (
    <>
      <FilterForm action={action} target="found" label="Search" history="replace">
        <SearchField label="Search all documents" name="find" type="search" value={find} size={28} />
      </FilterForm>
      <section id="found" aria-label="Found" aria-live="polite">
        {found?.meant !== undefined && (
          <p>
            Did you mean <a href={action + toQueryString({ find: found.meant })}>{found.meant}</a>?
          </p>
        )}
        {found && !found.hasAll && (
          <p>
            No section has all these words.
            {found.sections.length > 0 && ' These have some of them:'}
          </p>
        )}
        {found && found.sections.length > 0 && (
          <ul class="card plain docs-found">
            {found.sections.slice(0, maxFound).map(({ document, title, heading, anchor, excerpt }) => (
              <li>
                <a href={call.at(`/docs/${document}#${anchor}`)}>{heading}</a>{' '}
                {title !== heading && <span class="soft">{title}</span>}
                <p class="soft small">{excerpt}</p>
              </li>
            ))}
            {found.sections.length > maxFound && (
              <li class="soft">and {found.sections.length - maxFound} more: add a word</li>
            )}
          </ul>
        )}
      </section>
    </>
  )
}

function Contents({ sections }: { sections: ReturnType<typeof sectionsOf> }) {
  const shown = sections.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 4) return null
  return (
    <nav class="docs-contents" aria-label="On this page">
      <details open>
        <summary>On this page</summary>
        <ul class="plain">
          {shown.map(({ depth, heading, anchor }) => (
            <li class={depth === 3 ? 'deeper' : undefined}>
              <a href={`#${anchor}`}>{heading}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  )
}

const documentQuery = z.object({ find: z.string().max(200).default('') })

/** A page of `docs`, or one that stands beside that folder, such as SECURITY.md. */
export default page({
  query: documentQuery,
  show(call) {
    const { document } = call.params
    const path = [`docs/${document}`, document].find(hasFile)
    if (path === undefined)
      throw problems.notFound(`page ${document} of the documentation; README.md lists all pages`)
    const text = read(path).replaceAll('http://localhost:4025', () => serviceBase(call))
    const sections = sectionsOf(text)
    return {
      title: sections[0]?.heading ?? document,
      content: (
        <>
          <Search call={call} />
          <div class="docs-read">
            <Contents sections={sections} />
            <article class="documentation">{raw(toHtml(call, path, text))}</article>
          </div>
        </>
      ),
    }
  },
})

/** @param path of the page below the package, from which its links start */
function toHtml(call: PageCall, path: string, text: string): string {
  const unique = anchorCounter()
  const marked = new Marked({
    // A link to a file that is only in a clone stays text.
    walkTokens(token) {
      if (token.type !== 'link' && token.type !== 'image') return
      const [target = '', anchor] = String(token.href).split('#')
      if (target === '' || /^[a-z]+:/.test(target)) return
      const address = addressOf(posix.join(posix.dirname(path), target))
      token.href = address && call.at(address) + (anchor === undefined ? '' : `#${anchor}`)
    },
    renderer: {
      heading({ tokens, depth, text: words }) {
        // Rules are written R02, so a reader may write the anchor so.
        const [rule] = /^R\d\d\b/.exec(words) ?? []
        return `<h${depth} id="${unique(headingAnchor(words))}">${rule ? `<span id="${rule}"></span>` : ''}${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      // Commands to copy, in lines as they are written.
      code({ text, lang }) {
        const snippet = (
          <div class="snippet">
            <pre>
              <code>{text}</code>
            </pre>
            <CopyButton text={text} label="Copy the commands" words="Copy" />
          </div>
        )
        return lang === 'sh' && String(snippet)
      },
      link({ href, tokens }) {
        return href ? false : this.parser.parseInline(tokens)
      },
      tablerow({ text: cells }) {
        const [, first = ''] = /^<td[^>]*>(.{1,80}?)<\/td>/.exec(cells) ?? []
        const anchor = rowAnchor(first)
        return `<tr${anchor === '' ? '' : ` id="${unique(anchor)}"`}>\n${cells}</tr>\n`
      },
    },
  })
  // What scrolls can be reached by keyboard.
  return marked.parse(text, { async: false }).replaceAll(/<(table|pre)>/g, '<$1 tabindex="0">')
}
