import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

/** All pages for people: a link in one of them may lead to any file of the repository. */
const pages = [
  'README.md',
  ...['docs', 'examples'].flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name.replaceAll('\\', '/')}`),
  ),
]

/** A page without its blocks of code, in which a bracket is no link. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replaceAll(/^```.*?^```/gms, '')

interface Link {
  /** Below the repository; the page itself where a link has an anchor only. */
  readonly file: string
  readonly anchor: string | undefined
}

const linksOf = (page: string): Link[] =>
  [...proseOf(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target]) => {
    const [path, anchor] = target!.split('#')
    return { file: path ? normalize(join(dirname(page), path)).replace(/\/$/, '') : page, anchor }
  })

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
    const anchor = heading!
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

test.each(pages)('the links of %s lead somewhere', page => {
  const lost = linksOf(page).filter(({ file, anchor }) => {
    if (!existsSync(file)) return true
    if (anchor === undefined) return false
    return !file.endsWith('.md') || !anchorsOf(file).includes(anchor)
  })
  expect(lost).toEqual([])
})

describe('docs/README.md', () => {
  /** Every page that a reader comes to who follows links from there. */
  function reached(): Set<string> {
    const found = new Set(['docs/README.md'])
    // What is added on the way is looked at as well.
    for (const page of found)
      if (page.endsWith('.md') && existsSync(page)) for (const { file } of linksOf(page)) found.add(file)
    return found
  }

  test('docs/README.md leads to every file beside it', () => {
    const files = readdirSync('docs').map(name => `docs/${name}`)
    expect(files.filter(file => statSync(file).isFile() && !reached().has(file))).toEqual([])
  })

  test('docs/README.md names every page itself', () => {
    const named = linksOf('docs/README.md').map(({ file }) => file)
    const others = pages.filter(page => page.startsWith('docs/') && page !== 'docs/README.md')
    expect(others.filter(page => !named.includes(page))).toEqual([])
  })

  test('docs/README.md is where the README of the repository leads', () => {
    expect(linksOf('README.md').map(({ file }) => file)).toContain('docs/README.md')
  })
})
