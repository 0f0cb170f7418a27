import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { diskFiles } from '../../../src/store/disk-files.ts'
import {
  ids,
  type Json,
  jsonOf,
  now,
  startMock,
  synchronizationPath,
  synchronizationsPath,
} from '../../mock.ts'
import { sentences, startTester, type Tester } from './tester.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

/** Mailings of the default fixture, by the versions that they have. */
const mailings = {
  approvedOnly: ids.mailing.ready,
  draftOnly: ids.mailing.draftOnly,
  both: ids.mailing.both,
}
/** A synchronization of each. */
const tied = { approvedOnly: ids.ready, draftOnly: ids.draftOnly, both: ids.both }
type Which = keyof typeof mailings
const which: Which[] = ['approvedOnly', 'draftOnly', 'both']

const address = (mailing: Which, rest = '') => `/spaces/demo/mailings/${mailings[mailing]}${rest}`
const synchronization = async (tester: Tester, mailing: Which) =>
  (await tester.as('demo').get(synchronizationPath(tied[mailing]))).json
const send = (tester: Tester, mailing: Which, body = {}) =>
  tester.as('demo').post(synchronizationPath(tied[mailing], '/sendings'), body)
const preview = (tester: Tester, mailing: Which, kind: string) =>
  tester.as('demo').get(synchronizationPath(tied[mailing], `/preview?kind=${kind}`))
const listedFirst = async (tester: Tester) =>
  (await tester.as('demo').get('/mailings')).json._embedded['svc:mailings'][0]

describe('a mailing as the editor knows it', () => {
  it.each(which)('%s: shows what the service shows of it, and its versions', async mailing => {
    const tester = await start()
    const { status, json } = await tester.get(address(mailing))
    const shown = await synchronization(tester, mailing)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: shown.mailingId,
      name: shown.mailingName,
      isApproved: shown.mailingIsApproved,
      hasDraft: shown.mailingHasDraft,
    })
    expect([json.draft !== null, json.approved !== null]).toEqual([json.hasDraft, json.isApproved])
    expect(json.approved?.name ?? null).toBe(shown.approvedMailingName)
    const [own] = json._embedded.synchronizations
    expect(own).toMatchObject({
      id: tied[mailing],
      customer: shown.target.customer,
      listId: shown.target.listId,
      listName: shown.target.listName,
      readyForSending: shown.readyForSending,
    })
  })

  it('a mailing as the editor knows it counts the versions, and tells of each whether it has HTML and text', async () => {
    const { json } = await (await start()).get(address('both'))
    expect(json.draft).toMatchObject({ number: 3, hasHtml: true, hasText: true })
    expect(json.approved).toMatchObject({ number: 2, hasHtml: true, hasText: true })
    expect(json.draft.subject).not.toBe(json.approved.subject)
  })

  it('of a new mailing is empty, and nothing hangs on it but what was asked for', async () => {
    const tester = await start()
    const body = { customer: 'harbour-group', listId: 1001 }
    const { json: made } = await tester.as('demo').post(synchronizationsPath, body)
    const { json } = await tester.get(`/spaces/demo/mailings/${made.mailingId}`)
    expect(json.draft).toEqual({
      number: 1,
      name: 'New Mailing',
      subject: '',
      hasHtml: false,
      hasText: false,
    })
    expect(json._embedded.synchronizations.map((it: Json) => [it.id, it.sendings])).toEqual([[made.id, 0]])
  })

  it('a mailing as the editor knows it counts the sendings of its synchronizations', async () => {
    const tester = await start()
    const sendings = async () =>
      (await tester.get(address('approvedOnly'))).json._embedded.synchronizations[0].sendings
    const before = await sendings()
    await send(tester, 'approvedOnly')
    expect(await sendings()).toBe(before + 1)
  })

  it.each([
    ['approvedOnly', ['draft', 'edit'], ['preview-approved']],
    ['draftOnly', ['approve', 'edit'], ['preview-draft']],
    ['both', ['approve', 'edit'], ['preview-draft', 'preview-approved']],
  ] as const)(
    '%s: links to what can be done with it, and to what can be seen',
    async (mailing, done, seen) => {
      const { json } = await (await start()).get(address(mailing))
      const expected = ['self', ...done, ...seen, 'mailings', 'space']
      expect(Object.keys(json._links).sort()).toEqual(expected.sort())
    },
  )

  it('a mailing as the editor knows it is not there under any other ID, or in another space', async () => {
    const tester = await start()
    for (const id of ['nothing', '__proto__', 'x'.repeat(500)]) {
      const { status, json } = await tester.get(`/spaces/demo/mailings/${id}`)
      expect([status, json.detail]).toEqual([
        404,
        `There is no mailing "${id.slice(0, 60)}" in space "demo"; GET …/mailings lists those there are`,
      ])
    }
    expect((await tester.get(address('both').replace('demo', 'demo+x'))).status).toBe(404)
    expect((await tester.get('/spaces/nothing/mailings')).status).toBe(404)
  })
})

