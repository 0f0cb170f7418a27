import { afterEach, describe, expect, it } from 'vitest'
import { spaceResult } from '../../../src/judge/run/run-result.ts'
import { failsOn, runHeadline, runText } from '../../../src/judge/run/run-text.ts'
import type { AssemblyOptions } from '../../../src/lib/assemble-mock.ts'
import { runHtml } from '../../../src/pages/run-report.tsx'
import { ids, type Json, synchronizationPath } from '../../mock.ts'
import { eventually } from '../../process.ts'
import { sentences, startTester, type Tester } from './tester.ts'

let tester: Tester
afterEach(() => tester.close())
const start = async (options: AssemblyOptions = {}) => {
  tester = await startTester(options)
}

const sendings = synchronizationPath(ids.ready, '/sendings')

/** One mailing of a client that does everything right. */
const send = (user: string, body: object = {}) =>
  tester.as(user).post(sendings, { transactionId: 'one', ...body })

const lostAnswer = { on: 'createSending', phase: 'after', answer: { status: 500 } }

/** A client that sends again under another ID, since it did not see that it was sent. */
async function sendTwice(user: string) {
  await tester.post(`/spaces/${user}/faults`, lostAnswer)
  await send(user, { transactionId: 'first' })
  await send(user, { transactionId: 'second' })
  // One worker: it knew the first response.
  await tester.get(`/spaces/${user}/verdict?workers=1&expected=1`)
}

const report = async (query = ''): Promise<Json> => (await tester.get(`/report${query}`)).json
const statuses = ({ cases }: Json) => cases.map(({ name, status, state }: Json) => [name, status, state])

/** A form of the report that is no JSON. */
async function reportAs(format: string, query = ''): Promise<string> {
  const response = await tester.fetch(`/_mock/report?format=${format}${query}`)
  expect(response.status).toBe(200)
  return response.text()
}

