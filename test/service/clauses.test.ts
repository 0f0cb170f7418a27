import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { examples } from '../../src/contract/examples/examples.ts'
import { idOf } from '../../src/service/claim.ts'
import type { Operation } from '../../src/service/operation.ts'
import { operationIds, operations } from '../../src/service/operations.ts'
import { createdSendingForm } from '../../src/service/sendings/routes.ts'
import {
  customersPath,
  exampleRequest,
  halType,
  ids,
  type Json,
  now,
  startMock,
  synchronizationPath,
  synchronizationsPath,
} from '../mock.ts'

/** Sentences of the document that stand on their own. */

const sending = ids.sending.created
const items = (json: Json): Json[] => Object.values<Json[]>(json._embedded)[0]!

const namesIn = (path: string) => [...path.matchAll(/:(?!platform)(\w+)/g)].map(([, name]) => name!)

/** The variables of every path, each with the clauses about it. */
const variables = operationIds.flatMap(id => {
  const { path, parameters }: Operation = operations[id]
  return namesIn(path).map(name => [parameters[name]!.map(idOf).join(', '), id, name] as const)
})

/** What is there, but has nothing of what a longer path asks for. */
const otherOwners: Readonly<Record<string, string>> = { syncId: ids.draftOnly, customer: 'scenario-lab' }

describe('what a path names', () => {
  it.each(variables)(
    '%s: %s with what :%s names is answered, with anything else it is 404',
    async (_, id, name) => {
      const demo = (await startMock()).as('demo')
      const example = examples[id][0]!
      const play = (value: string) =>
        demo.play(exampleRequest(id, { ...example, at: { ...example.at, [name]: value } }))
      const value = String(example.at![name])
      expect((await play(value)).status).toBeLessThan(300)
      const others = new Set([ids.unknown, value.slice(0, -1), `${value}0`, value.toUpperCase()])
      others.delete(value)
      if (name !== namesIn(operations[id].path).at(-1)) {
        const other = otherOwners[name]
        others.add(other ?? expect.fail(`name another owner of what stands behind :${name} in otherOwners`))
      }
      for (const other of others) expect((await play(other)).status, other).toBe(404)
    },
  )
})