describe('the list of mailings', () => {
  const idsOf = (json: Json): string[] => json._embedded.mailings.map((it: Json) => it.id)

  it('the list of mailings has them all, each as it is alone', async () => {
    const tester = await start()
    const { json } = await tester.get('/spaces/demo/mailings?limit=1000')
    expect(json.count).toBe((await tester.as('demo').get('/mailings')).json._embedded['svc:mailings'].length)
    expect(json._links.next).toBeUndefined()
    const first = json._embedded.mailings[0]
    const { _embedded, _links, ...alone } = (await tester.get(`/spaces/demo/mailings/${first.id}`)).json
    expect(first).toMatchObject(alone)
  })

  it('the list of mailings comes page by page, each once, also when mailings change and come in between', async () => {
    const tester = await start()
    const all = idsOf((await tester.get('/spaces/demo/mailings?limit=1000')).json)
    const seen: string[] = []
    let next: string | undefined = '/spaces/demo/mailings?limit=7'
    while (next) {
      const { json }: Json = await tester.get(next)
      expect(idsOf(json).length).toBeLessThanOrEqual(7)
      expect(json.count).toBe(all.length - seen.length + (seen.length > 0 ? 1 : 0))
      if (seen.length === 0) {
        await tester.post(`/spaces/demo/mailings/${all[2]}/edit`, { name: 'Changed' })
        await tester.as('demo').post(synchronizationsPath, { customer: 'harbour-group', listId: 1001 })
      }
      seen.push(...idsOf(json))
      next = json._links.next?.href.replace('http://localhost/_mock', '')
    }
    expect(seen.slice(0, -1)).toEqual(all)
  })

  it.each([
    ['isApproved=true', (it: Json) => it.isApproved],
    ['isApproved=false', (it: Json) => !it.isApproved],
    ['hasDraft=true&isApproved=true', (it: Json) => it.hasDraft && it.isApproved],
    ['name=SPRING', (it: Json) => /spring/i.test(it.name)],
  ])('%s keeps some, on every page', async (query, holds) => {
    const tester = await start()
    const { json: all } = await tester.get('/spaces/demo/mailings')
    const expected = all._embedded.mailings.filter(holds).map((it: Json) => it.id)
    expect(expected.length).toBeGreaterThan(1)
    expect(expected.length).toBeLessThan(all.count)
    expect(idsOf((await tester.get(`/spaces/demo/mailings?${query}`)).json)).toEqual(expected)
    const first = (await tester.get(`/spaces/demo/mailings?${query}&limit=1`)).json
    const rest = (await tester.get(first._links.next.href.replace('http://localhost/_mock', ''))).json
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(expected.slice(0, 2))
  })

  it.each([
    ['limit=0', 'limit: expected a whole number from 1 to 1000'],
    ['limit=1001', 'limit: expected a whole number from 1 to 1000'],
    ['after=nothing', 'after: there is no mailing "nothing" here'],
    ['hasDraft=yes', 'hasDraft: "yes" is not possible; possible: true, false'],
    ['nam=x', 'unknown key "nam"; did you mean "name"? Possible: isApproved, hasDraft, name, after, limit'],
  ])('%s is refused', async (query, expected) => {
    const answer = await (await start()).get(`/spaces/demo/mailings?${query}`)
    expect([answer.status, sentences(answer)]).toEqual([400, [expected]])
  })
})

