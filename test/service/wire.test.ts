import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examples } from '../../src/contract/examples/examples.ts'
import { createMock, type Mock } from '../../src/index.ts'
import { operationIds } from '../../src/service/operations.ts'
import { requestPath } from '../../src/service/request-input.ts'
import { type Files, noFiles } from '../../src/store/files.ts'
import {
  basic,
  customersPath,
  exampleRequest,
  ids,
  type Json,
  type Seen,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type User,
} from '../mock.ts'

/** What holds for every operation: media types, HAL, credentials, errors. */

/** A request to every operation that succeeds: the first of its examples. */
const rows = operationIds.map(id => ({ id, ...exampleRequest(id) }))
const reads = rows.filter(({ method }) => method === 'GET')
const changes = rows.filter(({ method }) => method !== 'GET')

const success = 'application/hal+json;charset=UTF-8'

const unknownSendings = synchronizationPath(ids.unknown, '/sendings')

describe('the examples of an operation, over a real socket', () => {
  let mock: Mock
  let url: string
  beforeAll(async () => {
    mock = await createMock()
    url = (await mock.listen()).url
  })
  afterAll(() => mock.close())

  it.each(operationIds)(
    '2 media type, S success media type: each of %s is answered with its status, in the media type of that status',
    async id => {
      expect(examples[id][0]!.status, 'the first example succeeds').toBeLessThan(300)
      for (const example of examples[id]) {
        const { method, target, headers, body } = exampleRequest(id, example)
        const verb = method.toLowerCase() as 'get' | 'post' | 'put'
        const asked = request(url)[verb](target).auth(`demo+${id}`, 'demo').set(headers).send(body)
        const answer = await asked
        const { status, text = '' } = answer
        expect(status, `${id} ${example.name}: ${text}`).toBe(example.status)
        const type = status < 400 ? success : 'application/problem+json'
        expect(answer.headers['content-type'], example.name).toBe(text === '' ? undefined : type)
      }
    },
  )

  it.each(operationIds)('those of %s have names that differ', id => {
    const names = examples[id].map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })
})

describe('success answers', () => {
  it.each(reads)('2 self, S links: every link of $id is absolute and resolves', async ({ target }) => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get(target)
    const found = linksIn(json)
    expect(found.length).toBeGreaterThan(0)
    expect(json._links.self).toBeDefined()
    for (const { href, templated } of found) {
      expect(href).toMatch(/^http:\/\/localhost\//)
      const address = templated ? href.replace('{rel}', 'sendings').replace(/\{\?.*\}$/, '') : href
      expect(address).not.toMatch(/[{}]/)
      const { status } = await mock.as('demo').get(address)
      // The latest mailing-upload is linked before there is one.
      if (!address.endsWith('/mailing-uploads/latest')) expect(status, address).toBe(200)
      else expect([200, 404]).toContain(status)
    }
  })

  it.each(reads)(
    '2 curies, S curies: $id has curies exactly if it uses a prefixed relation at its root',
    async ({ id, target }) => {
      const { json } = await (await startMock()).as('demo').get(target)
      const uses = [...Object.keys(json._links), ...Object.keys(json._embedded ?? {})].some(rel =>
        rel.startsWith('svc:'),
      )
      // Public examples of a mailing-upload have them, though it uses no prefixed relation.
      const isThere = uses || id === 'getMailingUpload'
      expect('curies' in json._links).toBe(isThere)
      if (isThere)
        expect(json._links.curies).toEqual([
          { href: 'http://localhost/_mock/relations/{rel}', name: 'svc', templated: true },
        ])
      const without = ['getPreview', 'getAccessibleCustomer', 'getCustomerList', 'getAccessibleLists']
      if (without.includes(id)) expect(uses).toBe(false)
      for (const item of Object.values<Json[]>(json._embedded ?? {}).flat())
        expect(item._links ?? {}).not.toHaveProperty('curies')
    },
  )

  it('2 ids, S IDs: IDs of the service are UUIDs in text, IDs of the platform are numbers', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.post(synchronizationPath(ids.ready, '/sendings'), {})
    for (const id of [json.id, json.mailingSynchronizationId, json.mailingId])
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    for (const id of [json.target.mailingId, json.target.sendingId]) expect(id).toBeTypeOf('number')
  })

  it('2 date-time, S date-time out: date-times are in UTC with three fraction digits', async () => {
    const demo = (await startMock()).as('demo')
    for (const { target } of reads)
      for (const [, value] of JSON.stringify((await demo.get(target)).json).matchAll(/"\w+Date":"([^"]*)"/g))
        expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('S null: what is not set is null, never left out', async () => {
    const { json } = await (await startMock())
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), {})
    expect(json).toMatchObject({ scheduleDate: null, transactionId: null })
  })

  it.each([
    'application/hal+json,application/problem+json',
    '*/*',
    'application/*',
    'application/json',
    'text/html, */*;q=0.1',
  ])('S accept: Accept %s is fine', async accept => {
    expect((await (await startMock()).as('demo').get('/mailings', { accept })).status).toBe(200)
  })

  it.each(['text/html', 'application/xml, text/*', 'application/hal+json;q=0', '*/*;q=0.000'])(
    'S accept: Accept %s leaves out every JSON type and is 406',
    async accept => {
      const mock = await startMock()
      for (const row of rows)
        expect((await mock.as('demo').play(row, { Accept: accept })).status, row.id).toBe(406)
      expect(mock.space().data.seq).toBe(0)
    },
  )
})