describe('common rules', () => {
  it('2 addresses, 9: every address starts with the base URL, and no version stands in the path', async () => {
    const demo = (await startMock({ origin: 'http://mock:8080' })).as('demo')
    const hrefs = [...(await demo.get(synchronizationsPath)).text.matchAll(/"href":"([^"]*)"/g)].map(
      ([, href]) => href!,
    )
    expect(hrefs.length).toBeGreaterThan(50)
    for (const href of hrefs) {
      expect(href).toMatch(/^http:\/\/mock:8080\//)
      expect(href).not.toMatch(/\/v\d/)
    }
  })

  it('2 hal, S list synchronizations: a collection is embedded under its relation, beside links', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(synchronizationsPath)
    expect(Object.keys(json)).toEqual(['_embedded', '_links'])
    expect(Object.keys(json._embedded)).toEqual(['svc:mailing-synchronizations'])
    for (const item of items(json)) {
      // On a test synchronization a scenario may turn dials.
      if (item.target.customer === 'scenario-lab') continue
      const { _links, ...alone } = (await demo.get(item._links.self.href)).json
      const { curies, ...links } = _links
      expect(item).toEqual({ ...alone, _links: links })
    }
  })

  it('2 relation prefix, 2 path segment: both are settings', async () => {
    const mock = await startMock({ names: { relationPrefix: 'acme', platformSegment: 'sender' } })
    const { json } = await mock.as('demo').get('/integrations/sender/accessible-customers')
    expect(Object.keys(json._embedded)).toEqual(['acme:accessible-customers'])
    expect(json._links.curies[0].name).toBe('acme')
  })

  it('2 numeric ids: IDs of lists, profiles, groups and of the platform are numbers', async () => {
    const demo = (await startMock()).as('demo')
    const found = [
      ...items((await demo.get(`${customersPath}/lindenau/lists`)).json).map(({ id }) => id),
      ...items((await demo.get(synchronizationPath(ids.ready, '/test-profiles'))).json).map(({ id }) => id),
      ...items((await demo.get(synchronizationPath(ids.ready, '/test-mail-groups'))).json).map(
        ({ id }) => id,
      ),
      ...Object.values((await demo.get(synchronizationPath(ids.both, `/sendings/${sending}`))).json.target),
    ]
    expect(found.length).toBeGreaterThan(7)
    for (const id of found) expect(id).toBeTypeOf('number')
  })

  it('2.1 mailing-editor, 2.1 single: a mailing links to its editor, alone and in the collection', async () => {
    const mock = await startMock()
    const single = (await mock.as('demo').get(`/mailings/${ids.mailing.ready}`)).json
    expect(Object.keys(single)).toEqual(['id', '_links'])
    for (const item of [single, ...items((await mock.as('demo').get('/mailings')).json)]) {
      const page = await mock.fetch(new Request(item._links['svc:mailing-editor'].href))
      expect(await page.text()).toContain(item.id)
    }
  })

  it.each([
    ['2.2 self', 'self', ids.both],
    ['2.2 mailing-editor', 'svc:mailing-editor', ids.mailing.both],
    ['2.2 mailing-preview-draft', 'svc:mailing-preview-draft', 'draft version'],
    ['2.2 mailing-preview-approved', 'svc:mailing-preview-approved', 'approved version'],
    ['2.2 sendings', 'svc:sendings', sending],
    ['2.2 mailing-uploads', 'svc:mailing-uploads', '44444444-'],
  ])('%s: the link %s leads to what it is called after', async (_, rel, expected) => {
    const demo = (await startMock()).as('demo')
    await demo.post(synchronizationPath(ids.both, '/mailing-uploads'))
    const { json } = await demo.get(synchronizationPath(ids.both))
    const { status, text } = await demo.get(json._links[rel].href)
    expect(status).toBe(200)
    if (rel === 'svc:mailing-uploads') expect(JSON.parse(text).creationDate).toBe(now)
    else expect(text).toContain(expected)
  })

  it('2.3 report: the report of a sending opens', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get(synchronizationPath(ids.both, `/sendings/${sending}`))
    const page = await mock.fetch(new Request(json._links['svc:report'].href))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(sending)
  })

  it('2.5 sendingStatistics.startDate, 2.5 sendingStatistics.endDate, 4 content type: a body of application/hal+json is taken, and the sending starts at once', async () => {
    const mock = await startMock()
    const { json } = await mock
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), {}, { 'content-type': halType })
    const { sendingStatistics } = (await mock.as('demo').get(`${json._links.self.href}/statistics`)).json
    expect(sendingStatistics).toMatchObject({ startDate: now, endDate: null })
  })

  it('6: nothing is called from here: no connection is made when something is sent', async () => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    const demo = (await startMock()).as('demo')
    expect((await demo.post(synchronizationPath(ids.ready, '/sendings'))).status).toBe(201)
    expect(
      (await demo.post(synchronizationPath(ids.ready, '/test-sendings'), { testMailGroupId: 8001 })).status,
    ).toBe(202)
    expect(connect).not.toHaveBeenCalled()
    connect.mockRestore()
  })
})