describe('approving', () => {
  it('approving makes a synchronization ready: a sending is refused before, and accepted after', async () => {
    const tester = await start()
    expect((await send(tester, 'draftOnly')).status).toBe(409)
    const { status, json } = await tester.post(address('draftOnly', '/approve'))
    expect(status).toBe(200)
    expect(json).toMatchObject({ isApproved: true, hasDraft: false, draft: null, modificationDate: now })
    expect(json.approved.number).toBe(1)
    expect(json._embedded.synchronizations[0].readyForSending).toBe(true)
    expect(await synchronization(tester, 'draftOnly')).toMatchObject({
      readyForSending: true,
      mailingIsApproved: true,
      mailingHasDraft: false,
      approvedMailingName: json.name,
      modificationDate: now,
    })
    expect((await send(tester, 'draftOnly')).status).toBe(201)
  })

  it('approving is seen at once in single and listed resources and their previews, also by who has just read them', async () => {
    const tester = await start()
    const demo = tester.as('demo')
    const read = async () => ({
      single: await synchronization(tester, 'draftOnly'),
      ready: (await demo.get(`${synchronizationsPath}?readyForSending=true&mailingId=${mailings.draftOnly}`))
        .json._embedded['svc:mailing-synchronizations'].length,
      drafts: (await demo.get(`/mailings?hasDraft=true&id=${mailings.draftOnly}`)).json._embedded[
        'svc:mailings'
      ].length,
      approved: (await preview(tester, 'draftOnly', 'lastApproved')).status,
      draft: (await preview(tester, 'draftOnly', 'draft')).status,
      first: (await listedFirst(tester)).id,
    })
    const before = await read()
    expect([before.ready, before.drafts, before.approved, before.draft]).toEqual([0, 1, 404, 200])
    expect(Object.keys(before.single._links)).toContain('svc:mailing-preview-draft')
    expect(before.first).not.toBe(mailings.draftOnly)
    await tester.post(address('draftOnly', '/approve'))
    const after = await read()
    expect([after.ready, after.drafts, after.approved, after.draft]).toEqual([1, 0, 200, 404])
    expect(Object.keys(after.single._links)).toContain('svc:mailing-preview-approved')
    expect(Object.keys(after.single._links)).not.toContain('svc:mailing-preview-draft')
    expect(after.first).toBe(mailings.draftOnly)
  })

  it("happens at the space's time", async () => {
    const tester = await start()
    await tester.post('/spaces/demo/clock', { advance: '2h' })
    const { json } = await tester.post(address('both', '/approve'))
    expect(json.modificationDate).toBe('2026-11-01T12:00:00.000Z')
    expect((await listedFirst(tester)).modificationDate).toBe('2026-11-01T12:00:00.000Z')
  })

  it('approving is final: without a draft there is nothing to approve', async () => {
    const tester = await start()
    const [first, second] = await Promise.all([1, 2].map(() => tester.post(address('both', '/approve'))))
    expect([first!.status, second!.status]).toEqual([200, 409])
    expect(second!.json.detail).toBe(
      `Mailing ${mailings.both} has no draft: its version 3 is approved already; POST to its draft or edit makes the next one`,
    )
  })

  it('approving is in the next round of an incremental synchronization', async () => {
    const tester = await start()
    const demo = tester.as('demo')
    const full = (await demo.get(`${synchronizationsPath}?syncModifications=true`)).json
    await tester.post(address('draftOnly', '/approve'))
    const { json } = await demo.get(
      full._links['svc:upcoming-modifications'].href.replace('http://localhost', ''),
    )
    const modified = json._embedded['svc:mailing-synchronizations'].map((it: Json) => it.id)
    expect(modified).toEqual([ids.draftOnly])
  })

  it('decides what a later sending takes, and changes nothing of an earlier one', async () => {
    const tester = await start()
    const demo = tester.as('demo')
    const earlier = synchronizationPath(ids.both, `/sendings/${ids.sending.created}/statistics`)
    const figures = (await demo.get(earlier)).text
    expect((await demo.get(earlier)).json.sendingStatistics.averageMailSize).toBeGreaterThan(0)
    const own = (await send(tester, 'both')).json
    await tester.post('/spaces/demo/clock', { advance: '2d' })
    const statistics = async () =>
      (await demo.get(`${own._links.self.href.replace('http://localhost', '')}/statistics`)).text
    const ownFigures = await statistics()

    for (const html of ['<p>longer</p>'.repeat(1_000), '<p>short</p>', '']) {
      await tester.post(address('both', '/edit'), { html })
      await tester.post(address('both', '/approve'))
      expect([(await demo.get(earlier)).text, await statistics()]).toEqual([figures, ownFigures])
    }
    await send(tester, 'both')
    const sent = (await tester.get(`/spaces/demo/platform?synchronizationId=${ids.both}`)).json.mailings
    expect(sent.map((it: Json) => it.version)).toEqual([2, 5])
  })

  it('approving comes after what the platform did by then, though nobody had looked', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', {
      rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }] }],
    })
    const { json } = await send(tester, 'both', { transactionId: 'a' })
    expect(json.state).toBe('PENDING')
    // The clock moves by itself here, as in real time: nothing is settled by a control call.
    tester.clock.advance(60_000)
    await tester.post(address('both', '/approve'))
    const { mailings: sent } = (await tester.get('/spaces/demo/platform')).json
    expect(sent.map((it: Json) => it.version)).toEqual([2])
  })

  it('approving takes no members', async () => {
    const answer = await (await start()).post(address('both', '/approve'), { version: 3 })
    expect([answer.status, sentences(answer)]).toEqual([400, ['unknown key "version"; possible: none']])
  })
})

