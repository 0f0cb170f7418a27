import { describe, expect, it } from 'vitest'
import { mailingId } from '../../src/contract/examples/fixture-ids.ts'
import type { Fixture } from '../../src/store/rows.ts'
import {
  customersPath,
  ids,
  type Json,
  now,
  packagedScenarios,
  startMock,
  synchronizationPath,
  synchronizationsPath,
} from '../mock.ts'

const names = (items: Json[]) => items.map(item => item.name)

describe('mailings', () => {
  it('4.12, 4.12 sort order: they come by modification date, latest first', async () => {
    const demo = (await startMock()).as('demo')
    const { status, json } = await demo.get('/mailings')
    expect(status).toBe(200)
    const dates = json._embedded['svc:mailings'].map((item: Json) => item.modificationDate)
    expect(dates).toHaveLength(30)
    expect(dates).toEqual([...dates].sort().reverse())
  })

  it.each([
    ['isApproved=true', (item: Json) => item.isApproved],
    ['isApproved=false', (item: Json) => !item.isApproved],
    ['hasDraft=true', (item: Json) => item.hasDraft],
    ['hasDraft=false', (item: Json) => !item.hasDraft],
    ['hasDraft=true&isApproved=true', (item: Json) => item.hasDraft && item.isApproved],
  ])('4.12 isApproved, 4.12 hasDraft: %s leaves just those for which it holds', async (query, holds) => {
    const demo = (await startMock()).as('demo')
    const all = (await demo.get('/mailings')).json._embedded['svc:mailings']
    const some = (await demo.get(`/mailings?${query}`)).json._embedded['svc:mailings']
    expect(some).toEqual(all.filter(holds))
    expect(some.length).toBeGreaterThan(0)
    expect(some.length).toBeLessThan(all.length)
  })

  it('4.12 both false, 7/4: isApproved=false with hasDraft=false is refused', async () => {
    const { status, json } = await (await startMock())
      .as('demo')
      .get('/mailings?isApproved=false&hasDraft=false')
    expect(status).toBe(400)
    expect(json.generalErrors[0]).toContain('hasDraft=false and isApproved=false')
  })

  it('4.12 id, 8 IDs in the id filter, S too many IDs: up to 50 IDs select mailings, 51 are refused', async () => {
    const demo = (await startMock()).as('demo')
    const some = await demo.get(`/mailings?id=${mailingId(3)},${mailingId(1)},nothing`)
    expect(some.json._embedded['svc:mailings'].map((item: Json) => item.id).sort()).toEqual([
      mailingId(1),
      mailingId(3),
    ])
    const fifty = Array.from({ length: 50 }, (_, n) => mailingId(n + 1)).join()
    expect((await demo.get(`/mailings?id=${fifty}`)).json._embedded['svc:mailings']).toHaveLength(30)
    const refused = await demo.get(`/mailings?id=${fifty},${mailingId(51)}`)
    expect(refused.status).toBe(400)
    expect(refused.json.invalidFields[0].problem).toContain('at most 50')
  })

  it('4.13, 2.1 single: one mailing has its ID and links only', async () => {
    const demo = (await startMock()).as('demo')
    const { status, json } = await demo.get(`/mailings/${ids.mailing.ready}`)
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['id', '_links'])
    expect(Object.keys(json._links)).toEqual(['self', 'svc:mailing-editor', 'curies'])
  })

  it('S versions: every mailing has a draft, an approved version or both, and the names follow the versions', async () => {
    const demo = (await startMock()).as('demo')
    for (const item of (await demo.get('/mailings')).json._embedded['svc:mailings'])
      expect(item.hasDraft || item.isApproved).toBe(true)
    const { json } = await demo.get(synchronizationPath(ids.both))
    expect(json.mailingName).not.toBe(json.approvedMailingName)
  })
})