describe('bodies and answers', () => {
  it('4.1 empty body, 4.1 response: an empty object is enough, the answer is the sending with the editor mailing', async () => {
    const { status, json } = await (await startMock())
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), {})
    expect(status).toBe(201)
    expect(Object.keys(json)).toEqual([...Object.keys(createdSendingForm.members), '_links'])
    expect(Object.keys(json)).toContain('mailingId')
  })

  it('4.1 transactionId: null counts as not given', async () => {
    const { status, json } = await (await startMock())
      .as('demo')
      .post(synchronizationPath(ids.ready, '/sendings'), {
        transactionId: null,
        scheduleDate: null,
        name: null,
        subject: null,
      })
    expect([status, json.transactionId]).toEqual([201, null])
  })

  it('4.2 transactionId: it is that of the first request, whoever reads it', async () => {
    const { json } = await (await startMock())
      .as('demo-viewer')
      .get(synchronizationPath(ids.both, `/sendings/${sending}`))
    expect(json.transactionId).toBe('spring-launch-2026-03-04')
  })

  it('4.3 shape, S sendings order, S sendings pageSize: sendings are embedded in the order they were made, in pages', async () => {
    const demo = (await startMock()).as('demo')
    const path = synchronizationPath(ids.failedTwice, '/sendings?includeAllStates=true')
    const all = (await demo.get(path)).json
    expect(Object.keys(all._embedded)).toEqual(['svc:sendings'])
    expect(all._links.self.href).toBe(`http://localhost${path}`)
    const dates = items(all).map(({ creationDate }) => creationDate)
    expect(dates).toEqual([...dates].sort())
    expect(items((await demo.get(`${path}&pageSize=1`)).json)).toEqual(items(all).slice(0, 1))
  })

  it('4.10 body, 4.10 effect, S upload unsent: an upload of everything, on the target list, with nothing sent', async () => {
    const mock = await startMock()
    const { status, json } = await mock
      .as('demo')
      .post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    expect(status).toBe(200)
    const { platformMailings, platformSendings } = mock.space().data.tables
    expect(platformMailings.get(json.target.mailingId)).toMatchObject({
      listId: 1001,
      mailingId: ids.mailing.ready,
      approvedAt: null,
    })
    expect([...platformSendings.changes()]).toEqual([])
  })

  it('4.16 created, 4.16 replaced: the first PUT is 201, the next 200, each with the configuration', async () => {
    const demo = (await startMock()).as('demo')
    const path = `${customersPath}/harbour-group/configuration/accessible-lists`
    for (const expected of [201, 200]) {
      const { status, json } = await demo.put(path, { permitAll: false, permittedLists: [1001] })
      expect(status).toBe(expected)
      expect(json).toMatchObject({ permitAll: false, permittedLists: [1001] })
    }
  })

  it('4.16 optional members: each of the two may be absent, unless nothing would be permitted', async () => {
    const demo = (await startMock()).as('demo')
    const path = `${customersPath}/harbour-group/configuration/accessible-lists`
    expect((await demo.put(path, { permittedLists: [1001] })).json).toMatchObject({ permitAll: false })
    expect((await demo.put(path, { permitAll: true })).json).toMatchObject({ permittedLists: [] })
    expect((await demo.put(path, {})).status).toBe(400)
  })

  it.each([
    ['sendings', synchronizationPath(ids.ready, '/sendings')],
    ['a preview', synchronizationPath(ids.ready, '/preview')],
    ['synchronizations', synchronizationsPath],
    ['a customer', `${customersPath}/harbour-group`],
    ['a list', `${customersPath}/harbour-group/lists/1001`],
  ])('S 200: GET of %s is answered 200', async (_, path) => {
    expect((await (await startMock()).as('demo').get(path)).status).toBe(200)
  })

  it('S test sending optional members: addresses are enough', async () => {
    const demo = (await startMock()).as('demo')
    const path = synchronizationPath(ids.ready, '/test-sendings')
    expect((await demo.post(path, { recipientAddresses: ['a@example.com'] })).status).toBe(202)
  })

  it('S transactionId rejected: an ID of a request that was refused with 4xx can be used again', async () => {
    const demo = (await startMock()).as('demo')
    const path = synchronizationPath(ids.ready, '/sendings')
    expect((await demo.post(path, { transactionId: 'a', scheduleDate: '2020-01-01T00:00:00Z' })).status).toBe(
      400,
    )
    expect((await demo.post(path, { transactionId: 'a' })).status).toBe(201)
  })

  it('S sendings use approved: a sending has the approved version, even when there is a newer draft', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').post(synchronizationPath(ids.both, '/sendings'))
    const { platformMailings, mailings } = mock.space().data.tables
    const made = platformMailings.get(json.target.mailingId)!
    const { approved, draft } = mailings.get(made.mailingId)!
    expect(made.version).toBe(approved!.number)
    expect(draft!.number).toBeGreaterThan(approved!.number)
  })

  it('S approval: the approved version stays beside a draft that came after it', async () => {
    const demo = (await startMock()).as('demo')
    const [approved, draft] = await Promise.all(
      ['lastApproved', 'draft'].map(kind => demo.get(synchronizationPath(ids.both, `/preview?kind=${kind}`))),
    )
    expect([approved!.status, draft!.status]).toEqual([200, 200])
    expect(approved!.json.subject).not.toBe(draft!.json.subject)
  })

  it('S list self, S showAllLists, S no curies: a listed list leads to itself, without curies', async () => {
    const demo = (await startMock()).as('demo')
    for (const item of items((await demo.get(`${customersPath}/lindenau/lists?showAllLists=true`)).json)) {
      const { json } = await demo.get(item._links.self.href)
      expect(json).toEqual(item)
      expect(Object.keys(json._links)).toEqual(['self'])
    }
    expect((await demo.get(`${customersPath}/lindenau/lists?showAllLists=1`)).status).toBe(400)
  })
})

