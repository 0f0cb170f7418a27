import { afterEach, describe, expect, it } from 'vitest'
import { mailingId } from '../../src/contract/examples/fixture-ids.ts'
import { ids, startMock, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

const mailings = '/spaces/demo/mailings'
/** Mailings of the default fixture, by the versions that they have. */
const approvedOnly = `${mailings}/${ids.mailing.ready}`
const draftOnly = `${mailings}/${ids.mailing.draftOnly}`
const both = `${mailings}/${ids.mailing.both}`

/** The button with these words, as its markup opens. */
const button = (text: string, words: string): string =>
  /<button[^>]*>(?=[^<]*$)/.exec(text.slice(0, text.indexOf(words)))![0]
/** The addresses of the frames of a page. */
const frames = (text: string): string[] =>
  [...text.matchAll(/<iframe sandbox="" [^>]*src="([^"]*)"/g)].map(([, src]) => src!.replaceAll('&amp;', '&'))

describe('the editor', () => {
  it('the editor is the page, and JSON for a program, at one address', async () => {
    const tester = await start()
    const { status, headers } = await look(tester, both)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
    const { json, headers: told } = await tester.get(both)
    expect(json.draft.number).toBe(3)
    expect([headers.get('vary'), told.get('vary')]).toEqual(['Accept', 'Accept'])
  })

  it('the editor shows both versions, each with its number, name and subject', async () => {
    const tester = await start()
    const page = await look(tester, both)
    const { json } = await tester.get(both)
    for (const kind of ['draft', 'approved'] as const) {
      const words = wordsOf(from(page, `version-${kind}`).split('</section>')[0]!)
      expect(words).toContain(`${kind} ${json[kind].number}`)
      expect(words).toContain(json[kind].name)
      expect(words).toContain(json[kind].subject)
    }
  })

  it('the editor says what is missing, and what that means', async () => {
    const tester = await start()
    expect(wordsOf(from(await look(tester, draftOnly), 'version-approved'))).toContain(
      'Not approved yet Until the draft is approved, the service refuses every sending',
    )
    expect(wordsOf(from(await look(tester, approvedOnly), 'version-draft'))).toContain(
      'No draft A new draft is made',
    )
  })

  it.each([
    ['draftOnly', draftOnly, { approve: true, draft: false }],
    ['approvedOnly', approvedOnly, { approve: false, draft: true }],
    ['both', both, { approve: true, draft: false }],
  ])('%s: offers what the control call would take', async (_, address, possible) => {
    const tester = await start()
    const { text } = await look(tester, address)
    const approve = button(text, 'Approve the draft')
    const draft = button(text, 'Make a new draft')
    expect([!approve.includes('disabled'), !draft.includes('disabled')]).toEqual([
      possible.approve,
      possible.draft,
    ])
    expect([approve, draft].map(it => /data-href="([^"]*)"/.exec(it)![1])).toEqual([
      `/_mock${address}/approve`,
      `/_mock${address}/draft`,
    ])
    expect((await tester.post(`${address}/approve`)).status).toBe(possible.approve ? 200 : 409)
  })

  it('the editor renames by a form that is the control call', async () => {
    const { text } = await look(await start(), both)
    expect(text).toContain(`aria-label="Rename" data-call="POST" data-href="/_mock${both}/edit"`)
    expect(text).toMatch(
      /<input id="name" name="name" value="Spring launch – last weekend" required="" pattern="\.\*\\S\.\*"/,
    )
  })

  it('the editor shows what hangs on the mailing: synchronizations, ready or not, and the latest sendings', async () => {
    const tester = await start()
    expect(wordsOf(from(await look(tester, draftOnly), 'synchronizations'))).toContain(`${ids.draftOnly}`)
    expect(wordsOf(from(await look(tester, draftOnly), 'synchronizations'))).toContain('not ready')
    const { json } = await tester
      .as('demo')
      .post(synchronizationPath(ids.both, '/sendings'), { transactionId: 'a-new-one' })
    const sendings = from(await look(tester, both), 'sendings')
    expect(wordsOf(sendings)).toMatch(/2026-11-01 10:00:00 now CREATED a-new-one/)
    expect(sendings).toContain(`href="/_mock/spaces/demo/sendings/${json.id}/report"`)
    expect(sendings.indexOf('a-new-one')).toBeLessThan(sendings.indexOf('spring-launch-2026-03-04'))
  })

  it('the editor tells how to go on where nothing hangs on it', async () => {
    const tester = await start()
    const page = await look(tester, `${mailings}/${mailingId(2)}`)
    expect(wordsOf(from(page, 'synchronizations'))).toContain('curl -u USER:PASSWORD')
    expect(wordsOf(from(page, 'synchronizations'))).toContain(
      'http://localhost/integrations/mailing-platform/mailing-synchronizations',
    )
    expect(wordsOf(from(page, 'sendings'))).toContain('Nothing of it was sent yet')
  })

  it.each([
    ['an unknown mailing', `${mailings}/nothing`, 404, 'There is no mailing "nothing" in space "demo"'],
    ['a version that is not there', `${draftOnly}/approved`, 404, 'This mailing is not approved yet'],
    ['an unknown test profile', `${both}?for=1001-1`, 404, 'There is no test profile 1001-1'],
    [
      'the profile of a list it does not go to',
      `${both}?for=2001-7007`,
      404,
      'There is no test profile 2001-7007',
    ],
    ['no test profile at all', `${both}?for=%3Cscript%3E`, 400, 'expected the ID of a list'],
    ['an unknown parameter', `${both}?testProfile=1`, 400, 'unknown key "testProfile"'],
  ])('%s is told in words', async (_, address, status, words) => {
    const page = await look(await start(), address)
    expect(page.status).toBe(status)
    expect(wordsOf(page.text)).toContain(words)
    expect(page.text).not.toContain('<script>')
  })
})

