import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { raw } from 'hono/html'
import { Marked } from 'marked'
import { z } from 'zod'
import { problems } from '../service/problem.ts'
import { CopyButton } from './components/elements.tsx'
import { FilterForm, SearchField, toQueryString } from './components/listing.tsx'
import type { Findings } from './documentation-search.ts'
import { anchorCounter, readDocument, sectionsOf } from './documentation-sections.ts'
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

/** What was found; undefined for no words. All documents are read at the first search. */
async function search(find: string) {
  if (find.trim() === '') return undefined
  const { findSections } = await import('./documentation-search.ts')
  return findSections(find)
}

/** The answer is nearly always among the first. */
const shownAtOnce = 8

/** One search field over all documents, and what it found. */
function Search({
  call,
  found,
}: {
  call: PageCall<z.output<typeof documentQuery>>
  found: Awaited<ReturnType<typeof search>>
}) {
  const { find } = call.query
  const action = call.at(`/docs/${call.params.document}`)
  const best = found?.sections.slice(0, shownAtOnce) ?? []
  const others = found?.sections.slice(shownAtOnce) ?? []
  const entry = ({ document, title, heading, anchor, excerpt }: Findings['sections'][number]) => (
    <li>
      <a href={call.at(`/docs/${document}#${anchor}`)}>{heading}</a>{' '}
      {title !== heading && <span class="soft">{title}</span>}
      <p class="soft small">{excerpt}</p>
    </li>
  )
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
        {best.length > 0 && <ul class="card plain docs-found">{best.map(entry)}</ul>}
        {others.length > 0 && found && (
          <details>
            <summary>Show {others.length} more</summary>
            <ul class="card plain docs-found">
              {others.map(entry)}
              {found.more > 0 && <li class="soft">and {found.more} more: add a word</li>}
            </ul>
          </details>
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
  async show(call) {
    const { document } = call.params
    const path = [`docs/${document}`, document].find(hasFile)
    if (path === undefined)
      throw problems.notFound(`page ${document} of the documentation; README.md lists all pages`)
    const text = readDocument(path).replaceAll('http://localhost:4025', () => serviceBase(call))
    const sections = sectionsOf(text)
    return {
      title: sections[0]?.heading ?? document,
      content: (
        <>
          <Search call={call} found={await search(call.query.find)} />
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