describe('synchronizations', () => {
  it('4.5: one synchronization is answered with 200', async () => {
    expect((await (await startMock()).as('demo').get(synchronizationPath(ids.ready))).status).toBe(200)
  })

  it('2.2 readyForSending, S unapproved name: without an approved version it is false, and its name null', async () => {
    const demo = (await startMock()).as('demo')
    for (const item of (await demo.get(synchronizationsPath)).json._embedded['svc:mailing-synchronizations'])
      expect(item.readyForSending).toBe(item.approvedMailingName !== null)
  })

  it('2.2 _links, 2.2 mailing-uploads, S draft preview link, S approved preview link: previews are linked while they exist, mailing-uploads always', async () => {
    const demo = (await startMock()).as('demo')
    const links = async (id: string) => Object.keys((await demo.get(synchronizationPath(id))).json._links)
    const always = ['self', 'svc:mailing-editor', 'svc:sendings', 'svc:mailing-uploads', 'curies']
    expect((await links(ids.ready)).sort()).toEqual([...always, 'svc:mailing-preview-approved'].sort())
    expect((await links(ids.draftOnly)).sort()).toEqual([...always, 'svc:mailing-preview-draft'].sort())
    expect((await links(ids.uploadedTwice)).sort()).toEqual(
      [...always, 'svc:mailing-preview-draft', 'svc:mailing-preview-approved'].sort(),
    )
  })

  it('S create synchronization, 4.6: without a mailing ID a new draft mailing is made', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const { status, headers, json } = await demo.post(synchronizationsPath, {
      customer: 'harbour-group',
      listId: 1002,
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(json._links.self.href)
    expect(json).toMatchObject({
      creationDate: now,
      mailingName: 'New Mailing',
      approvedMailingName: null,
      readyForSending: false,
      mailingHasDraft: true,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
    })
    expect((await demo.get(headers.get('location')!)).json).toEqual(json)
    expect((await demo.get(`/mailings/${json.mailingId}`)).status).toBe(200)
  })

  it('S create synchronization mailingId: an existing mailing is used, its name stays', async () => {
    const demo = (await startMock()).as('demo')
    const mailingId = ids.mailing.ready
    const before = (await demo.get('/mailings')).json._embedded['svc:mailings'].length
    const { json } = await demo.post(synchronizationsPath, {
      customer: 'harbour-group',
      listId: 1002,
      mailingId,
      mailingName: 'X',
    })
    expect(json).toMatchObject({ mailingId, mailingName: 'Winter service week', readyForSending: true })
    expect((await demo.get('/mailings')).json._embedded['svc:mailings']).toHaveLength(before)
  })

  it('S create synchronization template: the new draft has the content of the template and the given name', async () => {
    const demo = (await startMock()).as('demo')
    const templateMailingId = ids.mailing.ready
    const { json } = await demo.post(synchronizationsPath, {
      customer: 'harbour-group',
      listId: 1001,
      templateMailingId,
      mailingName: 'Copy',
    })
    expect(json).toMatchObject({ mailingName: 'Copy', mailingIsApproved: false })
    expect(json.mailingId).not.toBe(templateMailingId)
    const copy = await demo.get(synchronizationPath(json.id, '/preview'))
    const original = await demo.get(synchronizationPath(ids.ready, '/preview'))
    expect(copy.json.htmlContent).toBe(original.json.htmlContent)
  })

  it.each([
    ['customer missing', { listId: 1001 }, 'customer'],
    ['customer unknown', { customer: 'nobody', listId: 1001 }, 'customer'],
    ['listId missing', { customer: 'harbour-group' }, 'listId'],
    ['listId as text', { customer: 'harbour-group', listId: '1001' }, 'listId'],
    ["another customer's list", { customer: 'harbour-group', listId: 2001 }, 'listId'],
    ['mailingName empty', { customer: 'harbour-group', listId: 1001, mailingName: '' }, 'mailingName'],
    ['mailingName null', { customer: 'harbour-group', listId: 1001, mailingName: null }, 'mailingName'],
    ['mailingId unknown', { customer: 'harbour-group', listId: 1001, mailingId: 'x' }, 'mailingId'],
    [
      'templateMailingId unknown',
      { customer: 'harbour-group', listId: 1001, templateMailingId: 'x' },
      'templateMailingId',
    ],
  ])('S create synchronization rules: %s is refused and named', async (_, body, field) => {
    const { status, json } = await (await startMock()).as('demo').post(synchronizationsPath, body)
    expect(status).toBe(400)
    expect(json.invalidFields[0].field).toBe(field)
  })

  it('S create synchronization exclusive: a mailing and a template exclude each other', async () => {
    const body = { customer: 'harbour-group', listId: 1001, mailingId: 'x', templateMailingId: 'y' }
    const { status, json } = await (await startMock()).as('demo').post(synchronizationsPath, body)
    expect(status).toBe(400)
    expect(json.generalErrors).toEqual(['mailingId and templateMailingId exclude each other'])
  })

  it.each([
    ['readyForSending=true', (item: Json) => item.readyForSending],
    ['readyForSending=false', (item: Json) => !item.readyForSending],
    ['mailingHasDraft=true', (item: Json) => item.mailingHasDraft],
    ['mailingHasDraft=false', (item: Json) => !item.mailingHasDraft],
    ['mailingIsApproved=false', (item: Json) => !item.mailingIsApproved],
    [
      `mailingId=${ids.mailing.ready},${ids.mailing.draftOnly}`,
      (item: Json) => /0000-4000-8000-00000000000[13]$/.test(item.mailingId),
    ],
  ])(
    'S list synchronizations filters, S list synchronizations false: %s leaves just those for which it holds',
    async (query, holds) => {
      const demo = (await startMock()).as('demo')
      const all = (await demo.get(synchronizationsPath)).json._embedded['svc:mailing-synchronizations']
      const some = (await demo.get(`${synchronizationsPath}?${query}`)).json._embedded[
        'svc:mailing-synchronizations'
      ]
      expect(some).toEqual(all.filter(holds))
      expect(some.length).toBeGreaterThan(0)
      expect(some.length).toBeLessThan(all.length)
    },
  )

  it.each(['creationDate', 'modificationDate', 'mailingName'])(
    'S list synchronizations sort: by %s, ascending and descending',
    async sortBy => {
      const demo = (await startMock()).as('demo')
      const values = async (order: string) =>
        (await demo.get(`${synchronizationsPath}?sortBy=${sortBy}${order}`)).json._embedded[
          'svc:mailing-synchronizations'
        ].map((item: Json) => item[sortBy])
      const ascending = await values('')
      expect(ascending).toEqual([...ascending].sort())
      expect(await values('&order=asc')).toEqual(ascending)
      expect(await values('&order=desc')).toEqual([...ascending].sort().reverse())
    },
  )
})

describe('mailing-uploads', () => {
  it('4.10, 4.11, 2.2 mailingUploadsModificationDate: an upload answers 200, can be read, and dates the synchronization', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const made = await demo.post(synchronizationPath(ids.draftOnly, '/mailing-uploads'), {})
    expect(made.status).toBe(200)
    expect((await demo.get(made.json._links.self.href)).json).toEqual(made.json)
    expect((await demo.get(synchronizationPath(ids.draftOnly))).json.mailingUploadsModificationDate).toBe(now)
    const { platformMailings } = mock.space().data.tables
    expect(platformMailings.get(made.json.target.mailingId)).toMatchObject({
      origin: 'mailing-upload',
      approvedAt: null,
    })
  })

  it('S upload version: it takes the latest version, approved or not', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').post(synchronizationPath(ids.both, '/mailing-uploads'))
    const { platformMailings, synchronizations, mailings } = mock.space().data.tables
    const { draft } = mailings.get(synchronizations.get(ids.both)!.mailingId)!
    expect(platformMailings.get(json.target.mailingId)!.version).toBe(draft!.number)
  })

  it('4.11 latest: it is the upload with the most recent changes', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const latest = synchronizationPath(ids.uploadedTwice, '/mailing-uploads/latest')
    expect((await demo.get(latest)).json.id).toBe(ids.upload) // made first, changed last
    const made = await demo.post(synchronizationPath(ids.uploadedTwice, '/mailing-uploads'))
    expect((await demo.get(latest)).json).toEqual(made.json)
    expect((await demo.get(synchronizationPath(ids.ready, '/mailing-uploads/latest'))).status).toBe(404)
  })

  it.each(['new', 'updates'] as const)(
    'the synchronization has the date of the latest upload, also after the clock was set back: repeated-upload=%s',
    async repeated => {
      const mock = await startMock({ dials: { 'repeated-upload': repeated } })
      const demo = mock.as('demo')
      const upload = () => demo.post(synchronizationPath(ids.ready, '/mailing-uploads'))
      await upload()
      await mock.rig().moveClock(now => now - 1_000)
      await upload()
      const { json: latest } = await demo.get(synchronizationPath(ids.ready, '/mailing-uploads/latest'))
      const { json: synchronization } = await demo.get(synchronizationPath(ids.ready))
      expect(synchronization.mailingUploadsModificationDate).toBe(latest.modificationDate)
      expect(latest.modificationDate >= latest.creationDate).toBe(true)
    },
  )
})