describe('methods and paths', () => {
  it('S 405: another method on a known path is 405 with Allow', async () => {
    const demo = (await startMock()).as('demo')
    const { status, headers } = await demo.send('DELETE', synchronizationPath(ids.ready, '/sendings'))
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS')
    expect((await demo.send('PATCH', synchronizationPath(ids.ready))).headers.get('allow')).toBe(
      'GET, HEAD, OPTIONS',
    )
    // No HEAD where there is no GET.
    expect((await demo.get(synchronizationPath(ids.ready, '/test-sendings'))).headers.get('allow')).toBe(
      'POST, OPTIONS',
    )
    expect((await demo.send('POST', synchronizationPath(ids.ready, '/test-profiles/'))).status).toBe(405)
  })

  it.each(reads)('S HEAD: HEAD of $id has the headers of GET and no body', async ({ target }) => {
    const demo = (await startMock()).as('demo')
    const { status, headers, text } = await demo.send('HEAD', target)
    expect([status, text]).toEqual([200, ''])
    const get = await demo.get(target)
    const length = String(Buffer.byteLength(get.text))
    expect(Object.fromEntries(headers)).toEqual({
      ...Object.fromEntries(get.headers),
      'content-length': length,
    })
  })

  it('S OPTIONS: OPTIONS of a known path lists its methods, and nothing opens it to other origins', async () => {
    const demo = (await startMock()).as('demo')
    const { status, headers } = await demo.send('OPTIONS', synchronizationsPath, {
      headers: { origin: 'http://localhost:3000' },
    })
    expect(status).toBe(204)
    expect(headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS')
    expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect((await demo.send('OPTIONS', '/nothing')).status).toBe(404)
  })

  it('S trailing slash: four GETs take one, everything else with one is 404', async () => {
    const demo = (await startMock()).as('demo')
    const taken = [
      `${synchronizationsPath}/`,
      `${customersPath}/`,
      synchronizationPath(ids.ready, '/test-profiles/'),
      synchronizationPath(ids.ready, '/preview/'),
    ]
    for (const path of taken) expect((await demo.get(path)).status, path).toBe(200)
    const others = reads.map(({ target }) => `${requestPath(target)}/`).filter(path => !taken.includes(path))
    expect(others).toHaveLength(reads.length - taken.length)
    for (const path of others) expect((await demo.get(path)).status, path).toBe(404)
    expect(
      (await demo.post(`${synchronizationsPath}/`, { customer: 'harbour-group', listId: 1001 })).status,
    ).toBe(405)
  })

  it.each([
    '/',
    '/nothing',
    '/mailings/x/y',
    '/integrations',
    '/integrations/other/accessible-customers',
    '/Mailings',
    '//mailings',
  ])('S 404: there is nothing at %s', async path => {
    const { status, json } = await (await startMock()).as('demo').send('GET', `http://localhost${path}`)
    expect(status).toBe(404)
    expect(json.title).toBe('Not found')
  })

  it('S addressing: the platform segment and the relation prefix are settings', async () => {
    const mock = await startMock({ names: { relationPrefix: 'acme', platformSegment: 'sender' } })
    const { status, json } = await mock
      .as('demo')
      .get(`/integrations/sender/mailing-synchronizations/${ids.ready}`)
    expect(status).toBe(200)
    expect(json._links['acme:sendings'].href).toContain('/integrations/sender/')
    expect((await mock.as('demo').get(synchronizationPath(ids.ready))).status).toBe(404)
  })
})

describe('credentials', () => {
  it.each(rows)(
    '5/1, 4 authentication: $id without credentials is 401 with a challenge',
    async ({ target, ...request }) => {
      const mock = await startMock()
      const response = await mock.fetch(new Request(`http://localhost${target}`, request))
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
    },
  )

  it.each([
    ['an unknown user', basic('nobody')],
    ['a wrong password', basic('demo', 'wrong')],
    ['no colon', `Basic ${btoa('demo')}`],
    ['no base64', 'Basic ***'],
    ['another scheme', 'Bearer demo'],
    ['nothing behind the scheme', 'Basic '],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
    ['an empty private space', basic('demo+')],
    ['an endless user name', basic(`demo+${'x'.repeat(300)}`)],
    ['a control character in the user name', basic('demo+\u0000x')],
    ['a C1 character in the user name, which a terminal obeys', basic('demo+\u009b31m')],
    ['a character in the user name that turns the direction of text', basic('demo+\u202ex')],
    ['a character in the user name that isolates a direction of text', basic('demo+\u2067x')],
    ['two headers at once', `${basic('demo')}, ${basic('demo')}`],
    ['a space name for a user', basic('__proto__')],
  ])('5/1, S 401: %s is 401, and the answer repeats nothing of it', async (_, authorization) => {
    const mock = await startMock()
    const response = await mock.fetch(
      new Request('http://localhost/mailings', { headers: { authorization } }),
    )
    expect(response.status).toBe(401)
    const text = await response.text()
    expect(text).not.toContain(authorization.slice(6, 26).trim() || '\0')
    expect(mock.spaces.names()).toEqual(['demo'])
  })

  it('an unknown user and a wrong password are answered alike', async () => {
    const mock = await startMock()
    const answer = async (authorization: string) =>
      (await mock.fetch(new Request('http://localhost/mailings', { headers: { authorization } }))).text()
    expect(await answer(basic('nobody'))).toBe(await answer(basic('demo', 'wrong')))
  })

  it.each(changes)('5/3, S missing right: $id needs the right write', async row => {
    const mock = await startMock()
    const { status, json } = await mock.as('demo-viewer').play(row)
    expect(status).toBe(403)
    expect(json.detail).toContain('"write"')
    expect(mock.space().data.seq).toBe(0)
  })

  it.each(reads)('S rights: $id needs the right read only', async ({ target }) => {
    expect((await (await startMock()).as('demo-viewer').get(target)).status).toBe(200)
  })
})

describe('errors', () => {
  it('7 format, S error media type, S problem members: a general error has type, title, status, detail and _links', async () => {
    const mock = await startMock()
    const { headers, json } = await mock.as('demo').get('/mailings/nothing')
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(Object.keys(json)).toEqual(['type', 'title', 'status', 'detail', '_links'])
    expect(json.status).toBe(404)
    expect(json.detail).toBe('There is no mailing nothing')
    expect((await mock.as('demo').get(json.type)).status).toBe(200)
  })

  it('S validation members: a failed validation lists generalErrors and invalidFields', async () => {
    const { json } = await (await startMock()).as('demo').get('/mailings?pageSize=x&hasDraft=maybe')
    expect(Object.keys(json)).toEqual(['type', 'title', 'status', 'generalErrors', 'invalidFields', '_links'])
    expect(json.invalidFields).toEqual([
      { field: 'hasDraft', problem: 'expected true or false, got "maybe"' },
      { field: 'pageSize', problem: 'expected a whole number, got "x"' },
    ])
  })

  it.each([
    ['no JSON', '{"a":'],
    ['nothing', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['text', '"a"'],
    ['too deep', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['far too deep', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a member twice', '{"name":"JSON","name":"JSON"}'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('S 400: a body with %s is 400 and changes nothing', async (_, body) => {
    const mock = await startMock()
    const { status, json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), body)
    expect(status).toBe(400)
    expect(JSON.stringify(json)).toMatch(/JSON|expected|deep|UTF-8|more than once/)
    expect(mock.space().data.seq).toBe(0)
  })

  it.each([
    ['at the top', '{"transactionId":"one","transactionId":"two"}', 'transactionId'],
    ['written in two ways', '{"name":"a","na\\u006de":"a"}', 'name'],
    ['with one value', '{"subject":"a", "subject" : "a"}', 'subject'],
    ['in an object in an array', '{"x":[{"name":1},{"y":{"z":1,"z":2}}]}', 'z'],
    ['called like a part of every object', '{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('S repeated members: a member twice, %s, is 400 and named', async (_, body, name) => {
    const mock = await startMock({ hints: true })
    const answer = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), body)
    expect(answer.status).toBe(400)
    expect(answer.json.detail).toContain(`"${name}" more than once`)
    expect(answer.headers.get('x-mock-hint')).toContain(`"${name}" more than once`)
    expect(mock.space().data.seq).toBe(0)
  })

  it('S repeated members: the same member in several objects, and what looks like one in a text, is taken', async () => {
    const body = String.raw`{"name":"\"name\":1,\\","subject":"{\"a\":1,\"a\":2}","x":[{"name":1},{"name":{"name":"\u0022:"}}]}`
    const { status } = await (await startMock())
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), body)
    expect(status).toBe(201)
  })

  it.each(['utf-16', 'ISO-8859-1', '"windows-1252"', 'UTF-7; x=1'])(
    'S charset: a body in %s is 415 and named, whatever it holds',
    async charset => {
      const mock = await startMock({ hints: true })
      const headers = { 'content-type': `application/json; Charset=${charset}` }
      const answer = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), {}, headers)
      expect(answer.status).toBe(415)
      expect(answer.headers.get('x-mock-hint')).toMatch(/charset "[\w-]+"; a body is UTF-8/)
    },
  )

  it.each(['utf-8', '"UTF-8"', 'utf8', 'US-ASCII'])('S charset: a body in %s is taken', async charset => {
    const headers = { 'content-type': `application/json;charset=${charset}` }
    const demo = (await startMock()).as('demo')
    expect((await demo.post(synchronizationPath(ids.ready, '/sendings'), {}, headers)).status).toBe(201)
  })

  it.each<[string, string, (demo: User) => Promise<Seen>, number]>([
    [
      'credentials',
      'the path',
      demo => demo.send('GET', '/nothing', { headers: { authorization: 'Basic eDp4' } }),
      401,
    ],
    ['the path', 'Accept', demo => demo.get('/nothing', { accept: 'image/png' }), 404],
    [
      'the method',
      'Accept',
      demo => demo.send('PATCH', '/mailings', { headers: { accept: 'image/png' } }),
      405,
    ],
    ['Accept', 'the query', demo => demo.get('/mailings?pageSize=0', { accept: 'image/png' }), 406],
    ['the query', 'what the path names', demo => demo.get(`${unknownSendings}?pageSize=0`), 400],
    [
      'Content-Type',
      'members',
      demo => demo.post(unknownSendings, { name: 5 }, { 'content-type': 'text/plain' }),
      415,
    ],
    ['members', 'what the path names', demo => demo.post(unknownSendings, { name: 5 }), 400],
    [
      'members beside a transaction ID',
      'what the path names',
      demo => demo.post(unknownSendings, { transactionId: 'a', name: 5 }),
      400,
    ],
    [
      'members of a test sending',
      'what the path names',
      demo => demo.post(synchronizationPath(ids.unknown, '/test-sendings'), { kind: 5 }),
      400,
    ],
    [
      'members of a configuration',
      'what the path names',
      demo => demo.put(`${customersPath}/nobody/configuration/accessible-lists`, { permitAll: 5 }),
      400,
    ],
    [
      'a date that has passed',
      'approval',
      demo =>
        demo.post(synchronizationPath(ids.draftOnly, '/sendings'), {
          scheduleDate: '2001-01-01T00:00:00.000Z',
        }),
      400,
    ],
  ])('S order of checks: %s is told before %s', async (_, __, ask, status) => {
    expect((await ask((await startMock()).as('demo'))).status).toBe(status)
  })

  it('S order of checks, 4.1/9: a repeat is found before its other members are checked', async () => {
    const demo = (await startMock({ dials: { 'unknown-request-members': 'refused' } })).as('demo')
    const path = synchronizationPath(ids.ready, '/sendings')
    await demo.post(path, { transactionId: 'a' })
    expect(
      (await demo.post(path, { transactionId: 'a', name: 5, scheduleDate: 'x', unknown: 1 })).status,
    ).toBe(200)
  })

  it('S 415: a body without Content-Type is 415, no body at all is told what is the least', async () => {
    const mock = await startMock()
    const path = synchronizationPath(ids.ready, '/sendings')
    const bare = await mock.as('demo').send('POST', path, { body: new Uint8Array([0x7b, 0x7d]) })
    expect(bare.status).toBe(415)
    const none = await mock.as('demo').send('POST', path)
    expect(none.status).toBe(400)
    expect(none.json.detail).toContain('{}')
  })

  it.each(['announced', 'in pieces'])('S 413: a body over 1 MiB, %s, is 413', async how => {
    const demo = (await startMock()).as('demo')
    const path = synchronizationPath(ids.ready, '/sendings')
    const body = JSON.stringify({ name: 'x'.repeat(1 << 20) })
    const stream = new Blob([body]).stream()
    const { status } =
      how === 'announced'
        ? await demo.post(path, body, { 'content-length': String(body.length) })
        : await demo.send('POST', path, {
            body: stream,
            duplex: 'half',
            headers: { 'content-type': 'application/json' },
          } as RequestInit & { headers: Record<string, string> })
    expect(status).toBe(413)
    expect((await demo.post(path, { name: 'x'.repeat((1 << 20) - 20) })).status).toBe(201)
  })

  it('S additive: unknown members and parameters are ignored, whatever their name', async () => {
    const mock = await startMock()
    const body = '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"unknown":[1],"transactionId":"a"}'
    expect((await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), body)).status).toBe(201)
    expect((await mock.as('demo').get('/mailings?unknown=1&__proto__=2')).status).toBe(200)
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it.each(['0', '1001', '-1', '1.5', 'x', '', '1e2', '99999999999999999999'])(
    '8 pageSize default, S page size: pageSize=%s is 400',
    async size => {
      const { status, json } = await (await startMock()).as('demo').get(`/mailings?pageSize=${size}`)
      expect(status).toBe(400)
      expect(json.invalidFields[0].field).toBe('pageSize')
    },
  )

  it('S foreign space: an ID of another space is answered like an unknown one', async () => {
    const mock = await startMock()
    const { json } = await mock
      .as('demo+a')
      .post(synchronizationsPath, { customer: 'harbour-group', listId: 1001 })
    const foreign = await mock.as('demo+b').get(synchronizationPath(json.id))
    const unknown = await mock.as('demo+c').get(synchronizationPath(json.id))
    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(unknown.text)
  })

  it('7 500, S 500, 4.1/7: when nothing can be recorded, the answer is 500 and nothing was done', async () => {
    const errors: unknown[] = []
    const mock = await startMock({ files: brokenFiles, report: error => errors.push(error) })
    const { status, json } = await mock
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'a' })
    expect(status).toBe(500)
    expect(json.detail).not.toContain('disk')
    expect(String(errors)).toContain('disk full')
    expect(mock.space().data.tables.sendingOfTransaction(ids.ready, 'a')).toBeUndefined()
  })

  it('S transactionId after 500: when nothing was done before the 500, the repeat is the first to be processed', async () => {
    let broken = true
    const files: Files = {
      ...brokenFiles,
      appender: (...log) => ({
        ...noFiles.appender(...log),
        append: lines => broken && brokenFiles.appender(...log).append(lines),
      }),
    }
    const demo = (await startMock({ files, report: () => {} })).as('demo')
    const create = () => demo.post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'a' })
    expect((await create()).status).toBe(500)
    broken = false
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(200)
  })
})

function linksIn(document: Json): { href: string; templated?: boolean }[] {
  if (Array.isArray(document)) return document.flatMap(linksIn)
  if (typeof document !== 'object' || document === null) return []
  return typeof document.href === 'string' ? [document] : Object.values(document).flatMap(linksIn)
}

const brokenFiles: Files = {
  ...noFiles,
  persistent: true,
  appender: (...log) => ({
    ...noFiles.appender(...log),
    append() {
      throw new Error('disk full')
    },
  }),
}