describe('a preview', () => {
  it.each(['draft', 'approved'])(
    'of the %s is what the preview resource shows, for the same profile',
    async kind => {
      const tester = await start()
      for (const profile of [undefined, 7001, 7002]) {
        const query = profile === undefined ? '' : `?for=1001-${profile}`
        const page = await look(tester, `${both}/${kind}${query}`)
        const asked = `/preview?kind=${kind === 'draft' ? 'draft' : 'lastApproved'}${profile ? `&testProfileId=${profile}` : ''}`
        const { json } = await tester.as('demo').get(synchronizationPath(ids.both, asked))
        expect(wordsOf(from(page, `version-${kind}`))).toContain(json.subject)
        expect(wordsOf(from(page, `version-${kind}`))).toContain(
          json.textContent.replaceAll(/\s+/g, ' ').trim(),
        )
        const [frame] = frames(page.text)
        expect((await look(tester, frame!.replace('/_mock', ''))).text).toBe(json.htmlContent)
      }
    },
  )

  it('a preview names the profiles of the lists that the mailing goes to', async () => {
    const { text } = await look(await start(), `${both}?for=1001-7002`)
    expect(text).toMatch(/<optgroup label="Fernhill Cycles newsletter">/)
    expect(text).toMatch(/<option value="1001-7002" selected="">Only the first name known<\/option>/)
    expect(text).not.toContain('Stammkundin')
  })

  it('a preview has a frame that loads anew when its content is another one, and only then', async () => {
    const tester = await start()
    const before = frames((await look(tester, both)).text)
    expect(before).toHaveLength(2)
    await tester.post(`${both}/edit`, { name: 'Another name' })
    expect(frames((await look(tester, both)).text)).toEqual(before)
    await tester.post(`${both}/edit`, { html: '<p>Other</p>' })
    const after = frames((await look(tester, both)).text)
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
  })

  it('a preview has no frame where there is no HTML, and says so', async () => {
    const tester = await start()
    await tester.post(`${both}/edit`, { html: '', text: '', subject: '' })
    const words = wordsOf((await look(tester, `${both}/draft`)).text)
    for (const expected of ['(no subject)', 'No HTML part', 'No text part']) expect(words).toContain(expected)
  })

  it('a preview stands in a frame without rights, from an address that gives none either', async () => {
    const tester = await start()
    const page = await look(tester, both)
    expect(page.headers.get('content-security-policy')).toMatch(/style-src 'self';.*frame-src 'self'$/)
    for (const frame of frames(page.text)) {
      const { headers } = await look(tester, frame.replace('/_mock', ''))
      const policy = headers.get('content-security-policy')!
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'none'", 'sandbox', "frame-ancestors 'self'"]),
      )
      expect(policy).not.toMatch(/script-src|allow-/)
    }
    expect(page.text.match(/<iframe/g)).toHaveLength(frames(page.text).length)
  })

  it('a preview gives hostile content to its frame alone; everywhere else it is text', async () => {
    const hostile = `</title></pre><script>alert(1)</script><img src=x onerror=alert(1)>"'>`
    const tester = await start()
    await tester.post(`${both}/edit`, { name: hostile, subject: hostile, text: hostile, html: hostile })
    for (const address of [both, `${both}/draft`, mailings]) {
      const { text } = await look(tester, address)
      expect(text, address).not.toMatch(/<script>|<img/)
      expect(wordsOf(text), address).toContain('<script>alert(1)</script>')
    }
    const [frame] = frames((await look(tester, both)).text)
    expect((await look(tester, frame!.replace('/_mock', ''))).text).toBe(hostile)
  })
})

describe('where control calls have a port of their own', () => {
  it('the editor opens on the port of the service, and says where it can be worked with', async () => {
    const mock = await startMock({ part: 'service' })
    const open = (path: string) =>
      look({ fetch: (at, init) => mock.fetch(new Request(`http://localhost${at}`, init)) }, path)
    const page = await open(both)
    expect(page.status).toBe(200)
    expect(wordsOf(page.text)).toContain('Mailings are approved and renamed on the port of the control API')
    expect(page.text).not.toMatch(/data-call|Approve the draft|data-events|live-state/)
    const [frame] = frames(page.text)
    expect((await open(frame!.replace('/_mock', ''))).status).toBe(200)
    expect((await open(mailings)).status).toBe(404)
  })
})

it('a mailing can be deleted in its editor, whose address is 404 then', async () => {
  const tester = await start()
  const { text } = await look(tester, both)
  expect(button(text, 'Delete ')).toMatch(/data-call="DELETE"/)
  const [, path] = /data-call="DELETE" data-href="\/_mock([^"]+)"/.exec(text)!
  expect(path).toBe(both)
  expect((await tester.delete(path!)).status).toBe(204)
  expect((await look(tester, both)).status).toBe(404)
})