describe('previews', () => {
  it('4.7, 4.7 kind, S preview kind: latest is the draft if there is one, lastApproved the approved version', async () => {
    const demo = (await startMock()).as('demo')
    const preview = async (kind: string) =>
      (await demo.get(synchronizationPath(ids.both, `/preview${kind}`))).json
    expect(await preview('')).toEqual(await preview('?kind=latest'))
    expect(await preview('?kind=draft')).toEqual(await preview(''))
    expect(await preview('?kind=lastApproved')).not.toEqual(await preview(''))
  })

  it('S preview kind missing: an unknown kind is 400, a version that does not exist 404', async () => {
    const demo = (await startMock()).as('demo')
    const unknown = await demo.get(synchronizationPath(ids.ready, '/preview?kind=approved'))
    expect(unknown.status).toBe(400)
    expect(unknown.json.invalidFields[0]).toEqual({
      field: 'kind',
      problem: expect.stringContaining('lastApproved'),
    })
    expect((await demo.get(synchronizationPath(ids.ready, '/preview?kind=draft'))).status).toBe(404)
    expect((await demo.get(synchronizationPath(ids.draftOnly, '/preview?kind=lastApproved'))).status).toBe(
      404,
    )
  })

  it('4.7 testProfileId: a test profile fills the placeholders; without one they show what stands in for it', async () => {
    const demo = (await startMock()).as('demo')
    const preview = async (query: string) =>
      (await demo.get(synchronizationPath(ids.ready, `/preview${query}`))).json
    const nadia = await preview('?testProfileId=7001')
    const nobody = await preview('')
    expect(nadia.textContent).toContain('Nadia')
    expect(nobody.textContent).not.toContain('Nadia')
    for (const part of [...Object.values(nadia), ...Object.values(nobody)])
      expect(String(part)).not.toContain('{{')
  })

  it('S preview unknown profile: a profile that the list does not have is 404', async () => {
    const demo = (await startMock()).as('demo')
    expect((await demo.get(synchronizationPath(ids.ready, '/preview?testProfileId=7004'))).status).toBe(404)
    expect((await demo.get(synchronizationPath(ids.ready, '/preview?testProfileId=x'))).status).toBe(400)
  })

  it('2.6 _links, S preview self: self is a template with both variables, without curies', async () => {
    const { json } = await (await startMock()).as('demo').get(synchronizationPath(ids.ready, '/preview'))
    expect(json._links).toEqual({
      self: {
        href: `http://localhost${synchronizationPath(ids.ready)}/preview{?testProfileId,kind}`,
        templated: true,
      },
    })
  })
})

