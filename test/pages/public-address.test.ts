import { afterEach, describe, expect, it } from 'vitest'
import type { AssemblyOptions } from '../../src/lib/assemble-mock.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'

const publicUrl = 'https://mocks.example/mailing'

let tester: Tester | undefined
afterEach(() => tester?.close())

/** Opens a page of a mock behind a public URL by an address of its own. */
async function page(headers: Record<string, string>, options: AssemblyOptions = {}, path = '/spaces/demo') {
  tester = await startTester({ publicUrl, ...options })
  const response = await tester.fetch(`/_mock${path}`, { headers: { accept: 'text/html', ...headers } })
  return response.text()
}

/** Addresses on this server that a page leads to, loads or calls. */
const ownAddresses = (text: string) =>
  [...text.matchAll(/ (?:href|src|action|hx-get|data-(?:call|root|events|open-copy|then))="([^"#][^"]*)"/g)]
    .map(([, it]) => it!)
    .filter(it => !it.startsWith('data:') && !it.startsWith('?'))

describe('where there is a public URL, a page', () => {
  it('that was opened by another address stands there with all that it loads and calls', async () => {
    const text = await page({ host: 'localhost:4025' })
    const addresses = ownAddresses(text)
    expect(addresses.filter(it => !it.startsWith('/_mock'))).toEqual([])
    for (const part of ['/assets/', '/events', '/clock', '/docs'])
      expect(
        addresses.some(it => it.includes(part)),
        part,
      ).toBe(true)
    const [asset] = addresses.filter(it => it.endsWith('/style.css'))
    expect((await tester!.fetch(asset!)).status).toBe(200)
  })

  it('where there is a public URL, a page gives clients the public URL all the same', async () => {
    const text = await page({ host: 'localhost:4025' }, {}, '/spaces/demo/connect')
    expect(text).toContain(`${publicUrl}/integrations/`)
    expect(text).not.toContain('localhost:4025')
  })

  it('of the reference shows the public URL in the line of the service, its own in that of a control call', async () => {
    const service = await page({ host: 'localhost:4025' }, {}, '/docs/createSending')
    expect(service).toContain(`data-base="${publicUrl}"`)
    expect(service).toContain('data-root="/_mock"')
    await tester!.close()
    const control = await page({ host: 'localhost:4025' }, {}, '/docs/turnClock')
    expect(control).toContain('data-base="http://localhost:4025"')
  })

  it.each<[string, Record<string, string>, AssemblyOptions]>([
    ['leaves the name in the request', { host: 'mocks.example' }, {}],
    [
      'says what it took away',
      { host: 'backend', 'x-forwarded-host': 'mocks.example', 'x-forwarded-prefix': '/mailing' },
      { trustProxy: true },
    ],
  ])(
    'where there is a public URL, a page stands behind the path of a proxy that %s',
    async (_, headers, options) => {
      const addresses = ownAddresses(await page(headers, options))
      expect(addresses.length).toBeGreaterThan(5)
      expect(addresses.filter(it => !it.startsWith('/mailing/_mock'))).toEqual([])
    },
  )

  it('where there is a public URL, a page asks for the token where it was opened, and gives the cookie for there', async () => {
    const token = 'secret-token-1234'
    const text = await page({ host: 'localhost:4025' }, { token }, '/spaces/demo/data')
    expect(text).toContain('name="to" value="/_mock/spaces/demo/data"')
    const signedIn = await tester!.fetch('/_mock/sign-in', {
      method: 'POST',
      headers: {
        host: 'localhost:4025',
        origin: 'http://localhost:4025',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, to: '/_mock/spaces/demo/data' }).toString(),
    })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/_mock/spaces/demo/data'])
    // Marked for https it would be dropped here.
    expect(signedIn.headers.get('set-cookie')).toMatch(
      /^mailing-sync-mock-4025=.*; Path=\/_mock; HttpOnly; SameSite=Strict$/,
    )
  })

  it('where there is a public URL, a page is where the bare address leads', async () => {
    tester = await startTester({ publicUrl })
    const headers = { host: 'localhost:4025', accept: 'text/html' }
    const response = await tester.fetch('/', { headers, redirect: 'manual' })
    expect(response.headers.get('location')).toBe('http://localhost:4025/_mock')
  })

  it('of a request leads from its answer to where the browser is, and to operations of the service filled in', async () => {
    tester = await startTester({ publicUrl })
    const made = await tester
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'follow' })
    const headers = { accept: 'text/html', host: 'localhost:4025' }
    const list = await (await tester.fetch('/_mock/spaces/demo', { headers })).text()
    const [, path] = /href="(\/_mock\/spaces\/demo\/requests\/r\d+-1)"/.exec(list)!
    const text = await (await tester.fetch(path!, { headers })).text()
    expect(made.json._links.self.href).toContain(publicUrl)
    const target = encodeURIComponent(new URL(made.json._links.self.href).pathname.replace('/mailing/', '/'))
    expect(text).toContain(`href="/_mock/docs/getSending?target=${target}&amp;user=demo#try"`)
    expect(text).toMatch(/href="\/_mock\/spaces\/demo\/sendings\/[^"/]+\/report"/)
    expect(text).not.toContain(`href="${publicUrl}`)
    const filled = await (
      await tester.fetch(`/_mock/docs/getSending?target=${target}&user=demo%2Bx`, { headers })
    ).text()
    expect(filled).toContain(`value="${made.json.id}"`)
    expect(filled).toContain(`value="${ids.ready}"`)
    expect(filled).toContain('name="user" value="demo+x"')
  })
})