describe('a new draft', () => {
  it('a new draft is made from the approved version, which stays in force', async () => {
    const tester = await start()
    const approved = (await preview(tester, 'approvedOnly', 'lastApproved')).json
    const { status, json } = await tester.post(address('approvedOnly', '/draft'), {
      name: 'Again',
      subject: 'Ha',
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({ name: 'Again', isApproved: true, hasDraft: true, modificationDate: now })
    expect([json.draft.number, json.approved.number]).toEqual([2, 1])
    const draft = (await preview(tester, 'approvedOnly', 'draft')).json
    expect(draft).toMatchObject({
      subject: 'Ha',
      htmlContent: approved.htmlContent,
      textContent: approved.textContent,
    })
    expect((await preview(tester, 'approvedOnly', 'latest')).json.subject).toBe('Ha')
    expect((await preview(tester, 'approvedOnly', 'lastApproved')).json).toEqual(approved)
    expect(await synchronization(tester, 'approvedOnly')).toMatchObject({
      mailingName: 'Again',
      readyForSending: true,
      mailingHasDraft: true,
      mailingIsApproved: true,
    })
    expect((await synchronization(tester, 'approvedOnly')).approvedMailingName).not.toBe('Again')
    expect((await send(tester, 'approvedOnly')).status).toBe(201)
    expect((await tester.get('/spaces/demo/platform')).json.mailings[0].version).toBe(1)
  })

  it('a new draft has content of its own when it is given', async () => {
    const tester = await start()
    await tester.post(address('approvedOnly', '/draft'), { html: '<b>Hi {{firstName|you}}</b>', text: '' })
    expect((await preview(tester, 'approvedOnly', 'draft')).json).toMatchObject({
      htmlContent: '<b>Hi you</b>',
      textContent: '',
    })
    expect((await tester.get(address('approvedOnly'))).json.draft).toMatchObject({
      hasHtml: true,
      hasText: false,
    })
  })

  it('a new draft is what an upload takes', async () => {
    const tester = await start()
    await tester.post(address('approvedOnly', '/draft'))
    await tester.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'))
    expect((await tester.get('/spaces/demo/platform')).json.mailings[0].version).toBe(2)
  })

  it.each(['draftOnly', 'both'] as const)('a new draft is refused while there is one: %s', async mailing => {
    const tester = await start()
    const { json: before } = await tester.get(address(mailing))
    const { status, json } = await tester.post(address(mailing, '/draft'))
    expect([status, json.detail]).toEqual([
      409,
      `Mailing ${mailings[mailing]} has a draft already, version ${before.draft.number}; POST to its edit changes it, POST to its approve approves it`,
    ])
    expect((await tester.get(address(mailing))).json).toEqual(before)
  })
})

describe('an edit', () => {
  it('an edit renames the draft, and leaves the approved version its name', async () => {
    const tester = await start()
    const before = await synchronization(tester, 'both')
    const { json } = await tester.post(address('both', '/edit'), { name: 'Renamed' })
    expect([json.name, json.draft.number]).toEqual(['Renamed', 3])
    expect(await synchronization(tester, 'both')).toMatchObject({
      mailingName: 'Renamed',
      approvedMailingName: before.approvedMailingName,
    })
    expect((await listedFirst(tester)).name).toBe('Renamed')
    const byName = `${synchronizationsPath}?sortBy=mailingName&mailingId=${mailings.both}`
    expect(
      (await tester.as('demo').get(byName)).json._embedded['svc:mailing-synchronizations'][0].mailingName,
    ).toBe('Renamed')
  })

  it('of an approved mailing makes a new draft', async () => {
    const tester = await start()
    const { json } = await tester.post(address('approvedOnly', '/edit'), { subject: 'Other' })
    expect([json.hasDraft, json.draft.number, json.draft.subject]).toEqual([true, 2, 'Other'])
    expect(json.draft.name).toBe(json.approved.name)
  })

  it('an edit leaves what is left out as it is, and empties what is empty', async () => {
    const tester = await start()
    const { _links, ...before } = (await preview(tester, 'draftOnly', 'draft')).json
    await tester.post(address('draftOnly', '/edit'), { html: '' })
    expect((await preview(tester, 'draftOnly', 'draft')).json).toMatchObject({ ...before, htmlContent: '' })
  })

  it.each([
    [{}, 'expected at least one of name, subject, html, text'],
    [{ name: '' }, 'name: expected at least one character, got ""'],
    [{ name: null }, 'name: expected text, got null'],
    [{ subject: 1 }, 'subject: expected text, got 1'],
    [{ html: ['<p>'] }, 'html: expected text, got ["<p>"]'],
    [{ nam: 'x' }, 'unknown key "nam"; did you mean "name"? Possible: name, subject, html, text'],
    ['{"__proto__":"x"}', 'unknown key "__proto__"; possible: name, subject, html, text'],
    ['[]', 'The request body is no JSON object, but []'],
  ])('%j is refused, and changes nothing', async (body, expected) => {
    const tester = await start()
    const { json: before } = await tester.get(address('both'))
    const answer = await tester.post(address('both', '/edit'), body)
    expect([answer.status, sentences(answer)[0]]).toEqual([400, expected])
    expect((await tester.get(address('both'))).json).toEqual(before)
  })

  it('of a megabyte and more is refused', async () => {
    const answer = await (await start()).post(address('both', '/edit'), { html: 'x'.repeat(1 << 20) })
    expect(answer.status).toBe(413)
  })
})

describe('what is done with a mailing', () => {
  it.each(['approve', 'draft', 'edit'])('%s is refused where there is nothing to do it with', async what => {
    const tester = await start()
    const body = what === 'edit' ? { name: 'x' } : {}
    const { status, json } = await tester.post(`/spaces/demo/mailings/nothing/${what}`, body)
    expect(status).toBe(404)
    expect(json.detail).toContain('There is no mailing "nothing" in space "demo"')
    const elsewhere = await tester.post(`/spaces/nothing/mailings/${mailings.both}/${what}`, body)
    expect(elsewhere.status).toBe(404)
  })

  it('what is done with a mailing stays in its space', async () => {
    const tester = await start()
    await tester.post(address('both', '/approve').replace('demo', 'demo+x'))
    expect((await tester.get(address('both').replace('demo', 'demo+x'))).json.hasDraft).toBe(false)
    expect((await tester.get(address('both'))).json.hasDraft).toBe(true)
  })

  it('what is done with a mailing is taken back by a reset, and goes into a snapshot', async () => {
    const tester = await start()
    await tester.post(address('both', '/approve'))
    await tester.post(address('both', '/draft'), { name: 'Third' })
    const { json: kept } = await tester.get(address('both'))
    const { json: snapshot } = await tester.get('/spaces/demo/snapshot')
    await tester.post('/spaces/demo/reset')
    expect((await tester.get(address('both'))).json.approved.number).toBe(2)
    expect((await tester.put('/spaces/demo/snapshot', snapshot)).status).toBe(200)
    expect((await tester.get(address('both'))).json).toEqual(kept)
  })

  it('what is done with a mailing is told to who listens', async () => {
    const tester = await start()
    const response = await tester.fetch('/_mock/spaces/demo/events')
    const reader = response.body!.getReader()
    await tester.post(address('approvedOnly', '/draft'))
    await tester.post(address('approvedOnly', '/edit'), { name: 'B' })
    await tester.post(address('approvedOnly', '/approve'))
    await tester.post(address('approvedOnly', '/approve'))
    await tester.put('/spaces/demo/scenario', { name: 'happy-path' })
    let text = ''
    while (!text.includes('event: scenario')) text += Buffer.from((await reader.read()).value!).toString()
    const told = [...text.matchAll(/event: mailing\ndata: (.*)/g)].map(([, data]) => JSON.parse(data!))
    expect(told.map(it => [it.what, it.id, it.isApproved, it.hasDraft])).toEqual([
      ['drafted', mailings.approvedOnly, true, true],
      ['edited', mailings.approvedOnly, true, true],
      ['approved', mailings.approvedOnly, true, false],
    ])
    expect(told.at(-1).name).toBe('B')
    await reader.cancel()
  })

  it.each(['stopped', 'killed'])(
    'what is done with a mailing is there again after the mock was %s',
    async how => {
      const directory = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-'))
      try {
        const files = await diskFiles(directory)
        const before = await startMock({ files })
        const call = async (mock: typeof before, rest = '', body?: object) =>
          jsonOf(
            await mock.fetch(
              new Request(`http://localhost/_mock${address('both', rest)}`, {
                headers: { 'content-type': 'application/json' },
                ...(body && { method: 'POST', body: JSON.stringify(body) }),
              }),
            ),
          )
        await call(before, '/approve', {})
        const written = await call(before, '/edit', { name: 'Later', html: '<i>Later</i>' })
        const read = async (mock: typeof before) => [
          (await mock.as('demo').get(synchronizationPath(ids.both))).text,
          (await mock.as('demo').get('/mailings')).text,
          (await mock.as('demo').get(synchronizationPath(ids.both, '/preview'))).text,
        ]
        const texts = await read(before)
        // A killed process writes nothing at its end; its lock falls.
        if (how === 'stopped') await before.spaces.close()
        else await files.close()

        const again = await diskFiles(directory)
        const after = await startMock({ files: again })
        expect(await call(after)).toEqual(written)
        expect(await read(after)).toEqual(texts)
        await again.close()
      } finally {
        rmSync(directory, { recursive: true })
      }
    },
  )
})
