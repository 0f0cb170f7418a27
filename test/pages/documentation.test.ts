import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkReferences } from '../../src/pages/references.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { everyPage } from './addresses.ts'
import { from, look, wordsOf } from './person.ts'

let tester: Tester
beforeAll(async () => {
  tester = await startTester()
})
afterAll(() => tester.close())

const names = [...readdirSync('docs').filter(name => name.endsWith('.md')), 'CHANGELOG.md', 'SECURITY.md']

/** Where the links and pictures of a page lead that stay below the mock, with what stands behind `#`. */
const linksIn = (text: string) =>
  [...text.matchAll(/ (?:href|src)="(\/_mock\/[^"#]*|)(?:#([^"]*))?"/g)].map(([, path = '', anchor]) => ({
    path: path.replaceAll('&amp;', '&').slice('/_mock'.length),
    anchor: anchor && decodeURIComponent(anchor),
  }))

const seen = new Map<string, Promise<{ status: number; text: string }>>()
/** A page or file, asked for once. */
function read(path: string) {
  const known = seen.get(path) ?? look(tester, path)
  seen.set(path, known)
  return known
}

/** The links of a page that lead nowhere. */
async function deadLinks(path: string, isWanted: (link: string) => boolean): Promise<string[]> {
  const dead: string[] = []
  for (const { path: to, anchor } of linksIn((await read(path)).text)) {
    if (!isWanted(to || path)) continue
    const { status, text } = await read(to || path)
    const isThere = anchor === undefined || text.includes(` id="${anchor}"`)
    if (status !== 200 || !isThere) dead.push(`${to}#${anchor}: ${status}`)
  }
  return dead
}