describe('the report on a run', () => {
  it('the report is a page for a browser, and JSON for a program', async () => {
    await start()
    await send('demo')
    const asBrowser = (query: string) =>
      tester.fetch(`/_mock/report${query}`, { headers: { accept: 'text/html,*/*;q=0.8' } })
    const typeOf = async (query: string) => (await asBrowser(query)).headers.get('content-type')
    expect(await typeOf('')).toBe('text/html; charset=utf-8')
    expect(await typeOf('?format=json')).toMatch(/json/)
    expect(await report()).toMatchObject({ spaces: 1 })
  })

  it('over HTTP the report has every form of the command, in the words of the command, and a mistyped one is refused with those that there are', async () => {
    await start()
    await sendTwice('demo+wrong')
    const { _links, ...it } = await report()
    const cases = it.cases.map(({ _links, ...one }: Json) => one)
    expect(await reportAs('text')).toBe(runText({ ...it, cases }))
    expect(await reportAs('github')).toMatch(/^::error title=demo\+wrong%3A R02 /)
    for (const accept of ['application/json', 'text/html']) {
      const refused = await tester.fetch('/_mock/report?format=txt', { headers: { accept } })
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain('Possible: markdown, junit, json, html, text, github')
    }
  })

  it('the report has every space to which a request came, those included that were reset or removed', async () => {
    await start()
    for (const user of ['demo', 'demo+kept', 'demo+removed']) await send(user)
    await tester.put('/spaces/demo+untouched', {})
    await tester.post('/spaces/demo/reset')
    await send('demo', { transactionId: 'two' })
    await tester.delete('/spaces/demo+removed')
    const { unused, ...it } = await report()
    expect(statuses(it)).toEqual([
      ['demo', 'passed', 'reset'],
      ['demo (2)', 'passed', 'open'],
      ['demo+kept', 'passed', 'open'],
      ['demo+removed', 'passed', 'removed'],
    ])
    expect(it).toMatchObject({ isPassed: true, spaces: 4, passed: 4, requests: 4, sent: 4 })
    expect(unused).toBe(1)
  })

  it('a client that sent twice fails, and the report says by which rule, and what it asked', async () => {
    await start()
    await send('demo+right')
    await sendTwice('demo+wrong')
    const it = await report()
    expect(it).toMatchObject({ isPassed: false, passed: 1, failed: 1, sent: 3 })
    const wrong = it.cases.find(({ status }: Json) => status === 'failed')
    expect(wrong).toMatchObject({ name: 'demo+wrong', end: { expected: 1, workers: 1, believes: null } })
    expect(wrong.causes).toEqual(['R02'])
    expect(wrong.findings[0]).toMatchObject({ rule: 'R02', severity: 'error', status: 'guilty' })
    expect(wrong.timeline).toHaveLength(2)
    expect(wrong.timeline[0]).toMatch(/send, ID A → 500.*\(true: 201/)
  })

  it('of very many requests it shows those that a finding cites, wherever they are', async () => {
    await start()
    const reads = async (count: number) => {
      for (let n = 0; n < count; n++) await tester.as('demo+big').get(sendings)
    }
    await reads(160)
    await tester.post('/spaces/demo+big/faults', lostAnswer)
    for (const transactionId of ['one', 'two']) await send('demo+big', { transactionId })
    await reads(60)
    const [{ timeline }] = (await report()).cases
    expect(timeline).toEqual([
      expect.stringMatching(/send, ID A → 500 .*\(true: 201 CREATED, sent\)/),
      expect.stringMatching(/send, ID B → 201 CREATED/),
    ])
  })

  it('what a test said of the end of its client counts in the report, too, when its space is gone', async () => {
    await start()
    for (const user of ['demo+said', 'demo+unsaid'])
      for (const transactionId of ['one', 'two']) await send(user, { transactionId })
    await tester.get('/spaces/demo+said/verdict?expected=1&workers=1')
    for (const user of ['said', 'unsaid']) await tester.delete(`/spaces/demo+${user}`)
    expect(statuses(await report())).toEqual([
      ['demo+said', 'failed', 'removed'],
      ['demo+unsaid', 'passed', 'removed'],
    ])
  })

  it('a space in which something was armed in vain fails', async () => {
    await start()
    await tester.put('/spaces/demo+vain/scenario', { name: 'reset-after' })
    const { cases } = await report()
    expect(cases).toMatchObject([{ status: 'failed', causes: [] }])
    expect(cases[0].reason).toMatch(/reset-after was armed/)
  })

  it('the clients of "Break it" are left out, which a line of each text and the page say', async () => {
    await start()
    await send('demo')
    await sendTwice('demo+break-it-wrong')
    await sendTwice('demo+break-it-right')
    expect(await report()).toMatchObject({ isPassed: true, spaces: 1, failed: 0, demonstrations: 2 })
    for (const form of ['text', 'markdown', 'html'])
      expect(await reportAs(form)).toContain(
        '2 spaces of “Break it” are left out: a demonstration, and no client under test.',
      )
    // A click begins them again.
    await tester.put('/spaces/demo+break-it-wrong', {})
    expect(await report()).toMatchObject({ isPassed: true, spaces: 1 })
  })

  it('a label chooses spaces, and one that matches nothing says so in every form and fails', async () => {
    await start()
    for (const user of ['demo+ci-1-a', 'demo+ci-1-b', 'demo+ci-2']) await send(user)
    const { spaces, label } = await report('?label=demo%2Bci-1-*')
    expect([spaces, label]).toEqual([2, 'demo+ci-1-*'])
    expect(await report('?label=nobody')).toMatchObject({ spaces: 0, isPassed: false, cases: [] })
    for (const format of ['markdown', 'html'])
      expect(await reportAs(format, '&label=nobody')).toContain(
        'Not passed: no request came to a space whose name matches nobody',
      )
    // That nothing was met at all needs no list.
    expect((await reportAs('markdown', '&label=nobody')).trim()).toBe(
      '## ❌ Not passed: no request came to a space whose name matches nobody',
    )
    expect(await reportAs('html', '&label=nobody')).not.toMatch(/Never met|0 requests/)
    expect(await reportAs('junit', '&label=nobody')).toContain('tests="0"')
    expect((await tester.get('/report?label=')).status).toBe(400)
  })

  it('a mailing that perhaps was sent twice is told in every form beside a rule that is certain, in the words of the verdict', async () => {
    await start()
    await tester.post('/spaces/demo+both/faults', lostAnswer)
    for (const transactionId of ['a', 'b', 'bad id !']) await send('demo+both', { transactionId })
    const [both] = (await report()).cases
    expect(both.causes).toEqual(['R20', 'R02'])
    const { failure } = (await tester.get('/spaces/demo+both/verdict')).json
    expect(failure).toMatch(
      /^it looks as if one mailing was sent twice\. R20 was broken: .* Also suspected: R02, /,
    )
    expect(both.reason).toBe(failure.replace('it', 'It'))
    for (const format of ['junit', 'html', 'markdown']) {
      // What is read, without the links of a page.
      const text = (await reportAs(format)).replaceAll('\\', '').replace(/<\/?(?:a|bdi)\b[^>]*>/g, '')
      expect(text, format).toContain(both.reason)
      expect(text, format).toMatch(/suspected R02: r\d/)
      expect(text, format).not.toContain('open R02')
    }
    expect(await reportAs('markdown')).toMatch(
      /<summary>demo\+both: R20 Malformed transactionId; R02 New [\w ]+ \(suspected\)</,
    )
  })

  it('a space that is unproved says why: requests were dropped, or a question is open', async () => {
    await start({ journal: 3 })
    for (let nth = 0; nth < 5; nth++) await send('demo+dropped', { transactionId: `${nth}` })
    const reason =
      '2 requests were dropped to make room: start with --journal 5000. What they would show is open. Say how many mailings were meant.'
    expect((await report()).cases).toMatchObject([{ name: 'demo+dropped', status: 'unproved', reason }])
    for (const format of ['junit', 'html', 'markdown'])
      expect((await reportAs(format)).replaceAll('\\', ''), format).toContain(
        '2 requests were dropped to make room',
      )
    expect(await reportAs('html')).toContain('>2 requests not judged<')
    expect(await reportAs('markdown')).toContain('| 5 (2 not judged) |')
    await send('demo+open', { transactionId: 'mock:pending-for-ever:p' })
    const open = (await report('?label=*open')).cases[0]
    expect(open.status).toBe('unproved')
    expect(open.reason).toMatch(/^R\d\d is open: .+\? /)
  })

  it('a request that is under way is counted, and the report does not wait for it', async () => {
    await start()
    await tester.put('/spaces/demo+held/scenario', {
      rules: [{ on: 'createSending', steps: [{ hold: 'gate', state: 'CREATED' }] }],
    })
    const sending = send('demo+held')
    await eventually('the request to be held', async () => {
      const { held } = (await tester.get('/spaces/demo+held')).json
      return held > 0 || undefined
    })
    const it = await report()
    expect(it).toMatchObject({ open: 1, cases: [{ name: 'demo+held', open: 1, requests: 1, sent: 0 }] })
    expect(await reportAs('markdown')).toContain('1 request is still under way.')
    await tester.post('/spaces/demo+held/holds/gate/release')
    await sending
    expect(await report()).toMatchObject({ open: 0, sent: 1 })
  })

  it('2,100 changed spaces under a limit of 2,000 in memory give a report of 2,100', async () => {
    await start({ spaceLimit: 2_000, memoryLimit: 1_000 })
    for (let nth = 0; nth < 2_100; nth++) await send(`demo+${nth}`)
    const it = await report()
    expect(it).toMatchObject({ spaces: 2_100, passed: 2_100, sent: 2_100 })
    expect(it.leftOut).toEqual({ spaces: 0, failed: 0, unjudged: 0 })
    expect(it.cases.filter(({ state }: Json) => state === 'made room')).toHaveLength(100)
  }, 120_000)

  it('spaces that are gone are kept up to a bound; the report counts those that are left out, and keeps one that failed', async () => {
    await start({ memoryLimit: 16 })
    await sendTwice('demo+wrong')
    await tester.delete('/spaces/demo+wrong')
    const many = 2_000
    for (let nth = 0; nth < many; nth++) {
      await tester.as(`demo+${nth}`).get('/mailings')
      if (nth % 50 === 49) await tester.delete('/spaces')
    }
    const { spaces, leftOut, cases, failed } = await report()
    expect(leftOut.spaces).toBeGreaterThan(0)
    expect([spaces + leftOut.spaces, failed, leftOut.failed]).toEqual([many + 1, 1, 0])
    expect(cases[0].name).toBe('demo+wrong')
    expect(await reportAs('markdown')).toContain(
      `${leftOut.spaces} spaces that are gone are not listed, since only so many are kept: 0 failed`,
    )
  }, 120_000)

  it('what is accepted for now does not fail: by the setting, and by a call for spaces of a name', async () => {
    await start()
    await sendTwice('demo+one')
    await sendTwice('demo+other')
    const known = [{ rule: 'R02', case: 'demo+on?', reason: 'to be mended' }]
    const { json } = await tester.post('/report', { known })
    expect(statuses(json)).toEqual([
      ['demo+other', 'failed', 'open'],
      ['demo+one', 'known', 'open'],
    ])
    expect(json.accepted).toEqual({ file: 'known', unmatched: [] })
    const stale = (await tester.post('/report', { known: [...known, { rule: 'R01', reason: 'old' }] })).json
    expect(stale.accepted.unmatched).toEqual(['known:2: R01'])
  })

  it.each([
    [{ rule: 'R99', reason: 'none' }, 'known: known:1:11: rule: there is no rule "R99"'],
    [{ rule: 'R02' }, 'known: known:1:3: reason: expected why it is accepted for now'],
  ])('an entry of what is accepted that is wrong is refused: %j', async (entry, sentence) => {
    await start()
    const refused = await tester.post('/report', { known: [entry] })
    expect(refused.status).toBe(400)
    expect(sentences(refused)[0]).toContain(sentence)
  })

  it('hostile names are text in every form', async () => {
    await start()
    const user = `demo+<script>alert(1)</script>&"]]>|@x \u202e`
    await send(encodeName(user))
    await tester.get('/spaces')
    expect(await reportAs('html')).not.toContain('<script')
    expect(await reportAs('junit')).not.toContain('<script')
    expect(await reportAs('markdown')).not.toMatch(/<script|@x|\u202e/)
  })

  it('a test has the same name in the JUnit file of each run, although its space has another one', async () => {
    await start()
    const uuid = '6b0c1a52-7d4e-4f6a-9a7e-0d1c2b3a4f5e'
    await sendTwice(`demo+test-retry.${uuid}`) // of the kits for Python and Java
    await send('demo+test-lost.6b0c1a527d4e4f6a9a7e0d1c2b3a4f5e') // of the kit for PHP
    await send('demo+test-lost.0badcafe') // of vitest
    await send(`demo+${uuid}`)
    await send('demo+release.2026')
    const junit = await reportAs('junit')
    const names = [...junit.matchAll(/<testcase classname="space" name="([^"]*)"/g)].map(([, name]) => name)
    expect(names.sort()).toEqual([
      'demo+release.2026',
      'demo+test-lost',
      'demo+test-lost (2)',
      'demo+test-retry',
      'demo+unnamed',
    ])
    expect(junit).toContain(`Space: demo+test-retry.${uuid}\n`)
  })

  it('a run of forty suites ends with one JUnit file and one Markdown page', async () => {
    await start()
    for (let nth = 0; nth < 40; nth++) await send(`demo+suite-${nth}`)
    await sendTwice('demo+suite-7')
    const junit = await reportAs('junit')
    expect(junit.match(/<testcase /g)).toHaveLength(40)
    expect(junit.match(/<failure /g)).toHaveLength(1)
    const markdown = await reportAs('markdown')
    expect(markdown).toContain('❌ Not passed: 40 spaces: 1 failed, 39 passed')
    expect(markdown).toContain('| demo+suite-7 | failed | 3 |')
    const { cases } = await report()
    for (const { _links, ...it } of cases) expect(spaceResult.safeParse(it).error).toBeUndefined()
  })
})

/** Only what a header can have. */
const encodeName = (name: string) => name.replace('\u202e', '')

describe('what a run never met', () => {
  it('every form leads to the capsule of a space that is open, where something was found', async () => {
    await start()
    await send('demo+right')
    await sendTwice('demo+wrong')
    await sendTwice('demo+gone')
    await tester.post('/spaces/demo+gone/reset')
    const { cases } = await report()
    const [gone, wrong, right] = cases
    expect([gone.capsule, right.capsule]).toEqual([undefined, right._links.capsule.href])
    const { href } = wrong._links.capsule
    const kept: Json = await (await tester.fetch(new URL(href).pathname)).json()
    expect(kept.space).toBe('demo+wrong')
    expect(wrong.capsule).toBe(href)
    expect(await reportAs('junit')).toContain(`\nCapsule: ${href}</failure>`)
    expect(await reportAs('markdown')).toContain(`\n- [Its capsule](<${href}>), while the mock runs\n`)
    expect(await reportAs('html')).toContain(`<a href="${href}">Its capsule</a>`)
    for (const form of ['junit', 'markdown', 'html'])
      expect((await reportAs(form)).split('/capsule')).toHaveLength(2)
  })

  it('the page of the report leads to the spaces and to the rules, and a file of it does not', async () => {
    await start()
    await sendTwice('demo+wrong')
    const page = await reportAs('html')
    const { href } = (await report())._links.self
    const root = href.replace(/\/report$/, '')
    expect(page).toContain(`<a href="${root}">Spaces</a>`)
    expect(page).toContain(`<a href="${root}/exams">Exams</a>`)
    expect(page).toContain(`<a href="${root}/report" aria-current="true">Report</a>`)
    const [, rule] = new RegExp(`<a href="${root}(/docs/conduct\\.md)#r\\d+">Read: `).exec(page)!
    const served = await tester.fetch(`/_mock${rule}`, { headers: { accept: 'text/html' } })
    expect(served.status).toBe(200)
    const pages = `${root}/spaces/demo%2Bwrong`
    expect(page).toContain(`<a href="${pages}/verdict">Verdict on demo+wrong</a>`)
    expect(page).toContain(`<a class="word" href="${pages}/requests/r0-1">r0-1</a>`)
    for (const path of ['verdict', 'requests/r0-1'])
      expect((await tester.get(`/spaces/demo+wrong/${path}`)).status).toBe(200)
    const file = runHtml((await report()) as never)
    expect(file).not.toContain('/verdict')
    expect(file).not.toContain('/requests/')
    expect(file).toContain('Read: docs/conduct.md#r')
    expect(file).not.toContain('/docs/conduct.md#r0')
  })

  it('a space that is gone has no pages to lead to', async () => {
    await start()
    await sendTwice('demo+gone')
    await tester.delete('/spaces/demo+gone')
    const page = await reportAs('html')
    expect(page).toContain('demo+gone')
    expect(page).not.toContain('/spaces/')
  })

  it('what failed stands first in every form, and harm before what is suspected and before other mistakes', async () => {
    await start()
    await send('demo+a-right')
    await tester.put('/spaces/demo+b-vain/scenario', { name: 'reset-after' })
    await tester.post('/spaces/demo+c-suspected/faults', lostAnswer)
    await send('demo+c-suspected', { transactionId: 'one' })
    await send('demo+c-suspected', { transactionId: 'two' })
    for (const transactionId of ['one', 'two', 'three']) {
      await tester.post('/spaces/demo+d-often/faults', lostAnswer)
      await send('demo+d-often', { transactionId })
    }
    await sendTwice('demo+e-wrong')
    // New IDs while it is PENDING, of which none was sent yet.
    await tester.put('/spaces/demo+a-pending/scenario', { name: 'pending-for-ever' })
    for (const transactionId of ['one', 'two', 'three', 'four'])
      await send('demo+a-pending', { transactionId })
    const harmful = ['demo+e-wrong', 'demo+d-often', 'demo+c-suspected']
    const names = [...harmful, 'demo+a-pending', 'demo+b-vain', 'demo+a-right']
    const { cases } = await report()
    expect(statuses({ cases })).toEqual(names.map((it, at) => [it, at < 5 ? 'failed' : 'passed', 'open']))
    for (const format of ['html', 'junit', 'markdown']) {
      const text = await reportAs(format)
      const places = names.slice(0, 4).map(it => text.indexOf(it))
      expect(places, format).toEqual(places.toSorted((a, b) => a - b))
      expect(places, format).not.toContain(-1)
    }
  })

  it('the picture of what was met has a square for each plan that was met, and scrolls on a small screen', async () => {
    await start()
    const troubles = { on: 'createSending', times: 2, phase: 'before', answer: { status: 500 } }
    await tester.post('/spaces/demo+lost/faults', troubles)
    for (let attempt = 0; attempt < 3; attempt++) await send('demo+lost')
    const { coverage } = await report()
    const met = coverage.join('').replaceAll('-', '').length
    const page = await reportAs('html')
    const [, picture = ''] =
      /<div class="scroll"><svg[^>]*class="coverage deep"[^>]*>(.*?)<\/svg>/s.exec(page) ?? []
    expect(met).toBeGreaterThan(0)
    expect(picture.match(/<rect/g)).toHaveLength(met)
    expect(page.length).toBeLessThan(150_000)
  })

  it('spaces that nobody judged are named in the first line, and fail where warnings do', async () => {
    await start()
    await send('demo')
    const { _links, ...rest } = await report()
    const one = { ...rest, leftOut: { spaces: 3, failed: 0, unjudged: 2 } }
    expect(runHeadline(one)).toBe('Passed: 1 space: 1 passed; 2 not judged')
    expect((['error', 'warning', 'never'] as const).map(it => failsOn(one, it))).toEqual([false, true, false])
  })

  it('what a run never met is listed by kinds, and no longer once a request meets it', async () => {
    await start()
    await send('demo+plain')
    const before = await report()
    expect(before.neverMet.operations).not.toContain('createSending')
    expect(before.neverMet.operations).toContain('getSending')
    expect(before.neverMet.phases).toEqual(['before', 'bound', 'partial', 'after'])
    expect(before.neverMet.states).toEqual(['PENDING', 'FAILED', 'INDETERMINATE_FAILURE'])
    expect(before.neverMet.troubles).toContain('500-sent')
    expect(before.neverMet.rules.map(({ id }: Json) => id)).toContain('R02')
    expect(before.share.met).toBe(0)

    await sendTwice('demo+met')
    await tester.as('demo+met').get(synchronizationPath('no-such', '/sendings'))
    const after = await report()
    expect(after.neverMet.phases).not.toContain('after')
    expect(after.neverMet.refusals).not.toContain('not-found')
    expect(after.neverMet.troubles).not.toContain('500-sent')
    expect(after.neverMet.rules.map(({ id }: Json) => id)).not.toContain('R02')
    expect(after.share.met).toBe(1)
  })

  it('the picture has a letter for what each kind of trouble at the first and the second attempt led to', async () => {
    await start()
    await tester.put('/spaces/demo+lost/scenario', {
      rules: [
        {
          on: 'createSending',
          per: 'space',
          steps: [
            { times: 1, phase: 'before', answer: { status: 500 } },
            { times: 1, state: 'PENDING', for: '1h' },
            { state: 'CREATED' },
          ],
        },
      ],
    })
    for (let attempt = 0; attempt < 2; attempt++) await send('demo+lost')
    const { coverage, neverMet } = await report()
    expect(coverage).toHaveLength(coverage[0].length - 3)
    expect(coverage.filter((line: string) => /[^-]/.test(line))).toHaveLength(1)
    expect(neverMet.troubles).not.toContain('500-nothing')
    expect(neverMet.troubles).not.toContain('told-pending')
  })

  it('a scenario and a fault that fired are no longer among those that never did', async () => {
    await start()
    await tester.put('/spaces/demo+armed/scenario', { name: 'reset-after' })
    await send('demo+armed').catch(() => {})
    const { neverMet } = await report()
    expect(neverMet.scenarios).not.toContain('reset-after')
    expect(neverMet.faults).not.toContain('reset')
    expect(neverMet.faults).toContain('hang')
  })

  it('the space of a case says what its exam said, as does its verdict', async () => {
    await start()
    const { cases } = (await tester.post('/exams', { only: ['failed-once', 'happy-path'] })).json
    const { user, synchronizationId } = cases.find(({ name }: Json) => name === 'failed-once')
    await tester.as(user).post(synchronizationPath(synchronizationId, '/sendings'), { transactionId: 'one' })
    const statusOf = async () => (await report(`?label=${encodeURIComponent(user)}`)).cases[0]?.status
    expect(await statusOf()).not.toBe('failed')
    const address = '/exams/exam-1/cases/failed-once'
    const exam = (await tester.post(address, { believes: 'sent' })).json
    expect(exam.status).toBe('failed')
    const [inReport] = (await report(`?label=${encodeURIComponent(user)}`)).cases
    expect(inReport).toMatchObject({ status: 'failed', end: { believes: 'sent' } })
    const rules = exam.findings.map(({ rule }: Json) => rule)
    expect(inReport.findings.map(({ rule }: Json) => rule)).toEqual(rules)
    await tester.delete('/exams/exam-1')
    const [gone] = (await report(`?label=${encodeURIComponent(user)}`)).cases
    expect(gone).toMatchObject({ status: 'failed', state: 'removed' })
    expect(gone.findings.map(({ rule }: Json) => rule)).toEqual(rules)
  })
})