describe('creating and listing synchronizations', () => {
  const body = { customer: 'harbour-group', listId: 1001 }

  it('S create synchronization customer, S create synchronization listId: both are required, and must fit each other', async () => {
    const demo = (await startMock()).as('demo')
    expect(
      (await demo.post(synchronizationsPath, {})).json.invalidFields.map(({ field }: Json) => field),
    ).toEqual(['customer', 'listId'])
    expect((await demo.post(synchronizationsPath, { ...body, listId: 3001 })).status).toBe(400)
  })

  it('S create synchronization mailingName: it names the new mailing and is ignored beside a mailing ID', async () => {
    const demo = (await startMock()).as('demo')
    expect((await demo.post(synchronizationsPath, { ...body, mailingName: 'Mine' })).json.mailingName).toBe(
      'Mine',
    )
    const mailingId = ids.mailing.ready
    expect(
      (await demo.post(synchronizationsPath, { ...body, mailingName: 'Mine', mailingId })).json.mailingName,
    ).toBe('Winter service week')
  })

  it('S create synchronization synchronous, S create synchronization status: it answers 201 with Location, and is there at once', async () => {
    const demo = (await startMock()).as('demo')
    const { status, headers, json } = await demo.post(synchronizationsPath, body)
    expect(status).toBe(201)
    expect((await demo.get(headers.get('location')!)).json).toEqual(json)
    expect(items((await demo.get(synchronizationsPath)).json).at(-1)!.id).toBe(json.id)
  })

  it('S create synchronization several: a mailing may have several, even to the same list', async () => {
    const demo = (await startMock()).as('demo')
    const mailingId = ids.mailing.ready
    for (let n = 0; n < 2; n++)
      expect((await demo.post(synchronizationsPath, { ...body, mailingId })).status).toBe(201)
    expect(items((await demo.get(`${synchronizationsPath}?mailingId=${mailingId}`)).json)).toHaveLength(3)
  })

  it('S synchronization final: it can be neither changed nor deleted', async () => {
    const demo = (await startMock()).as('demo')
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await demo.send(method, synchronizationPath(ids.ready))).status).toBe(405)
  })

  it('S list synchronizations pageSize, S pagination, S incremental sync pages, S incremental sync token: a page has next or the token link, never both', async () => {
    const demo = (await startMock()).as('demo')
    let next: string | undefined = `${synchronizationsPath}?syncModifications=true&pageSize=25`
    let pages = 0
    let token: string | undefined
    while (next) {
      const { json } = await demo.get(next)
      next = json._links.next?.href
      token = json._links['svc:upcoming-modifications']?.href
      expect([next, token].filter(Boolean)).toHaveLength(1)
      expect(items(json).length).toBeLessThanOrEqual(25)
      pages++
    }
    expect(pages).toBe(4)
    expect(token).toMatch(/\?syncToken=[^&]+&syncModifications=true$/)
    const { json } = await demo.get(token!)
    expect(items(json)).toEqual([])
    expect(json._links['svc:upcoming-modifications']).toBeDefined()
  })

  it('S sorted modifications: order and incremental synchronization exclude each other', async () => {
    const { status, json } = await (await startMock())
      .as('demo')
      .get(`${synchronizationsPath}?syncModifications=true&sortBy=mailingName`)
    expect(status).toBe(400)
    expect(json.generalErrors).toHaveLength(1)
  })
})

