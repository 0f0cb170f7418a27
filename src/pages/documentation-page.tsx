import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { raw } from 'hono/html'
import { Marked } from 'marked'
import { problems } from '../service/problem.ts'
import { type PageCall, page } from './page.ts'
import { headingAnchor, rowAnchor } from './references.ts'

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

/** A file that is served as it is; undefined when it is none of the documentation. @param path below the package */
export function documentationFile(path: string): Response | undefined {
  const type = fileTypes[posix.extname(path)]
  if (type === undefined || !hasFile(path)) return undefined
  return new Response(readFileSync(new URL(path, root)), {
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

/** A page of `docs`, or one that stands beside that folder, such as SECURITY.md. */
export default page({
  show(call) {
    const { document } = call.params
    const path = [`docs/${document}`, document].find(hasFile)
    if (path === undefined)
      throw problems.notFound(`page ${document} of the documentation; README.md lists all pages`)
    const text = readFileSync(new URL(path, root), 'utf8')
    return {
      title: /^# (.+)$/m.exec(text)?.[1] ?? document,
      content: <article class="documentation">{raw(toHtml(call, path, text))}</article>,
    }
  },
})

/** @param path of the page below the package, from which its links start */
function toHtml(call: PageCall, path: string, text: string): string {
  const anchors = new Map<string, number>()
  /** With a number from the second one on, as code hosts do it. */
  const unique = (anchor: string) => {
    const before = anchors.get(anchor) ?? 0
    anchors.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
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
        return `<h${depth} id="${unique(headingAnchor(words))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
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
  return marked.parse(text.replaceAll(/<!--.*?-->\n?/gs, ''), { async: false })
}
