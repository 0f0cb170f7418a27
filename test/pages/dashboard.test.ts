import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VerdictCache } from '../../src/control/verdict-cache.ts'
import { ids, startMock, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, type Looked, look, wordsOf } from './person.ts'

const names = ({ text }: Looked) =>
  [...text.matchAll(/<tr id="space-([^"]*)"/g)].map(([, name]) => decodeURIComponent(name!))
const rowOf = (seen: Looked, name: string) =>
  wordsOf(from(seen, `space-${encodeURIComponent(name)}`).split('</tr>')[0]!)

/** Lets spaces be used one after the other. */
async function use(tester: Tester, ...spaces: string[]): Promise<void> {
  for (const space of spaces) await tester.as(space).get('/mailings?limit=1')
}

describe('all spaces', () => {
  it('that nobody has used say how to begin, and where to read on', async () => {
    const tester = await startTester()
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo'])
    expect(seen.text).toContain('No requests yet')
    expect(seen.text).toMatch(/data-copy="curl -u demo:demo /)
    expect(seen.text).toContain('href="/_mock/docs"')
    expect(seen.text).toContain('href="/_mock/spaces/demo/scenario"')
    await use(tester, 'demo')
    expect((await look(tester, '')).text).not.toContain('No requests yet')
  })

  it('the report on the run is linked above the list of spaces, in the head of every page, and on the page of a verdict', async () => {
    const tester = await startTester()
    const link = 'href="/_mock/report"'
    const spaces = (await look(tester, '')).text
    const head = spaces.slice(spaces.indexOf('<h1>'), spaces.indexOf('id="spaces"'))
    expect(head).toContain(`<a ${link}>Report on this run</a>`)
    const verdict = (await look(tester, '/spaces/demo/verdict')).text
    expect(verdict.split('<main')[0]).toContain(link)
    expect(verdict.split('<main')[1]).toContain(link)
  })

  it('all spaces say of how many requests nothing was judged, and what to set', async () => {
    const tester = await startTester({ journal: 3 })
    for (let nth = 0; nth < 4; nth++) await use(tester, 'demo')
    const seen = await look(tester, '')
    expect(rowOf(seen, 'demo')).toContain('1 request not judged')
    expect(seen.text).toMatch(/title="1 request was dropped to make room: start with --journal 5000\./)
  })

  it('all spaces name those that are kept from before a restart, without opening them', async () => {
    const data = mkdtempSync(join(tmpdir(), 'kept-spaces-'))
    const before = await startTester({ data })
    const kept = Array.from({ length: 52 }, (_, n) => `demo+kept "${String(n).padStart(2, '0')}"`)
    for (const space of kept)
      await before.as(space).post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'a' })
    await before.close()
    const tester = await startTester({ data })
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo'])
    expect(seen.text).toContain('No requests since the start')
    const closed = wordsOf(from(seen, 'closed-spaces'))
    expect(closed).toContain('52 more spaces are kept and not open')
    expect(closed).toMatch(/"49" and 2 more/)
    expect(closed.match(/"\d\d"/g)).toEqual(kept.slice(0, 50).map(it => it.slice(-4)))
    const found = wordsOf(from(await look(tester, '?name=KEPT+%22%35'), 'closed-spaces'))
    expect(found).toMatch(/2 more spaces with “KEPT "5” in their names are kept and not open .*"50".*"51"/)
    expect(seen.text).toContain(`href="/_mock/spaces/${encodeURIComponent(kept[7]!)}"`)
    await look(tester, `/spaces/${encodeURIComponent(kept[7]!)}`)
    const next = await look(tester, '')
    expect(names(next)).toEqual(['demo', kept[7]])
    expect(wordsOf(from(next, 'closed-spaces'))).toContain('51 more spaces are kept')
    expect(wordsOf(next.text)).toContain(
      'A private space that nobody has used for 1 h is closed when another one is opened. Its files stay until somebody removes it',
    )
    await tester.delete('/spaces')
    expect((await look(tester, '')).text).not.toContain('closed-spaces')
    await tester.close()
    rmSync(data, { recursive: true })
  })

  it("a browser's request for an icon has an answer to keep, and is no refused request on record", async () => {
    const tester = await startTester()
    const icon = await tester.fetch('/favicon.ico')
    expect([icon.status, icon.headers.get('cache-control')]).toEqual([204, 'public, max-age=86400'])
    expect(icon.headers.get('x-mock-request-id')).toBeNull()
    expect((await look(tester, '')).text).not.toContain('turned-away')
    expect((await tester.fetch('/favicon.png')).status).toBe(401)
  })

  it('all spaces say which user a refused request named, whether only the password is wrong, and never the password', async () => {
    const tester = await startTester()
    const refusals = async () => wordsOf(from(await look(tester, ''), 'turned-away'))
    for (const [user, password] of [
      ['demo', 'hidden-1'],
      ['nobody\u0007<b>', 'hidden-2'],
      ['x'.repeat(300), 'hidden-3'],
    ] as const)
      expect((await tester.as(user, password).get('/mailings')).json.detail).toBe('User or password is wrong')
    await tester.fetch('/mailings')
    const words = await refusals()
    expect(words).toMatch(/user “demo”: only the password is wrong/)
    expect(words).toMatch(/user “nobody\?<b>”: there is no such user/)
    expect(words).toContain(`“${'x'.repeat(60)}”`)
    expect(words).toContain('The Authorization header is missing')
    expect(words).not.toMatch(/hidden|x{61}/)
  })

  it('all spaces stand in the order in which they were used last, with what happened', async () => {
    const tester = await startTester()
    await use(tester, 'demo+b', 'demo+a')
    await tester.as('demo+b').post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x' })
    await tester.as('demo+b').get('/nothing')
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo+b', 'demo+a', 'demo'])
    expect(rowOf(seen, 'demo+b')).toMatch(/demo\+b private innocent 1 3 404 GET \/nothing /)
    expect(rowOf(seen, 'demo')).toMatch(/demo – 0 0 .*–$/)
  })

  it('all spaces show what the judge says of each that somebody has used', async () => {
    const tester = await startTester()
    await use(tester, 'demo+clean')
    const send = (transactionId: string) =>
      tester.as('demo+hasty').post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
    await send('mock:error-500-after:run-1')
    expect(rowOf(await look(tester, ''), 'demo+clean')).toContain('innocent')
    // The same mailing again, under another ID: what it says is not what it said before.
    const before = rowOf(await look(tester, ''), 'demo+hasty')
    await send('run-2')
    expect(before).not.toMatch(/violation|sent twice/)
    expect(rowOf(await look(tester, ''), 'demo+hasty')).toMatch(
      / suspected: sent twice\? (?!.*(open|suspected))/,
    )
    expect(rowOf(await look(tester, ''), 'demo')).not.toMatch(/violation|open/)
  })

  it('spaces with suspected violations and nothing sent are no harm, and are counted for themselves', async () => {
    const tester = await startTester()
    const send = (space: string, transactionId: string) =>
      tester.as(space).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
    await send('demo+harmed', 'mock:error-500-after:run-1')
    await send('demo+harmed', 'run-2')
    await send('demo+suspected', 'mock:error-500-before:run-1')
    await send('demo+suspected', 'run-2')
    await use(tester, 'demo+calm')
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo+harmed', 'demo+suspected', 'demo+calm', 'demo'])
    expect(rowOf(seen, 'demo+suspected')).toMatch(/ suspected /)
    expect(wordsOf(seen.text)).toContain('1 of 4 spaces where something was sent twice')
    expect(wordsOf(seen.text)).toContain('2 of 4 spaces with violations, proved or suspected')
    expect(names(await look(tester, '?only=harm'))).toEqual(['demo+harmed'])
  })

  it('what is proved comes before what is suspected, and what was sent too often before what was sent once too many', async () => {
    const tester = await startTester()
    const send = (space: string, transactionId: string) =>
      tester.as(space).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
    await send('demo', 'one')
    for (const [space, count] of [
      ['demo+many', 4],
      ['demo+twice', 2],
    ] as const) {
      await send(space, 'mock:error-500-after:run-1')
      for (let nth = 2; nth <= count; nth++) await send(space, `mock:error-500-after:run-${nth}`)
    }
    expect(names(await look(tester, '')).slice(0, 2)).toEqual(['demo+many', 'demo+twice'])
    await send('demo+proved', 'mock:error-500-after:run-1')
    await send('demo+proved', 'run-2')
    await tester
      .as('demo+proved')
      .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'run-2', name: 'Other' })
    await use(tester, 'demo+twice')
    expect(rowOf(await look(tester, ''), 'demo+proved')).toMatch(/violation/)
    expect(names(await look(tester, ''))).toEqual(['demo+proved', 'demo+many', 'demo+twice', 'demo'])
  })

  it('a space with an open question alone has a grey count of its own, and comes after those that are suspected', async () => {
    const tester = await startTester()
    const send = (space: string, transactionId: string) =>
      tester.as(space).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
    await send('demo+suspected', 'mock:error-500-before:run-1')
    await send('demo+suspected', 'run-2')
    await use(tester, 'demo+calm')
    await tester.put('/spaces/demo+open/scenario', { name: 'pending-then-created' })
    await send('demo+open', 'run-1')
    await tester.post('/spaces/demo+open/clock', { advance: 'P1D' })
    const seen = await look(tester, '')
    expect(rowOf(seen, 'demo+open')).toContain('R10 open')
    expect(names(seen)).toEqual(['demo+suspected', 'demo+open', 'demo+calm', 'demo'])
    expect(wordsOf(seen.text)).toContain('1 of 4 spaces with violations, proved or suspected')
    expect(wordsOf(seen.text)).toContain('1 of 4 spaces with open questions only')
    expect(seen.text).toMatch(/class="chip bad" href="\/_mock\?only=violations"/)
    expect(seen.text).toMatch(/class="chip calm" href="\/_mock\?only=open"/)
    expect(names(await look(tester, '?only=violations'))).toEqual(['demo+suspected'])
    expect(names(await look(tester, '?only=open'))).toEqual(['demo+open'])
  })

  it('a second click on a heading turns the order round, one heading is marked, and what is open alone is not red', async () => {
    const tester = await startTester()
    await use(tester, 'demo+b', 'demo+a')
    const transactionId = 'mock:pending-then-created:x'
    await tester.as('demo+b').post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
    let seen = await look(tester, '')
    expect(seen.text).toMatch(/class="chip calm" href="\/_mock\?only=open"/)
    for (const expected of [
      ['demo', 'demo+a', 'demo+b'],
      ['demo+b', 'demo+a', 'demo'],
    ]) {
      const [, query] = /href="\/_mock(\?[^"]*)">Space</.exec(seen.text)!
      seen = await look(tester, query!.replaceAll('&amp;', '&'))
      expect(names(seen)).toEqual(expected)
    }
    expect(seen.text.match(/aria-sort="\w+"/g)).toEqual(['aria-sort="descending"'])
    expect((await look(tester, '?order=used')).text.match(/aria-sort="\w+"/g)).toHaveLength(1)
  })

  it('a space whose verdict is unproved comes before those without violations', async () => {
    const tester = await startTester()
    await use(tester, 'demo+unproved')
    await tester.as('demo+unproved', 'wrong').get('/mailings')
    await tester.as('demo+calm').post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x' })
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo+unproved', 'demo+calm', 'demo'])
    expect(rowOf(seen, 'demo+unproved')).toContain('unproved')
  })

  it('a space whose every request was refused says so in red, there and above its own pages', async () => {
    const tester = await startTester()
    await tester.as('demo+calm').get('/mailings')
    await tester.as('demo', 'wrong').get('/mailings')
    await tester.as('demo').get('/nothing')
    const seen = await look(tester, '')
    expect(names(seen)).toEqual(['demo', 'demo+calm'])
    expect(rowOf(seen, 'demo')).toContain('unproved all refused')
    expect(rowOf(seen, 'demo+calm')).not.toContain('refused')
    expect(wordsOf(seen.text)).toContain('1 of 2 spaces where every request was refused')
    expect(names(await look(tester, '?only=refused'))).toEqual(['demo'])
    for (const page of ['', '/connect', '/verdict'])
      expect(
        (await look(tester, `/spaces/demo${page}`)).text.includes('<span class="chip bad">all refused'),
      ).toBe(page !== '/verdict')
    await tester.as('demo').get('/mailings')
    expect(wordsOf((await look(tester, '')).text)).not.toContain('refused')
  })

  it('a warning is amber and no violation, in the list of spaces as in that of the requests', async () => {
    const tester = await startTester()
    for (let n = 0; n < 3; n++)
      await tester.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), { transactionId: 'x' })
    const seen = await look(tester, '')
    expect(rowOf(seen, 'demo')).toMatch(/^class="marked warn"> demo 1 warning /)
    expect(rowOf(seen, 'demo')).not.toContain('violation')
    expect(seen.text).toMatch(/class="chip warn" href="\/_mock\?only=warnings"/)
    expect((await look(tester, '/spaces/demo')).text).toMatch(
      /class="marked warn"[\s\S]*Amber bar: has a warning\./,
    )
  })

  it('a space whose client asked for a sending, and nothing was sent, is not shown as without violations', async () => {
    const tester = await startTester()
    const path = synchronizationPath(ids.ready, '/sendings')
    await tester.as('demo').post(path, { transactionId: 'mock:failed-once:x' })
    const row = rowOf(await look(tester, ''), 'demo')
    expect(row).toContain('nothing sent')
    expect(row).not.toContain('innocent')
  })

  it('"Break it" and the Spaces page do not contradict each other about a client that guessed', async () => {
    const tester = await startTester()
    await tester.put('/spaces/demo+break-it-wrong/scenario', { name: 'pending-then-created' })
    await tester
      .as('demo+break-it-wrong')
      .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x' })
    const seen = await look(tester, '/break-it?trouble=pending&wrong=sent&right=sent')
    expect(wordsOf(seen.text)).toMatch(
      /While nobody says how it ended: R10 open The client reports: sent\. One mailing was wanted\. Verdict: lost 1 violation Why/,
    )
    expect(seen.text).toContain('/verdict?believes=sent&amp;expected=1&amp;workers=1')
    const spaces = await look(tester, '')
    expect(rowOf(spaces, 'demo+break-it-wrong')).toContain('lost 1 violation')
    expect(spaces.text).toContain('/spaces/demo%2Bbreak-it-wrong?believes=sent&amp;expected=1&amp;workers=1"')
    // A wrong client on purpose is no news: it is folded away and not counted among the spaces of tests.
    const [ofTests, folded] = spaces.text.split('id="demonstration-spaces"')
    expect(ofTests).not.toContain('demo+break-it-wrong')
    expect(wordsOf(ofTests!)).not.toMatch(/\d of \d spaces? where/)
    expect(wordsOf(folded!)).toContain('1 space of “Break it”, 1 with harm')
    await tester.put('/spaces/demo+break-it-wrong', {})
    expect(rowOf(await look(tester, ''), 'demo+break-it-wrong')).toMatch(/demo\+break-it-wrong private – 0/)
  })

  it('a space with perhaps harm and no rule that says so counts as harm alone', async () => {
    const tester = await startTester()
    const path = synchronizationPath(ids.ready, '/sendings')
    // What a client learned from a read that broke off, the judge does not know.
    await tester.post('/spaces/demo/faults', { on: 'listSendings', answer: { fault: 'truncate' } })
    await tester.as('demo').post(path, { transactionId: 'mock:error-500-after:run-1' })
    await expect(tester.as('demo').get(`${path}?includeAllStates=true`)).rejects.toThrow()
    await tester.as('demo').post(path, { transactionId: 'run-2' })
    const { json } = await tester.get('/spaces/demo/verdict')
    expect([json.findings, json.harm.findings.length]).toEqual([[], 1])
    const words = wordsOf((await look(tester, '')).text)
    expect(words).toContain('1 of 1 space where something')
    expect(words).not.toMatch(/space with (violations|open)/)
  })

  it('all spaces are not judged anew as long as nothing happens in them and nothing is said of their clients', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    const rig = mock.rig('demo')
    let judged = 0
    let end = {}
    const judge = async () => ({ verdict: { findings: [], judged: ++judged } as never })
    const verdicts = new VerdictCache(judge, () => end)
    await verdicts.get(rig)
    await verdicts.get(rig)
    expect(judged).toBe(1)
    await mock.as('demo').get('/mailings')
    expect(rig.events.hasListeners).toBe(false)
    expect(await verdicts.get(rig)).toMatchObject({ judged: 2 })
    end = { expected: 1 }
    await verdicts.get(rig)
    expect(await verdicts.get(rig)).toMatchObject({ judged: 3 })
  })

  it('all spaces show what disturbs them', async () => {
    const tester = await startTester()
    await tester.put('/spaces/demo/scenario', { name: 'failed-once' })
    await tester.post('/spaces/demo/faults', {
      on: 'createSending',
      phase: 'before',
      answer: { status: 503 },
    })
    await tester.put('/spaces/demo/dials', { dials: { 'rejected-transaction': 'bound' } })
    await tester.post('/spaces/demo/clock', { freeze: true })
    expect(rowOf(await look(tester, ''), 'demo')).toMatch(/failed-once 1 one-shot fault .*clock frozen/)
    await tester.put('/spaces/demo/scenario', { rules: [{ on: 'createSending', steps: [{}] }] })
    await tester.post('/spaces/demo/clock', { resume: true })
    await tester.post('/spaces/demo/clock', { rate: 60 })
    expect(rowOf(await look(tester, ''), 'demo')).toMatch(/unnamed scenario 1 one-shot fault .*clock ×60/)
    await tester.as('demo').post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'named' })
    for (const path of ['clock', 'scenario', 'requests', 'requests/r5-1', 'sendings', 'verdict']) {
      const words = wordsOf((await look(tester, `/spaces/demo/${path}`)).text)
      expect(words, path).toContain('unnamed scenario')
      expect(words, path).not.toMatch(/own-definition|the definition given for this space/)
    }
  })

  it('the filter "disturbed" finds spaces whose requests chose a scenario themselves', async () => {
    const tester = await startTester()
    await use(tester, 'demo+calm')
    const path = synchronizationPath(ids.ready, '/sendings')
    await tester.as('demo+chosen').post(path, { transactionId: 'mock:failed-once:x' })
    expect(names(await look(tester, '?only=disturbed'))).toEqual(['demo+chosen'])
  })

  it('a used one-shot fault and a scenario that ended count as disturbances in the head, the column and the filter', async () => {
    const tester = await startTester()
    await use(tester, 'demo+calm')
    const path = synchronizationPath(ids.ready, '/sendings')
    await tester.post('/spaces/demo/faults', { on: 'createSending', answer: { status: 503 } })
    await tester.put('/spaces/demo+ended/scenario', { name: 'failed-once' })
    for (const space of ['demo', 'demo+ended']) await tester.as(space).post(path, { transactionId: 'x' })
    await tester.delete('/spaces/demo+ended/scenario')
    const isAsExpected = async () => {
      for (const [space, words] of [
        ['demo', '1 used one-shot fault'],
        ['demo+ended', 'failed-once, ended'],
      ] as const) {
        expect(rowOf(await look(tester, ''), space)).toContain(words)
        const head = from(await look(tester, `/spaces/${space}`), 'space-scenario').split('</p>')[0]!
        expect(wordsOf(head)).toContain(words)
      }
      expect(names(await look(tester, '?only=disturbed&order=name'))).toEqual(['demo', 'demo+ended'])
    }
    await isAsExpected()
    // What is on record says so, too, when the fault is removed.
    await tester.delete('/spaces/demo/faults')
    await isAsExpected()
  })

  it('all spaces are a hundred at most, and found by name', async () => {
    const tester = await startTester()
    await use(tester, ...Array.from({ length: 120 }, (_, at) => `demo+t${at}`))
    const seen = await look(tester, '')
    expect(names(seen)).toHaveLength(100)
    expect(names(seen)[0]).toBe('demo+t119')
    expect(seen.text).toContain('The 100 used last of 121.')
    expect(names(await look(tester, '?name=t11'))).toHaveLength(11)
    expect(names(await look(tester, '?name=DEMO%2BT11'))).toHaveLength(11)
    const none = await look(tester, '?name=%3Cb%3E')
    expect([names(none), /name="name" value="([^"]*)"/.exec(none.text)![1]]).toEqual([[], '&lt;b&gt;'])
    expect(none.text).toContain('No open space has this in its name.')
  })

  it('all spaces listen to what happens in any of them', async () => {
    const tester = await startTester()
    expect((await look(tester, '')).text).toContain('data-events="/_mock/events"')
    expect((await look(tester, '/spaces/demo')).text).toContain('data-events="/_mock/spaces/demo/events"')
  })
})