describe('test sendings', () => {
  const path = synchronizationPath(ids.both, '/test-sendings')
  const made = async (body: object) => {
    const mock = await startMock({
      fixture: base => ({
        ...base,
        mailings: base.mailings.map(it => ({
          ...it,
          draft: it.draft && { ...it.draft, subject: 'Hello {{firstName|you}}' },
        })),
      }),
    })
    expect((await mock.as('demo').post(path, body)).status).toBe(202)
    const { platformSendings, platformMailings } = mock.space().data.tables
    const sent = platformSendings.at(platformSendings.size - 1)
    return { sent, mailing: platformMailings.get(sent.platformMailingId)! }
  }

  it('S test sending recipientAddresses, S test sending testMailGroupId: it goes to the addresses, or to those of the group', async () => {
    expect((await made({ recipientAddresses: ['a@example.com'] })).sent.addresses).toEqual(['a@example.com'])
    const { emails } = items(
      (await (await startMock()).as('demo').get(synchronizationPath(ids.both, '/test-mail-groups'))).json,
    )[0]!
    expect((await made({ testMailGroupId: 8001 })).sent.addresses).toEqual(emails)
  })

  it('S test sending kind, S test sending subjectPrefix, S test sending testProfileId: version, prefix and profile are applied', async () => {
    const { mailing: draft } = await made({ testMailGroupId: 8001 })
    const { mailing: approved } = await made({
      testMailGroupId: 8001,
      kind: 'lastApproved',
      subjectPrefix: 'T: ',
    })
    expect(draft.version).toBeGreaterThan(approved.version)
    expect(approved.subject.startsWith('T: ')).toBe(true)
    expect((await made({ testMailGroupId: 8001, testProfileId: 7001 })).mailing.subject).toBe('Hello Nadia')
    expect(draft.subject).toBe('Hello you')
  })
})

describe('errors', () => {
  it('7 other failures, S general error, S no 422, S 403, S 410: what fails has its usual status, and says why', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const failures: [Json, number][] = [
      [await demo.post(synchronizationPath(ids.ready, '/sendings'), { transactionId: ' ' }), 400],
      [await mock.as('demo-viewer').post(synchronizationPath(ids.ready, '/sendings')), 403],
      [await demo.post(synchronizationsPath, { customer: 'lindenau', listId: 2002 }), 403],
      [await demo.get('/mailings/nothing'), 404],
      [await demo.get('/mailings?cursor=x'), 410],
      [await demo.get(`${synchronizationsPath}?syncModifications=true&syncToken=x`), 410],
    ]
    for (const [{ status, json, headers }, expected] of failures) {
      expect(status).toBe(expected)
      expect(headers.get('content-type')).toBe('application/problem+json')
      expect(json._links.describedby.href).toBe(`http://localhost${json.type}`)
      if (status !== 400) expect(json.detail).toBeTypeOf('string')
    }
  })

  it('S credentials: a space has several pairs of credentials, with different rights', async () => {
    const mock = await startMock()
    expect((await mock.as('demo').get('/mailings')).text).toBe(
      (await mock.as('demo-viewer').get('/mailings')).text,
    )
    expect((await mock.as('demo-viewer').post(synchronizationPath(ids.ready, '/sendings'))).status).toBe(403)
  })

  it('8 rate limit: nothing holds unless it is turned on', async () => {
    const demo = (await startMock()).as('demo')
    for (let n = 0; n < 700; n++) {
      const { status, headers } = await demo.get(`/mailings/${ids.mailing.ready}`)
      expect(status).toBe(200)
      expect(headers.has('x-ratelimit-limit')).toBe(false)
    }
  })

  it('S rate limit, S rate limit headers, S 429: once turned on, requests beyond it in a minute of the space are 429', async () => {
    const mock = await startMock({ rateLimit: 600 })
    const get = (user = 'demo') => mock.as(user).get(`/mailings/${ids.mailing.ready}`)
    const seen = ({ status, headers }: Awaited<ReturnType<typeof get>>) => [
      status,
      ...['limit', 'remaining', 'reset'].map(name => headers.get(`x-ratelimit-${name}`)),
    ]
    expect(seen(await get())).toEqual([200, '600', '599', '60'])
    mock.clock.advance(20_500)
    for (let n = 0; n < 598; n++) await get()
    expect(
      seen(
        await mock
          .as('demo')
          .get('/nothing')
          .then(it => it),
      ),
    ).toEqual([404, '600', '0', '40'])
    const refused = await get()
    expect(seen(refused)).toEqual([429, '600', '0', '40'])
    expect(refused.json.detail).toContain('600')
    expect((await get('demo+x')).status).toBe(200)
    mock.clock.advance(39_500)
    expect(seen(await get())).toEqual([200, '600', '599', '60'])
  })
})