describe('test profiles, test-mail groups and test sendings', () => {
  it.each([
    ['4.8', 'test-profiles', [7001, 7002, 7003]],
    ['4.9', 'test-mail-groups', [8001, 8002]],
  ])(
    '%s: they are those of the target list, embedded, with a link to the collection',
    async (_, name, expected) => {
      const demo = (await startMock()).as('demo')
      const path = synchronizationPath(ids.ready, `/${name}`)
      const { status, json } = await demo.get(path)
      expect(status).toBe(200)
      expect(json._embedded[`svc:${name}`].map((item: Json) => item.id)).toEqual(expected)
      expect(json._links.self.href).toBe(`http://localhost${path}`)
    },
  )

  it('4.8 spelling, 4.9 spelling: both spellings of the segment are answered', async () => {
    const demo = (await startMock()).as('demo')
    for (const name of ['test-profiles', 'test-mail-groups']) {
      const usual = await demo.get(synchronizationPath(ids.ready, `/${name}`))
      const other = await demo.get(
        synchronizationPath(ids.ready, `/${name}`).replace('synchronizations', 'sychronizations'),
      )
      expect(other.status).toBe(200)
      expect(other.json._embedded).toEqual(usual.json._embedded)
    }
  })

  it('S empty collection: it is an embedded empty array', async () => {
    const { json } = await (await startMock())
      .as('demo')
      .get(synchronizationPath(ids.bareList, '/test-profiles'))
    expect(json._embedded).toEqual({ 'svc:test-profiles': [] })
  })

  it('S test sending: it is answered with 202 and no body, and goes to the addresses at once', async () => {
    const mock = await startMock()
    const path = synchronizationPath(ids.both, '/test-sendings')
    const body = {
      recipientAddresses: ['a@example.com', 'b@example.com'],
      kind: 'lastApproved',
      subjectPrefix: '[Test] ',
      testProfileId: 7001,
    }
    const { status, text } = await mock.as('demo').post(path, body)
    expect([status, text]).toEqual([202, ''])
    const { platformMailings, platformSendings } = mock.space().data.tables
    const sent = platformSendings.at(platformSendings.size - 1)
    expect(sent).toMatchObject({
      kind: 'test',
      recipients: 2,
      addresses: body.recipientAddresses,
      startsAt: now,
    })
    expect(platformMailings.get(sent.platformMailingId)!.subject).toMatch(/^\[Test\] /)
    expect((await mock.as('demo').post(path, { testMailGroupId: 8001 })).status).toBe(202)
  })

  it.each([
    ['no recipients', {}, ''],
    ['both kinds of recipients', { recipientAddresses: ['a@example.com'], testMailGroupId: 8001 }, ''],
    ['an address that is none', { recipientAddresses: ['nobody'] }, 'recipientAddresses.0'],
    ['an unknown group', { testMailGroupId: 1 }, 'testMailGroupId'],
    ['an unknown profile', { testMailGroupId: 8001, testProfileId: 1 }, 'testProfileId'],
    ['an unknown kind', { testMailGroupId: 8001, kind: 'x' }, 'kind'],
  ])('S test sending rules: %s is refused', async (_, body, field) => {
    const { status, json } = await (await startMock())
      .as('demo')
      .post(synchronizationPath(ids.both, '/test-sendings'), body)
    expect(status).toBe(400)
    if (field) expect(json.invalidFields[0].field).toBe(field)
    else expect(json.generalErrors).toHaveLength(1)
  })
})

