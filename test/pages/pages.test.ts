import { describe, expect, it } from 'vitest'
import { examples } from '../../src/contract/examples/examples.ts'
import { relations } from '../../src/pages/relation-page.tsx'
import { problemKinds } from '../../src/service/problem.ts'
import {
  exampleRequest,
  ids,
  type Json,
  readIds,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type TestMock,
} from '../mock.ts'

const open = async (mock: TestMock, address: string) => {
  const response = await mock.fetch(
    new Request(new URL(address, 'http://localhost'), { headers: { accept: 'text/html' } }),
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('pages that links of the service open', () => {
  it('S links that open pages: editor, previews and report open without credentials, and load nothing', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get(synchronizationPath(ids.both))
    const sendings = (await mock.as('demo').get(json._links['svc:sendings'].href)).json._embedded[
      'svc:sendings'
    ]
    const links = [
      json._links['svc:mailing-editor'],
      json._links['svc:mailing-preview-draft'],
      json._links['svc:mailing-preview-approved'],
      sendings[0]._links['svc:report'],
    ]
    for (const { href } of links) {
      const { status, headers, text } = await open(mock, href)
      expect(status, href).toBe(200)
      expect(headers.get('content-type')).toBe('text/html; charset=UTF-8')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(text).not.toMatch(/<script(?! src="\/_mock\/assets\/)|src="http|href="http| on\w+=/)
    }
  })

  it('a page of a private space shows that copy, and looking at a page makes none', async () => {
    const mock = await startMock()
    const { json } = await mock
      .as('demo+a/b')
      .post(synchronizationsPath, { customer: 'harbour-group', listId: 1001, mailingName: 'Only here' })
    expect((await open(mock, json._links['svc:mailing-editor'].href)).text).toContain('Only here')
    const other = json._links['svc:mailing-editor'].href.replace(
      encodeURIComponent('demo+a/b'),
      'demo%2Bother',
    )
    expect((await open(mock, other)).status).toBe(404)
    expect(mock.spaces.names()).not.toContain('demo+other')
  })

  it('what a client named is escaped, in text and inside the sandboxed frame', async () => {
    const hostile = `</title><script>alert(1)</script>"'>`
    const mock = await startMock({
      fixture: base => ({
        ...base,
        mailings: base.mailings.map(it => ({
          ...it,
          draft: it.draft && {
            ...it.draft,
            name: hostile,
            subject: hostile,
            html: `<p>${hostile}</p>`,
            text: hostile,
          },
        })),
      }),
    })
    const { json } = await mock.as('demo').get(synchronizationPath(ids.draftOnly))
    for (const rel of ['svc:mailing-editor', 'svc:mailing-preview-draft']) {
      const { text } = await open(mock, json._links[rel].href)
      expect(text).not.toMatch(/<script>|alert\(1\)<\/script>/)
      expect(text).toContain('&lt;script&gt;')
    }
    expect((await open(mock, json._links['svc:mailing-preview-draft'].href)).text).toMatch(
      /<iframe sandbox="" title/,
    )
  })

  it('the report shows the figures of the statistics resource', async () => {
    const mock = await startMock()
    const path = synchronizationPath(ids.both, `/sendings/${ids.sending.created}`)
    const { sendingStatistics } = (await mock.as('demo').get(`${path}/statistics`)).json
    const { json } = await mock.as('demo').get(path)
    const { text } = await open(mock, json._links['svc:report'].href)
    expect(text).toContain(`<dd>${sendingStatistics.deliveredMailsCount.toLocaleString('en')}</dd>`)
    expect(text).toContain('CREATED')
  })

  it('2 curies: each relation that an answer uses is documented where curies lead', async () => {
    const mock = await startMock()
    const used = new Set<string>()
    const collect = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key.startsWith('svc:')) used.add(key.slice(4))
        collect(inner)
      }
    }
    for (const id of readIds)
      for (const example of examples[id])
        collect((await mock.as('demo').get(exampleRequest(id, example).target)).json)
    expect(used.size).toBeGreaterThan(8)
    for (const rel of used) {
      expect([...relations.keys()]).toContain(rel)
      expect(relations.get(rel)!.says.size, rel).toBeGreaterThan(0)
      const { status, text } = await open(mock, `/_mock/relations/${rel}`)
      expect(status).toBe(200)
      expect(text).toMatch(/<li><a href="\/_mock\/docs\/\w+">/)
    }
  })

  it('each problem is documented where its type leads', async () => {
    const mock = await startMock()
    for (const [name, { title }] of Object.entries(problemKinds)) {
      const { status, text } = await open(mock, `/_mock/problems/${name}`)
      expect(status).toBe(200)
      expect(text).toContain(title)
    }
    for (const name of ['nothing', '__proto__', 'constructor'])
      expect((await open(mock, `/_mock/problems/${name}`)).status).toBe(404)
  })
})
