import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operationIds } from '../../src/service/operations.ts'
import { ids, startMock } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
})
afterEach(() => tester.close())

const page = (path: string) => look(tester, path)
const askedIn = (text: string) =>
  JSON.parse(/data-asked="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))

/** Every operation of both documents, as the documents themselves have them; no other spellings of a path. */
async function documented(): Promise<{ id: string; path: string; method: string }[]> {
  const documents = await Promise.all(['/openapi.json', '/control/openapi.json'].map(it => tester.get(it)))
  return documents.flatMap(({ json }) =>
    Object.entries<Record<string, Record<string, string>>>(json.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, it]) => !it['x-alias-of'])
        .map(([method, it]) => ({ id: it.operationId!, path, method: method.toUpperCase() })),
    ),
  )
}

describe('the API reference', () => {
  it('the API reference lists every operation of service and control API, each under an ID that no other has', async () => {
    const { text } = await page('/docs')
    const listed = [...text.matchAll(/<li id="(\w+)" data-operation=/g)].map(([, id]) => id)
    const all = (await documented()).map(({ id }) => id)
    expect(all.length).toBeGreaterThan(70)
    expect(listed.toSorted()).toEqual(all.toSorted())
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toEqual(expect.arrayContaining([...operationIds]))
  })

  it('the API reference lists the certificate authority with the calls of the mock', async () => {
    const { text } = await page('/docs')
    const headings = [...text.slice(0, text.indexOf('id="getCertificateAuthority"')).matchAll(/<h3>([^<]+)/g)]
    expect(headings.at(-1)![1]).toBe('Mock')
  })

  it('the API reference has a page for each of them, which asks for that request', async () => {
    for (const { id, path, method } of await documented()) {
      const { status, text } = await page(`/docs/${id}`)
      expect(status, id).toBe(200)
      expect(askedIn(text), id).toMatchObject({ method, path })
      // Where the document refers to another place in it, that place is shown.
      expect(text, id).not.toMatch(/undefined|\[object Object\]|#\/components/)
      expect(text.length, id).toBeLessThan(300_000)
    }
  })

  it('the API reference tells of an operation that there is none, and where all are', async () => {
    const { status, text } = await page('/docs/createNothing')
    expect(status).toBe(404)
    expect(wordsOf(text)).toContain('no operation createNothing; the API reference at /_mock/docs lists all')
  })

  it('the API reference is led to from every page', async () => {
    expect((await page('/')).text).toContain('<a href="/_mock/docs">API reference</a>')
  })
})

describe('the page of an operation', () => {
  it('the page of an operation tells parameters, members of the body and answers, with how sure that is and what turns it', async () => {
    const { text } = await page('/docs/createSending')
    const request = wordsOf(from({ text }, 'request'))
    expect(request).toMatch(/id in the path, text, uuid required/)
    expect(request).toMatch(/transactionId text or null, 1 to 100 characters/)
    const answers = wordsOf(from({ text }, 'answers'))
    expect(answers).toMatch(/ 201 .* 409 /)
    expect(answers).toMatch(/state "PENDING" or "CREATED" or "FAILED" or "INDETERMINATE_FAILURE" required/)
    expect(answers).toContain('dial location-on-200')
  })

  it('the page of an operation has other spellings of its path on it, and not as operations', async () => {
    const { text } = await page('/docs/listTestProfiles')
    expect(wordsOf(text)).toContain(
      'Answered alike at /integrations/mailing-platform/mailing-synchronizations/{id}/test-profiles/ ,',
    )
    expect((await page('/docs/listTestProfilesMisspelt')).status).toBe(404)
  })

  it('the page of an operation shows members of members, and of a schema that holds itself no more than once', async () => {
    const members = wordsOf(from(await page('/docs/putSpace'), 'request'))
    expect(members).toMatch(/Members of clock /)
    expect(members).toMatch(/frozen true or false/)
    const scenario = wordsOf(from(await page('/docs/putScenario'), 'request'))
    expect(scenario).toContain('tags list of text')
    expect(scenario).not.toContain('Members of tags')
  })

  it('the page of an operation is filled in with what works here: an example, and a user who may do it', async () => {
    const { text } = await page('/docs/createSending')
    expect(text).toMatch(new RegExp(`<input [^>]*name="path.id" value="${ids.ready}"`))
    expect(text).toMatch(/<input [^>]*name="user" value="demo\+try"/)
    expect(text).toMatch(/<textarea [^>]*name="body"[^>]*>\{\n {2}&quot;transactionId/)
  })

  it('the page of an operation gives a line that does the same', async () => {
    const { text } = await page('/docs/turnClock')
    const line = wordsOf(from({ text }, 'try'))
    expect(line).toContain(
      `curl -H 'Content-Type: application/json' --data-raw '{"advance":"5m"}' http://localhost/_mock/spaces/demo/clock`,
    )
  })

  it('the page of an operation asks for a scenario where the service is asked, and only there', async () => {
    expect((await page('/docs/createSending')).text).toContain('<option value="reset-after">')
    expect((await page('/docs/turnClock')).text).not.toContain('name="scenario"')
  })
})

describe('the reference', () => {
  it('the reference stands behind a path that a proxy puts before it, and asks there', async () => {
    await tester.close()
    tester = await startTester({ publicUrl: 'https://mocks.example/mailing' })
    const headers = { host: 'mocks.example', accept: 'text/html' }
    const text = await (await tester.fetch('/_mock/docs/createSending', { headers })).text()
    expect(text).toContain('href="/mailing/_mock/docs/turnClock"')
    expect(text).toContain('data-base="https://mocks.example/mailing"')
  })

  it('of a mock with a token has a place for it in the line, and never the token', async () => {
    await tester.close()
    tester = await startTester({ token: 'a-token-of-our-own' })
    const response = await tester.fetch('/_mock/docs/turnClock', {
      headers: { accept: 'text/html', 'x-mock-token': 'a-token-of-our-own' },
    })
    const text = await response.text()
    expect(wordsOf(from({ text }, 'try'))).toContain(`-H 'Authorization: Bearer <token>'`)
    expect(text).not.toContain('a-token-of-our-own')
  })

  it('the reference says on a control port that a page there can ask the service nothing, and gives the line instead', async () => {
    const mock = await startMock({ part: 'control' })
    const get = async (id: string) => {
      const request = new Request(`http://localhost/_mock/docs/${id}`, { headers: { accept: 'text/html' } })
      return (await mock.fetch(request)).text()
    }
    const service = await get('createSending')
    expect(wordsOf(service)).toMatch(/port of its own, and a browser lets this page ask nothing there/)
    expect(service).not.toContain('type="submit"')
    expect(wordsOf(service)).toMatch(/curl -u demo\+try:demo .* http:\/\/localhost:4025\/integrations/)
    const control = await get('turnClock')
    expect(control).not.toContain('id="elsewhere"')
    expect(control).toContain('type="submit"')
  })
})
