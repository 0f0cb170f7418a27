import { describe, expect, it } from 'vitest'
import { basic, startMock, synchronizationsPath } from '../mock.ts'

describe('a request without valid credentials', () => {
  it.each([
    ['none', {}],
    ['a wrong password', { authorization: `Basic ${btoa('demo:guess')}` }],
    ['an unknown user', { authorization: `Basic ${btoa('stranger:demo')}` }],
  ])('with %s is told the users of the documentation, and under which ID it is shown', async (_, headers) => {
    const mock = await startMock({ hints: true })
    const ask = () => mock.fetch(new Request(`http://localhost${synchronizationsPath}?page=1`, { headers }))
    const answers = [await ask(), await ask()]
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect(answers.map(it => it.headers.get('x-mock-request-id'))).toEqual(['u-1', 'u-2'])
    expect(answers[0]!.headers.get('x-mock-hint')).toMatch(
      /Users there are: demo \(password demo\), demo-viewer/,
    )
  })

  it('to a path like one of the control API is told that path', async () => {
    const mock = await startMock({ hints: true })
    const { headers } = await mock.fetch(new Request('http://localhost/mock/spaces?x=1'))
    expect(headers.get('x-mock-hint')).toMatch(/\. Did you mean \/_mock\/spaces\?x=1\?$/)
  })

  it('learns nothing of users with passwords of their own, nor anything where hints are off', async () => {
    const own = await startMock({
      hints: true,
      fixture: base => ({ ...base, users: [{ name: 'own', password: 'secret', rights: ['read'] }] }),
    })
    const hint = (await own.fetch(new Request('http://localhost/mailings'))).headers.get('x-mock-hint')
    expect(hint).not.toMatch(/own|secret|Users/)
    const silent = await startMock()
    const { headers } = await silent.fetch(new Request('http://localhost/mailings'))
    expect([headers.get('x-mock-hint'), headers.get('x-mock-request-id')]).toEqual([null, null])
  })

  it('is shown on the page of all spaces, with its path and without its query', async () => {
    const mock = await startMock()
    await mock.fetch(new Request('http://localhost/mailings?secret=1'))
    const page = await mock.fetch(new Request('http://localhost/_mock', { headers: { accept: 'text/html' } }))
    const text = await page.text()
    expect(text).toMatch(/1 request with missing or wrong credentials[\s\S]*u-1[\s\S]*\/mailings/)
    expect(text).not.toContain('secret=1')
  })

  it('is shown there with the user that it names, the reason, and a link to it in the space of that user', async () => {
    const mock = await startMock({ hints: true })
    const as = (pair: string) =>
      mock.fetch(
        new Request('http://localhost/mailings', { headers: { authorization: `Basic ${btoa(pair)}` } }),
      )
    await mock.fetch(new Request('http://localhost/mailings', { headers: { authorization: basic('demo') } }))
    await as('demo:guess')
    await as('sesame:demo')
    const html = { headers: { accept: 'text/html' } }
    const text = await (await mock.fetch(new Request('http://localhost/_mock', html))).text()
    const list = /id="turned-away".*?<\/details>/s.exec(text)![0]
    expect(list).toContain('(<a href="/_mock/spaces/demo/requests/r0-2">r0-2</a>)')
    expect(list).toContain('user “<bdi>demo</bdi>”: only the password is wrong')
    expect(list).toContain('user “<bdi>sesame</bdi>”: there is no such user')
    expect(list).not.toContain('guess')
    const one = await mock.fetch(new Request('http://localhost/_mock/spaces/demo/requests/r0-2', html))
    expect(await one.text()).toMatch(/X-Mock-Request-Id<\/dt><dd>u-1</)
  })

  it('is told on the page of its space, which stays closed, and where it is when it is sought elsewhere', async () => {
    const mock = await startMock({ hints: true })
    const ask = async (path: string, headers: object = { accept: 'text/html' }) =>
      (await mock.fetch(new Request(`http://localhost${path}`, { headers: { ...headers } }))).text()
    await ask('/mailings', { authorization: `Basic ${btoa('demo+mine:guess')}` })
    await ask('/mailings', { authorization: `Basic ${btoa('sesame:demo')}` })
    const closed = await ask('/_mock/spaces/demo+mine')
    expect(closed).toMatch(
      /A request of its users was refused with 401\.<\/strong> User or password is wrong: GET/,
    )
    expect(await ask('/_mock/spaces/demo+yours')).not.toContain('401')
    expect(await ask('/_mock/spaces/demo/requests/u-1', {})).toContain(
      'it had a wrong password for space demo+mine, which was not open yet. The page of all spaces lists',
    )
    expect(await ask('/_mock/spaces/demo/requests/u-2', {})).toContain('so it belongs to no space')
  })
})

describe('a path that the service does not have', () => {
  it.each([
    [
      '/integration/mailing-platform/mailing-synchronizations',
      /Did you mean \/integrations\/mailing-platform\/mailing-sync/,
    ],
    ['/sendings', /Paths begin with \/mailings or \/integrations\/mailing-platform\//],
  ])('%s is told the nearest one, or how paths begin', async (path, hint) => {
    const mock = await startMock({ hints: true })
    const { headers } = await mock.fetch(
      new Request(`http://localhost${path}`, { headers: { authorization: basic('demo') } }),
    )
    expect(headers.get('x-mock-hint')).toMatch(hint)
  })
})