describe('the documentation that the mock serves', () => {
  it.each(names)(
    'the documentation that the mock serves has %s, and all its links lead somewhere',
    async name => {
      const { status, text } = await read(`/docs/${name}`)
      expect(status).toBe(200)
      expect(text).toContain('<article class="documentation">')
      expect(await deadLinks(`/docs/${name}`, () => true)).toEqual([])
    },
  )

  it.each(names)('the documentation that the mock serves has no relative link in %s', async name => {
    const { text } = await read(`/docs/${name}`)
    const others = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!)
    expect(others.filter(target => !/^(?:\/_mock|#|https?:|data:)/.test(target))).toEqual([])
  })

  it('a search leads to the place of each section, whatever it finds', async () => {
    const { text } = await read('/docs/README.md?find=a')
    expect(linksIn(from({ text }, 'found')).length).toBeGreaterThan(20)
    expect(await deadLinks('/docs/README.md?find=a', link => link.startsWith('/docs/'))).toEqual([])
  })

  it.each([
    ['R02', /> R02 New transactionId/],
    ['timeout test', /> Testing recipes/],
    ['how long to retry PENDING', /> .{0,80}The client guide/],
    ['wrong password', /> .{0,80}Troubleshooting/],
    ['transaction ID', /^(?!.*(?:<br>|&lt;br))/s],
  ])('a search for %s shows first what a user looks for, as text', async (words, first) => {
    const { text } = await read(`/docs/README.md?find=${encodeURIComponent(words)}`)
    expect(wordsOf(from({ text }, 'found'))).toMatch(first)
  })

  it.each(['retry', 'retries', 'timeout', 'timeouts', 'PENDING'])(
    'a search for "%s" leads to the guide and the recipes before single rules',
    async words => {
      const { text } = await read(`/docs/README.md?find=${words}`)
      const places = [...from({ text }, 'found').matchAll(/<li><a href="\/_mock\/docs\/([^"#]*)/g)]
      const known = new Set(['client-guide.md', 'testing-recipes.md', 'conduct.md'])
      const pages = new Set(places.map(([, path]) => path!).filter(path => known.has(path)))
      expect([...pages].slice(0, 2)).toEqual(['client-guide.md', 'testing-recipes.md'])
    },
  )

  it.each(['timeout', 'retry', 'idempotency key', 'duplicate'])(
    'a search for "%s" leads to what a client has to do among its first five places',
    async words => {
      const { text } = await read(`/docs/README.md?find=${encodeURIComponent(words)}`)
      const places = [...from({ text }, 'found').matchAll(/<li><a href="([^"#]*)/g)].map(([, path]) => path)
      expect(places.slice(0, 5)).toContain('/_mock/docs/client-guide.md')
    },
  )

  it.each([
    ['idempotent', 'idempotency'],
    ['times out', 'timeout'],
    ['retries', 'retry'],
  ])('a search for "%s" finds "%s", too', async (words, other) => {
    const { text } = await read(`/docs/README.md?find=${encodeURIComponent(words)}`)
    expect(wordsOf(from({ text }, 'found')).toLowerCase()).toContain(other)
  })

  it('a search with a word that is nowhere finds sections with the others, and says so', async () => {
    const { text } = await read('/docs/README.md?find=idempotency+zebra')
    const words = wordsOf(from({ text }, 'found'))
    expect(words).toContain('No section has all these words. These have some of them:')
    expect(words.toLowerCase()).toContain('idempotency')
    const none = wordsOf(from(await read('/docs/README.md?find=zebra'), 'found'))
    expect(none).toContain('No section has all these words.')
    expect(none).not.toContain('These have some')
  })

  it.each([
    ['timeuot', 'timeout'],
    ['retyr timeout', 'retry timeout'],
    ['idempotancy key', 'idempotency key'],
  ])('a search for "%s" offers "%s" instead', async (words, meant) => {
    const { text } = await read(`/docs/README.md?find=${encodeURIComponent(words)}`)
    expect(wordsOf(from({ text }, 'found'))).toContain(`Did you mean ${meant} ?`)
    expect(from({ text }, 'found')).toContain(
      `href="/_mock/docs/README.md?${new URLSearchParams({ find: meant })}"`,
    )
  })

  it('a search shows the best eight sections, and the others once they are asked for', async () => {
    const { text } = await read('/docs/README.md?find=tests')
    const [best, others] = from({ text }, 'found').split('<details>')
    expect(best!.split('<li>').length - 1).toBe(8)
    expect(others).toContain('<summary>Show 22 more</summary>')
    expect(others!.split('</details>')[0]!.split('<li>').length - 1).toBe(22)
  })

  it('a search for a word that is like no other offers none', async () => {
    const { text } = await read('/docs/README.md?find=qqxqqzzq')
    expect(wordsOf(from({ text }, 'found'))).not.toContain('Did you mean')
  })

  it.each(['timeout', 'duplicate'])('a search for "%s" finds the rule that forbids a new ID', async words => {
    const { text } = await read(`/docs/README.md?find=${words}`)
    expect(from({ text }, 'found')).toContain('/docs/conduct.md#r02"')
  })

  it.each(names)('every heading in the contents of %s leads to its place', async name => {
    const { text } = await read(`/docs/${name}`)
    const contents = linksIn(text.split('<article')[0]!).filter(({ path }) => path === '')
    const placesOf = (anchor: string | undefined) => text.split(` id="${anchor}"`).length - 1
    expect(contents.filter(({ anchor }) => placesOf(anchor) !== 1)).toEqual([])
  })

  it.each(['R02', '4.1/8', 'reset-after', 'sent-too-often'])('has an anchor for %s', async what => {
    const pages = await Promise.all(
      ['conduct', 'fidelity', 'scenarios', 'exam'].map(it => read(`/docs/${it}.md`)),
    )
    for (const anchor of new Set([what, what.toLowerCase()]))
      expect(pages.some(({ text }) => text.includes(` id="${anchor}"`))).toBe(true)
  })

  it('says of a page that there is none', async () => {
    const { status, text } = await look(tester, '/docs/nothing.md')
    expect([status, text]).toEqual([404, expect.stringContaining('README.md lists all pages')])
  })

  it.each([
    'docs/images/sendings.png',
    'openapi.yaml',
    'openapi-3.0.yaml',
    'docs/control-openapi.yaml',
    'docs/exam.schema.json',
    'fixtures/fixture.schema.json',
  ])('the documentation that the mock serves shows the file %s as it is', async name =>
    expect((await look(tester, `/docs/files/${name}`)).status).toBe(200),
  )

  it.each([
    'package.json',
    'package-lock.json',
    'src/main.ts',
    'docs/../package.json',
    '..%2Fetc%2Fpasswd',
    'docs/%2e%2e/%2e%2e/etc/hosts.json',
    'docs/control.md',
    'scenarios',
    '',
  ])('the documentation that the mock serves does not show the file "%s"', async name => {
    expect((await look(tester, `/docs/files/${name}`)).status).toBe(404)
  })
})

describe('rules and clauses that a page names', () => {
  it.each([
    ['R02', 'conduct.md#r02'],
    ['4.1/8', 'fidelity.md#4.1/8'],
    ['3/4', 'fidelity.md#3/4'],
    ['2.3 state', 'fidelity.md#2.3-state'],
    ['2.1 _links', 'fidelity.md#2.1-links'],
    ['S no 422', 'fidelity.md#s-no-422'],
    ['section 4', 'fidelity.md#4-endpoints'],
    ['section 4.10', 'fidelity.md#410-create-a-mailing-upload'],
    ['reset-after', 'scenarios.md#reset-after'],
    ['truncate-eof', 'scenarios.md#truncate-eof'],
  ])('are links to their place in the documentation: %s', (name, place) => {
    expect(linkReferences(`<p>(${name}, and more).</p>`, '/_mock/docs')).toBe(
      `<p>(<a class="reference" href="/_mock/docs/${place}">${name}</a>, and more).</p>`,
    )
  })

  it.each([
    '<a href="/R02">R02</a>',
    '<code>R02 4.1/8</code>',
    '<pre><code>R02</code> 4.1/8</pre>',
    '<p title="R02">R32, R2, XR02, 13/2, 3/20, 1/3/4, 2/1, 4.1/80, 3 PENDING, 2.3 states, my-reset-after</p>',
  ])('stay text in %s', text => expect(linkReferences(text, '/_mock/docs')).toBe(text))

  it('lead somewhere on every page', async () => {
    await tester.as('demo+read').post('/integrations/mailing-platform/nothing', {})
    for (const { address } of await everyPage(tester))
      expect(await deadLinks(address, to => to.startsWith('/docs/')), address).toEqual([])
  })
})