describe('where pages have an address of their own', () => {
  const pagesUrl = 'https://editor.example'

  it('S host of pages: links to editor, previews and report begin with it, and no other link', async () => {
    tester = await startTester({ pagesUrl: `${pagesUrl}/` })
    const demo = tester.as('demo')
    const documents = [
      (await demo.get('/mailings')).json,
      (await demo.get(synchronizationPath(ids.both))).json,
      (await demo.post(synchronizationPath(ids.both, '/sendings'))).json,
    ]
    const hrefs = [...JSON.stringify(documents).matchAll(/"([\w:-]+)":\{"href":"([^"]+)"/g)]
    const pages = hrefs.filter(([, , href]) => href!.startsWith(`${pagesUrl}/_mock/`))
    expect([...new Set(pages.map(([, relation]) => relation))]).toEqual([
      'svc:mailing-editor',
      'svc:mailing-preview-draft',
      'svc:mailing-preview-approved',
      'svc:report',
    ])
    const others = hrefs.filter(it => !pages.includes(it))
    expect(others.map(([, , href]) => href).filter(href => !href!.startsWith('http://localhost/'))).toEqual(
      [],
    )
    const curies = /"curies":\[\{"href":"([^"]+)/.exec(JSON.stringify(documents))![1]
    expect(curies).toMatch(/^http:\/\/localhost\//)
  })

  it.each([
    ['by that name', 'editor.example', 200],
    ['by another name', 'elsewhere.example', 421],
  ])('the mock answers there %s', async (_, host, status) => {
    tester = await startTester({ pagesUrl })
    const path = `/_mock/spaces/demo/mailings/${ids.mailing.ready}`
    const response = await tester.fetch(path, { headers: { host, accept: 'text/html' } })
    expect(response.status).toBe(status)
    // Calls of the page go where it stands, so they need no permission.
    if (status === 200) expect(await response.text()).toContain('data-root="/_mock"')
  })

  it('a recorded link to a page leads to the page of the mock, wherever the browser is', async () => {
    tester = await startTester({ pagesUrl })
    const { headers } = await tester.as('demo').get(synchronizationPath(ids.ready))
    const text = await (
      await tester.fetch(`/_mock/spaces/demo/requests/${headers.get('x-mock-request-id')}`, {
        headers: { accept: 'text/html' },
      })
    ).text()
    expect(text).toContain(`href="/_mock/spaces/demo/mailings/${ids.mailing.ready}"`)
  })
})