describe('customers and lists', () => {
  it.each(['A%20B', '%41', '100% bio', 'a/b?c#d'])(
    'all links of a customer resolve if its name is %j',
    async name => {
      const fixture = (base: Fixture) =>
        JSON.parse(JSON.stringify(base).replaceAll('"harbour-group"', JSON.stringify(name)))
      const demo = (await startMock({ fixture })).as('demo')
      const [customer] = (await demo.get(customersPath)).json._embedded['svc:accessible-customers']
      const { href } = customer._links.self
      expect((await demo.get(href)).json.name).toBe(name)
      const [list] = (await demo.get(`${href}/lists`)).json._embedded['svc:lists']
      expect((await demo.get(list._links.self.href)).json).toEqual(list)
    },
  )

  it('4.14, 4.14 single: the accessible customers, and each by its name', async () => {
    const demo = (await startMock()).as('demo')
    const { json } = await demo.get(customersPath)
    expect(names(json._embedded['svc:accessible-customers'])).toEqual([
      'harbour-group',
      'lindenau',
      'Maison Orane',
      'scenario-lab',
    ])
    const one = await demo.get(`${customersPath}/Maison%20Orane`)
    expect(one.json).toEqual({
      name: 'Maison Orane',
      _links: { self: { href: `http://localhost${customersPath}/Maison%20Orane` } },
    })
    expect((await demo.get(`${customersPath}/nobody`)).status).toBe(404)
  })

  it('4.15, 4.15 showAllLists: only permitted lists, unless all are asked for', async () => {
    const demo = (await startMock()).as('demo')
    const listIds = async (query: string) =>
      (await demo.get(`${customersPath}/lindenau/lists${query}`)).json._embedded['svc:lists'].map(
        (item: Json) => item.id,
      )
    expect(await listIds('')).toEqual([2001, 2003])
    expect(await listIds('?showAllLists=false')).toEqual([2001, 2003])
    expect(await listIds('?showAllLists=true')).toEqual([2001, 2002, 2003])
    expect((await demo.get(`${customersPath}/lindenau/lists?showAllLists=yes`)).status).toBe(400)
  })

  it('S single list: a list has a resource of its own, also one that is not permitted', async () => {
    const demo = (await startMock()).as('demo')
    for (const item of (await demo.get(`${customersPath}/lindenau/lists?showAllLists=true`)).json._embedded[
      'svc:lists'
    ])
      expect((await demo.get(item._links.self.href)).json).toEqual(item)
    for (const id of ['1001', '0', '02001', '9e9', 'x'])
      expect((await demo.get(`${customersPath}/lindenau/lists/${id}`)).status).toBe(404)
  })

  const configuration = (customer: string) => `${customersPath}/${customer}/configuration/accessible-lists`

  it('4.16, 4.16 permittedLists, 4.16 replaced: it is created with 201 and replaced with 200', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const created = await demo.put(configuration('harbour-group'), {
      permitAll: false,
      permittedLists: [1001],
    })
    expect(created.status).toBe(201)
    mock.clock.advance(1000)
    const replaced = await demo.put(configuration('harbour-group'), {
      permitAll: false,
      permittedLists: [1003, 1002, 1003],
    })
    expect(replaced.status).toBe(200)
    expect(replaced.json).toMatchObject({ creationDate: now, modificationDate: '2026-11-01T10:00:01.000Z' })
    expect(new Set(replaced.json.permittedLists)).toEqual(new Set([1002, 1003]))
    const lists = (await demo.get(`${customersPath}/harbour-group/lists`)).json._embedded['svc:lists']
    expect(lists.map((item: Json) => item.id)).toEqual([1002, 1003])
  })

  it('2.10 order: the permitted lists are those that were sent, in whatever order', async () => {
    const { json } = await (await startMock())
      .as('demo')
      .put(configuration('lindenau'), { permitAll: false, permittedLists: [2003, 2001] })
    expect([...json.permittedLists].sort()).toEqual([2001, 2003])
  })

  it('4.16 permitAll: true permits every list, whatever permittedLists says', async () => {
    const demo = (await startMock()).as('demo')
    await demo.put(configuration('lindenau'), { permitAll: true, permittedLists: [2001] })
    expect((await demo.get(`${customersPath}/lindenau/lists`)).json._embedded['svc:lists']).toHaveLength(3)
    expect((await demo.put(configuration('lindenau'), { permitAll: true })).status).toBe(200)
  })

  it('4.16 permitAll: numbers that can be no list are ignored with it, and not shown as lists', async () => {
    const demo = (await startMock()).as('demo')
    const body = { permitAll: true, permittedLists: [0, 2001, -3, 4711, 2001] }
    const { status, json } = await demo.put(configuration('lindenau'), body)
    expect([status, json.permittedLists.toSorted()]).toEqual([200, [2001, 4711]])
    expect((await demo.get(configuration('lindenau'))).json).toEqual(json)
  })

  it('4.16 rules: the list that is refused is named by its place in what was sent', async () => {
    const demo = (await startMock()).as('demo')
    const body = { permitAll: false, permittedLists: [1001, 1001, 0] }
    const { status, json } = await demo.put(configuration('harbour-group'), body)
    expect([status, json.invalidFields[0].field]).toEqual([400, 'permittedLists.2'])
  })

  it('4.16 get, S configuration before PUT: before the first PUT every list may be used and the configuration is 404', async () => {
    const demo = (await startMock()).as('demo')
    expect((await demo.get(configuration('harbour-group'))).status).toBe(404)
    expect((await demo.get(`${customersPath}/harbour-group/lists`)).json._embedded['svc:lists']).toHaveLength(
      3,
    )
    const put = await demo.put(configuration('harbour-group'), { permitAll: false, permittedLists: [] })
    const read = await demo.get(configuration('harbour-group'))
    expect(read.status).toBe(200)
    expect(read.json).toEqual(put.json)
  })

  it('4.15 effect, 5/2: a list that is not permitted cannot be the target of a new synchronization, for any user of the space', async () => {
    const demo = (await startMock()).as('demo')
    const refused = await demo.post(synchronizationsPath, { customer: 'lindenau', listId: 2002 })
    expect(refused.status).toBe(403)
    expect(refused.json.detail).toContain('2002')
    await demo.put(configuration('lindenau'), { permitAll: true })
    expect((await demo.post(synchronizationsPath, { customer: 'lindenau', listId: 2002 })).status).toBe(201)
  })

  it('4.15 effect: a sending to a list that is not permitted goes out, and the scenario with that name tells another cause of its 403', async () => {
    const demo = (await startMock()).as('demo')
    await demo.put(configuration('harbour-group'), { permitAll: false, permittedLists: [] })
    const path = synchronizationPath(ids.ready, '/sendings')
    const create = (headers = {}) => demo.post(path, { transactionId: 'a' }, headers)
    const refusing = { 'X-Mock-Scenario': 'list-no-longer-permitted' }
    expect((await create(refusing)).status).toBe(500)
    const { status, json } = await create(refusing)
    expect([status, json.type]).toEqual([403, expect.stringMatching(/missing-right$/)])
    expect((await create()).status).toBe(201)
    const { description } = await (await packagedScenarios).get('list-no-longer-permitted')
    expect(description).toContain('the right to send to the list is withdrawn')
  })

  it.each([
    ['nothing', {}, 'permittedLists'],
    ['a list of another customer', { permittedLists: [2001] }, 'permittedLists.0'],
    ['text for a list ID', { permittedLists: ['1001'] }, 'permittedLists.0'],
    ['permitAll as text', { permitAll: 'true' }, 'permitAll'],
  ])('4.16 rules: %s is refused', async (_, body, field) => {
    const { status, json } = await (await startMock()).as('demo').put(configuration('harbour-group'), body)
    expect(status).toBe(400)
    expect(json.invalidFields[0].field).toBe(field)
  })
})
