import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, type Looked, look, wordsOf } from './person.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const send = (tester: Tester, transactionId: string, headers = {}) =>
  tester.as('demo').post(sendings, { transactionId }, headers)

/** Number of each request that a page lists, in its order. */
const numbers = ({ text }: Looked) =>
  [...text.matchAll(/<td class="soft count">r\d+-(\d+)</g)].map(([, it]) => Number(it))

describe('the requests of a space', () => {
  it('the requests of a space stand there with the newest first, each with what was told', async () => {
    const tester = await startTester()
    await send(tester, 'first')
    await tester.as('demo').get('/nothing')
    const seen = await look(tester, '/spaces/demo')
    expect(numbers(seen)).toEqual([2, 1])
    const words = wordsOf(from(seen, 'requests'))
    expect(words).toMatch(/Request Findings Transaction/)
    expect(words).toMatch(
      /r1-2 10:00:00\.000 now GET \/nothing 404 (?:Did you mean|Paths begin with) .* as told/,
    )
    expect(words).toMatch(/r0-1 10:00:00\.000 now createSending 2222…0001 first 201 CREATED sent/)
    expect(wordsOf(from(seen, 'glance'))).toMatch(/^[^>]*> 2 requests 1 sent/)
  })

  it('the requests of a space say what is true where a client was told otherwise', async () => {
    const tester = await startTester()
    await send(tester, 'lost', { 'X-Mock-Scenario': 'close-after' }).catch(() => {})
    await send(tester, 'told-500', { 'X-Mock-Scenario': 'error-500-after' })
    await send(tester, 'never', { 'X-Mock-Scenario': 'error-500-before' })
    const seen = await look(tester, '/spaces/demo')
    const words = wordsOf(from(seen, 'requests'))
    expect(words).toContain('lost nothing 201 CREATED sent close-after')
    expect(words).toContain('told-500 500 201 CREATED sent error-500-after')
    expect(words).toContain('never 500 nothing was done error-500-before')
    expect(seen.text.match(/class="marked (?:odd|bad|bad doubled)"/g)).toHaveLength(3)
    expect(words).toMatch(/Red bar: broke a rule or is suspected of it/)
    const alone = { 'X-Mock-Scenario': 'error-500-after' }
    await tester.as('demo+alone').post(sendings, { transactionId: 'a' }, alone)
    expect(wordsOf((await look(tester, '/spaces/demo%2Balone')).text)).toContain(
      'Violet bar: Told and True differ.',
    )
  })

  it('the requests of a space say that a creation has no transactionId, and the page of one what was misspelt', async () => {
    const tester = await startTester()
    await tester.as('demo').post(sendings, { transactionID: 'a' })
    const seen = await look(tester, '/spaces/demo')
    expect(wordsOf(from(seen, 'requests'))).toContain('2222…0001 none 201 CREATED misspelt? sent')
    expect(seen.text).toContain('title="No transactionId was read">')
    await tester.as('demo', 'wrong').post(sendings, { transactionId: 'b' })
    expect(wordsOf(from(await look(tester, '/spaces/demo'), 'requests'))).toMatch(/not read 401/)
    const one = wordsOf(from(await look(tester, '/spaces/demo/requests/r0-1'), 'explained'))
    expect(one).toMatch(/Explained .*was sent\. The body's member .*transactionID.* did you mean .*\? Why/)
  })

  it('the page of a request says why a rule names it, with the other requests, and leads to its timeline', async () => {
    const tester = await startTester()
    await send(tester, 'mock:error-500-after:run-1')
    await send(tester, 'run-2')
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    const words = wordsOf(from({ text }, 'explained'))
    expect(words).toMatch(
      / Verdict 2 mailings were sent for what looks like one\. See also r1-2 R02 .* r1-2 /,
    )
    expect(from({ text }, 'explained')).toContain('href="/_mock/spaces/demo/requests/r1-2"')
    expect(text).toContain('href="/_mock/spaces/demo/verdict#R02"')
    expect(text).toContain('href="/_mock/spaces/demo/sendings?request=r0-1"')
  })

  it('the page of a request with another method names the whole address in its heading', async () => {
    const tester = await startTester()
    await tester.fetch(sendings, { method: 'DELETE', headers: { authorization: basic('demo') } })
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    const heading = 'DELETE /integrations/mailing-platform/mailing-synchronizations/2222…0001/sendings'
    expect(text).toContain(`<h1 class="flush">${heading}</h1>`)
    expect(wordsOf(from({ text }, 'answered'))).toMatch(/Delivered All of it went out, \d+ bytes;/)
  })

  it('the list, the text and the sendings say of every refused request that it was told the truth', async () => {
    const tester = await startTester()
    const ask = (user: string, headers: object, body: string) =>
      tester.fetch(sendings, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(user)}`, 'content-type': halType, ...headers },
        body,
      })
    const answers = [
      await ask('demo:guess', {}, '{"transactionId":"a"}'),
      await ask('demo:demo', { 'x-mock-scenario': 'nonesuch' }, '{"transactionId":"b"}'),
      await ask('demo:demo', {}, '{'),
      await ask('demo:demo', { 'content-type': 'text/plain' }, 'x'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 400, 400, 415])
    const seen = await look(tester, '/spaces/demo')
    expect(wordsOf(from(seen, 'requests')).match(/\b4\d\d [A-Z].*? as told/g)).toHaveLength(4)
    expect(seen.text).not.toMatch(/class="marked|\bbar: /)
    const text = await (
      await tester.fetch('/_mock/spaces/demo/requests', { headers: { accept: 'text/plain' } })
    ).text()
    expect(text.match(/ (4\d\d) +\1 /g)).toHaveLength(4)
    const lanes = wordsOf(from(await look(tester, '/spaces/demo/sendings'), 'sendings'))
    expect(lanes).toContain('as told')
    expect(lanes).not.toMatch(/refused|nothing was done/)
  })

  it('the page of one request has the badges of the list beside what was told, and shows no green beside harm', async () => {
    const tester = await startTester()
    await send(tester, 'first', { 'X-Mock-Scenario': 'error-500-after' })
    await send(tester, 'second')
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    expect(wordsOf(text)).toMatch(/Verdict sent twice\? R02 suspected Told 500 True 201 CREATED sent/)
    expect(text).toContain('class="request harmed doubled"')
    await tester.as('demo+calm').post(sendings, { transactionId: 'elsewhere' })
    expect((await look(tester, '/spaces/demo%2Bcalm/requests/r0-1')).text).toContain('class="request"')
  })

  it('the requests of a space say what is true where an answer of the same status was falsified', async () => {
    const tester = await startTester()
    await tester.post('/spaces/demo/faults', { on: 'createSending', answer: { fault: 'lower-case-state' } })
    await send(tester, 'small-letters')
    const seen = await look(tester, '/spaces/demo')
    expect(wordsOf(from(seen, 'requests'))).toMatch(/small-letters 201 created 201 CREATED sent/)
    expect(seen.text.match(/class="marked odd"/g)).toHaveLength(1)
  })

  it('the path of a request that the service does not know stays on one line, and its page has all of it', async () => {
    const tester = await startTester()
    const path = `/nothing/${'deep/'.repeat(60)}end`
    await tester.as('demo').get(path)
    for (const page of ['/spaces/demo', ''])
      expect((await look(tester, page)).text).toContain(`title="GET ${path}"`)
    const [, id] = /href="\/_mock\/spaces\/demo\/requests\/([^"]+)"/.exec(
      (await look(tester, '/spaces/demo')).text,
    )!
    expect(wordsOf((await look(tester, `/spaces/demo/requests/${id}`)).text)).toContain(`GET ${path}`)
  })

  it('every page words alike what a client was told: an unknown state, none, and what it cannot read', async () => {
    const told = {
      'unknown-state': ['201 ACCEPTED', '201 with state ACCEPTED'],
      'lower-case-state': ['201 created', '201 with state created'],
      'stateless-sending': ['201 no state', '201'],
      'malformed-json': ['201 unreadable', '201'],
      'html-200': ['200 unreadable', '200'],
      'foreign-sending': ['201 CREATED', '201 with state CREATED'],
    }
    for (const [scenario, [words, sentence]] of Object.entries(told)) {
      const tester = await startTester()
      await send(tester, 'x', { 'X-Mock-Scenario': scenario }).catch(() => {})
      const one = await look(tester, '/spaces/demo/requests/r0-1')
      const pages = [await look(tester, ''), await look(tester, '/spaces/demo/requests'), one]
      for (const seen of pages) expect(wordsOf(seen.text)).toContain(words)
      expect(wordsOf(from(one, 'explained'))).toContain(`The response was ${sentence}`)
      const truth = scenario === 'html-200' ? 'nothing was done' : '201 CREATED sent'
      expect(wordsOf(one.text)).toContain(`Told ${words} True ${truth}`)
      const { text } = await look(tester, '/spaces/demo/sendings')
      expect(text).toContain(`r0-1, told ${words}, true: ${truth}`)
    }
  })

  it('the requests of a space are narrowed to those with findings or harm', async () => {
    const tester = await startTester()
    await send(tester, 'first', { 'X-Mock-Scenario': 'error-500-after' })
    await send(tester, 'second')
    await tester.as('demo').get('/nothing')
    const seen = await look(tester, '/spaces/demo/requests?only=found')
    expect(numbers(seen)).toEqual([2, 1])
    expect(wordsOf(from(seen, 'requests'))).toContain('R02 suspected')
    expect(seen.text).toContain('<option value="found" selected')
  })

  it('the requests of a space say what was true at that moment, and at which request a sending was sent later', async () => {
    const tester = await startTester()
    const states: string[] = []
    while (states.at(-1) !== 'CREATED')
      states.push((await send(tester, 'mock:pending-then-created:a')).json.state)
    const last = states.length
    expect(last).toBeGreaterThan(1)
    const rows = (await look(tester, '/spaces/demo')).text
      .split('<tr id="row-')
      .slice(1)
      .map(it => wordsOf(`<${it}`))
    expect(rows[0]).toMatch(/CREATED sent pending-then-created/)
    expect(rows.at(-1)).toMatch(new RegExp(`PENDING as told ?; sent later, at r\\d+-${last} `))
    for (const row of rows.slice(1, -1)) expect(row).toContain('PENDING as told pending-then-created')
    const id = /requests\/(r\d+-1)"/.exec((await look(tester, '/spaces/demo')).text)![1]!
    const { text } = await look(tester, `/spaces/demo/requests/${id}`)
    expect(wordsOf(text)).toMatch(/Told 200 PENDING True as told ?; sent later, at r\d/)
    expect(text).toMatch(/sent later, at <a class="word" href="[^"]*\/requests\/(r\d+-\d+)">\1</)
    const platform = wordsOf((await look(tester, '/spaces/demo/platform')).text)
    expect(platform).toMatch(new RegExp(`r0-1 sent at r\\d+-${last}`))
    expect(wordsOf(text)).toMatch(/sent later, at r\d+-\d+\./)
  })

  it('harm stands at the request at which a mailing went out, too', async () => {
    const tester = await startTester()
    await send(tester, 'mock:pending-then-created:one')
    await send(tester, 'two')
    let state = ''
    while (state !== 'CREATED') state = (await send(tester, 'mock:pending-then-created:one')).json.state
    // Whoever goes on with an earlier ID may mean two mailings, unless it is said how many were meant.
    const seen = await look(tester, '/spaces/demo?believes=sent&expected=1')
    const rows = seen.text.split('<tr id="row-').slice(1)
    for (const row of [rows[0]!, ...rows.slice(-2)]) {
      expect(row).toMatch(/^[^>]* class="marked bad doubled"/)
      expect(wordsOf(`<${row}`)).toContain('sent twice')
    }
  })

  it('the requests of a space say when a sending was sent later by the clock', async () => {
    const tester = await startTester()
    await send(tester, 'mock:pending-for-a-while:b')
    await send(tester, 'at-noon', {})
    await tester
      .as('demo')
      .post(sendings, { transactionId: 'timed', scheduleDate: '2026-11-01T12:00:00.000Z' })
    const before = wordsOf(from(await look(tester, '/spaces/demo'), 'requests'))
    expect(before).toMatch(/pending-for-a-while:b 200 PENDING as told pending-for-a-while/)
    expect(before).toMatch(/timed 201 CREATED scheduled/)
    await tester.post('/spaces/demo/clock', { advance: '3h' })
    const words = wordsOf(from(await look(tester, '/spaces/demo'), 'requests'))
    expect(words).toMatch(/200 PENDING as told ?; sent later, at 10:\d\d:\d\d by the clock/)
    expect(words).toMatch(/timed 201 CREATED scheduled sent later, at 12:00:00/)
  })

  it('the requests of a space are narrowed at the address of the space as well', async () => {
    const tester = await startTester()
    await tester.as('demo').get('/mailings')
    await tester.as('demo').get('/nothing')
    const seen = await look(tester, '/spaces/demo?status=4xx')
    expect(numbers(seen)).toEqual([2])
    expect(seen.text).toContain('name="status" value="4xx"')
  })

  it('the requests of a space have no lone word below them where there are none', async () => {
    const { text } = await look(await startTester(), '/spaces/demo')
    expect(wordsOf(from({ text }, 'requests'))).not.toMatch(/None/)
    expect(text).not.toContain('class="pager')
  })

  it('the requests of a space say since when they are on record, where the platform has more from before a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'record-since-'))
    const before = await startTester({ data: dataDir })
    await send(before, 'of-before')
    const once = wordsOf((await look(before, '/spaces/demo')).text)
    expect(once).not.toMatch(/on record since/)
    await before.close()
    const tester = await startTester({ data: dataDir })
    for (const path of ['/spaces/demo', '/spaces/demo/requests?status=5xx', '/spaces/demo/sendings']) {
      const { text } = await look(tester, path)
      expect(wordsOf(text), path).toMatch(
        /Requests before \d{4}-\d\d-\d\d [\d:]+ .* are not on record: the mock was restarted\. Their sending is on Platform \./,
      )
      expect(text).toMatch(/record-since">.*href="\/_mock\/spaces\/demo\/platform"/s)
    }
    const { text: platform } = await look(tester, '/spaces/demo/platform')
    expect(wordsOf(platform)).toContain('Their sending is below.')
    const lost = await look(tester, '/spaces/demo/requests/r0-1')
    expect(lost.text).toContain(
      'none is on record; it came before a restart, which keeps sendings and no requests',
    )
    const { text: unknown } = await look(tester, '/spaces/demo/requests/r9-1')
    expect(unknown).not.toContain('restart')
    expect(unknown).toContain('<a href="/_mock/spaces/demo">Requests of demo</a>')
    expect((await look(tester, '/spaces/nope/requests/r9-1')).text).not.toContain('Requests of nope')
    expect((await look(tester, '/spaces/%ff/requests/r9-1')).status).toBeLessThan(500)
    expect((await look(tester, '/spaces/demo')).text).toContain('No requests since then')
    await tester.close()
    rmSync(dataDir, { recursive: true })
  })

  it('the head of a space and the list of spaces name a scenario that a request chose by its header', async () => {
    const tester = await startTester()
    await send(tester, 'a', { 'x-mock-scenario': 'error-500-before' })
    expect((await look(tester, '/spaces/demo/requests')).text).toContain(
      'data-live="request scenario reset"> <a class="chip calm" href="/_mock/spaces/demo/scenario" title="Chosen by single requests, for themselves: error-500-before">error-500-before, by request</a>',
    )
    expect((await look(tester, '')).text).toContain('for themselves: error-500-before')
    await tester.close()
  })

  it('the requests of a space are called disturbed in the head where only a one-shot fault is armed', async () => {
    const tester = await startTester()
    const head = async () => wordsOf(from(await look(tester, '/spaces/demo'), 'space-scenario')).slice(0, 80)
    expect(await head()).toContain('undisturbed')
    await tester.post('/spaces/demo/faults', { on: 'createSending', phase: 'before' })
    expect(await head()).toContain('disturbed by 1 one-sh')
    expect(await head()).not.toContain('undisturbed')
    expect(wordsOf((await look(tester, '/spaces/demo')).text)).toContain('1 one-shot fault armed')
  })

  it('the requests of a space are pages of fifty, until the oldest', async () => {
    const tester = await startTester()
    for (let at = 0; at < 120; at++) await tester.as('demo').get('/mailings?limit=1')
    const seen: number[] = []
    let path: string | undefined = '/spaces/demo'
    const counts: string[] = []
    while (path) {
      const page: Looked = await look(tester, path)
      seen.push(...numbers(page))
      counts.push(/class="soft">([^<]* of \d+[^<]*)</.exec(page.text)![1]!)
      path = /href="\/_mock([^"]*)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at))
    expect(counts).toEqual(['50 of 120', '50 of 70 older ones', '20 of 20 older ones'])
  })

  it('the requests of a space tell how many had to make room', async () => {
    const tester = await startTester({ journal: 3 })
    for (let at = 0; at < 5; at++) await tester.as('demo').get('/mailings?limit=1')
    const seen = await look(tester, '/spaces/demo/requests')
    expect(numbers(seen)).toEqual([5, 4, 3])
    expect(seen.text).toContain('3 of 3; 2 dropped to make room')
  })

  it.each([
    ['operation=listMailings', [2]],
    ['status=4xx', [3]],
    ['status=201', [4, 1]],
    ['transactionId=order-1', [1]],
    ['transactionId=order*', [5, 1]],
    ['delivered=none', [5]],
    ['scenario=close-after', [5]],
    ['scenario=Close*', [5]],
    ['transactionId=ORDER-*', [5, 1]],
    ['operation=&status=&transactionId=', [5, 4, 3, 2, 1]],
    ['limit=2&order=oldest', [1, 2]],
    ['before=3', [2, 1]],
  ])('the requests of a space are narrowed by %s', async (query, expected) => {
    const tester = await startTester()
    await send(tester, 'order-1')
    await tester.as('demo').get('/mailings')
    await tester.as('demo').get('/nothing')
    await send(tester, 'other')
    await send(tester, 'order-2', { 'X-Mock-Scenario': 'close-after' }).catch(() => {})
    const seen = await look(tester, `/spaces/demo/requests?${query}`)
    expect(seen.status).toBe(200)
    expect(numbers(seen)).toEqual(expected)
    expect(seen.text.includes('>Clear</a>')).toBe(/=[^&]/.test(query) && !/limit|before/.test(query))
  })

  it('the requests of several clients are found by a part of the User-Agent, which the page of each has near its top', async () => {
    const tester = await startTester()
    const purpose = 'What the client asked and was told, newest first.'
    const field = 'name="client"'
    await send(tester, 'one', { 'user-agent': 'shop-newsletter/2.3' })
    const alone = await look(tester, '/spaces/demo/requests')
    expect(wordsOf(alone.text)).toContain(purpose)
    expect(alone.text).not.toContain(field)
    await send(tester, 'two', { 'user-agent': 'shop-batch/1.0' })
    await send(tester, 'three', { 'user-agent': 'shop-newsletter/2.3' })
    const seen = await look(tester, '/spaces/demo/requests?client=Newsletter')
    expect(numbers(seen)).toEqual([3, 1])
    expect(seen.text).toContain(field)
    expect(seen.text).toContain('>Clear</a>')
    const older = await look(tester, '/spaces/demo/requests?client=shop-newsletter&limit=1')
    expect(older.text).toMatch(/client=shop-newsletter[^"]*" rel="next"/)
    const [, href] = /href="\/_mock([^"]*\/requests\/r\d+-1)"/.exec(seen.text)!
    const [top] = (await look(tester, href!)).text.split('id="explained"')
    expect(wordsOf(top!)).toContain('Client shop-newsletter/2.3')
  })

  it('the requests of a space with the oldest first lead to newer ones and back, and a filter keeps their order', async () => {
    const tester = await startTester()
    for (const path of ['/mailings', '/nothing', '/mailings']) await tester.as('demo').get(path)
    const pages = ({ text }: Looked) => wordsOf(/<nav[^>]*of requests">.*?<\/nav>/s.exec(text)![0])
    const first = await look(tester, '/spaces/demo/requests?order=oldest&limit=2')
    expect(pages(first)).toBe('2 of 3 Newer')
    expect(first.text).toContain('<input type="hidden" name="order" value="oldest"/>')
    const [, address] = /href="\/_mock([^"]*)" rel="next"/.exec(first.text)!
    const second = await look(tester, address!.replaceAll('&amp;', '&'))
    expect([numbers(second), pages(second)]).toEqual([[3], '1 of 1 newer ones Oldest'])
    expect(second.text).toMatch(/requests\?limit=2&amp;order=oldest">Oldest/)
  })

  it('the control call tells transaction IDs apart by their case, and takes the beginning of a scenario', async () => {
    const tester = await startTester()
    await send(tester, 'order-1')
    await send(tester, 'ORDER-1', { 'X-Mock-Scenario': 'error-500-after' })
    const count = async (query: string) => (await tester.get(`/spaces/demo/requests?${query}`)).json.count
    expect(await count('transactionId=order-*')).toBe(1)
    expect(await count('scenario=error-500*')).toBe(1)
    expect(await count('scenario=error-500')).toBe(0)
  })

  it('the filter of requests offers the scenarios that are on record', async () => {
    const tester = await startTester()
    await send(tester, 'order-1', { 'X-Mock-Scenario': 'error-500-after' })
    const { text } = await look(tester, '/spaces/demo/requests')
    expect(text).toContain('<datalist id="fired"><option value="error-500-after"')
  })

  it('two IDs that differ at their end differ on the page, however long they are', async () => {
    const tester = await startTester()
    const start = `newsletter-${'2026-'.repeat(14)}group-5`
    for (const id of [start, `${start}-second`]) await send(tester, id)
    for (const [path, before] of [
      ['/spaces/demo/requests', '<code><span class="id-start">'],
      ['/spaces/demo/sendings', '<code class="clamp"'],
      ['/spaces/demo/platform', '<code class="clamp"'],
    ] as const) {
      const cells = (await look(tester, path)).text.split(before).slice(1)
      const ends = cells.map(it =>
        it
          .split('</code>')[0]!
          .replace(/<[^>]*>/g, '')
          .slice(-9),
      )
      expect(ends.sort(), path).toEqual(['-5-second', '6-group-5'])
    }
  })

  it('the requests of a space keep the filter in its fields, and from page to page', async () => {
    const tester = await startTester()
    for (let at = 0; at < 3; at++) await send(tester, `a-b${at}`)
    const { text } = await look(tester, '/spaces/demo/requests?transactionId=a-b*&status=2xx&limit=2')
    expect(text).toContain('name="transactionId" value="a-b*"')
    expect(text).toContain('name="status" value="2xx"')
    expect(text).toMatch(
      /href="[^"]*\?status=2xx&amp;transactionId=a-b\*&amp;limit=2&amp;before=2" rel="next"/,
    )
  })

  it('that are not there say what to do', async () => {
    const tester = await startTester()
    const { text } = await look(tester, '/spaces/demo')
    expect(text).toContain('No requests yet')
    const [, line] = /data-copy="(curl [^"]*)"/.exec(text)!
    expect(line).toContain(`http://localhost${sendings}`)
    await tester.as('demo').get('/mailings')
    const filtered = await look(tester, '/spaces/demo/requests?status=5xx')
    expect(filtered.text).toContain('No request is like that')
    expect(filtered.text).not.toContain('No requests yet')
  })
})

describe('the line that an empty space shows', () => {
  it('the line that an empty space shows makes a request that succeeds, also in a private space', async () => {
    const tester = await startTester()
    const address = await tester.listen()
    await tester.put('/spaces/demo+x')
    const response = await fetch(`${address}/_mock/spaces/demo+x`, { headers: { accept: 'text/html' } })
    const [, line] = /data-copy="(curl [^"]*)"/.exec(await response.text())!
    const [, user, type, body, url] = /^curl -u (\S+) -H '([^']*)' --data-raw '([^']*)' (\S+)$/.exec(
      line!.replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
    )!
    expect(user).toBe('demo+x:demo')
    const answer = await fetch(url!, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(user!)}`,
        'content-type': type!.replace('Content-Type: ', ''),
      },
      body: body!,
    })
    expect(answer.status).toBe(201)

    const opened = await look(tester, `/spaces/demo+x/requests/${answer.headers.get('x-mock-request-id')}`)
    expect(wordsOf(opened.text)).toContain('User demo+x Arrived')
    await tester.close()
  })
})

describe('a request', () => {
  it('a request is explained in all the words of the control call', async () => {
    const tester = await startTester()
    await send(tester, 'told-500', { 'X-Mock-Scenario': 'error-500-after' })
    const { explanation, id } = (
      await tester.get(
        `/spaces/demo/requests/${(await tester.get('/spaces/demo/requests')).json._embedded.requests[0].id}`,
      )
    ).json
    const words = wordsOf((await look(tester, `/spaces/demo/requests/${id}`)).text)
    const { summary, ...parts } = explanation
    for (const sentence of [summary, ...Object.values<string[]>(parts).flat()])
      expect(words).toContain(sentence)
  })

  it('a request shows both answers where the client was told another one than the true', async () => {
    const tester = await startTester()
    await send(tester, 'told-500', { 'X-Mock-Scenario': 'error-500-after' })
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    expect(wordsOf(from({ text }, 'answered'))).toMatch(/Response Status 500 /)
    expect(wordsOf(from({ text }, 'true-answer'))).toMatch(/which the client was not told Status 201 /)
  })

  it('a request shows the headers that a fault on the wire set, and the response that it sent before', async () => {
    const tester = await startTester()
    await send(tester, 'T', { 'X-Mock-Scenario': 'early-hints' })
    const words = wordsOf(from(await look(tester, '/spaces/demo/requests/r0-1'), 'answered'))
    expect(words).toContain('Before it 103 with Link: </mailings>; rel=preload Status 201')
    expect(words).toContain('Connection close')
  })

  it('lays its answer out, with links that lead to this mock and nowhere else', async () => {
    const tester = await startTester()
    const link = 'http://elsewhere.example/x'
    const made = await tester.as('demo').post(sendings, {
      transactionId: link,
      subject: 'javascript:alert(1)',
      scheduleDate: 'http://localhost/a"b',
    })
    expect(made.status).toBe(400)
    await send(tester, 'with-links')
    const wrong = (await look(tester, '/spaces/demo/requests/r0-1')).text
    const hrefs = (text: string) =>
      [...text.matchAll(/<a href="([^"]*)" target="_blank"/g)].map(([, it]) => it)
    expect(hrefs(wrong).filter(it => !it!.startsWith('/_mock/'))).toEqual([])
    const right = (await look(tester, '/spaces/demo/requests/r0-2')).text
    const { href } = (await tester.as('demo').get(`${sendings}?limit=1`)).json._embedded['svc:sendings'][0]
      ._links.self
    // A browser cannot open what asks for a password, so the reference has it filled in.
    const target = encodeURIComponent(href.slice('http://localhost'.length))
    expect(hrefs(right)).toContain(`/_mock/docs/getSending?target=${target}&amp;user=demo#try`)
    // The template of the relations names no page.
    expect(right).toContain('/_mock/relations/{rel}')
    expect(right).not.toContain('href="/_mock/relations/')
  })

  it('a request leads to the report of what it sent, and the report back to it, without a word of what the service does not tell', async () => {
    const tester = await startTester()
    await send(tester, 'mock:error-500-after:run-1')
    await send(tester, 'run-2')
    const { json } = await tester.get('/spaces/demo/platform')
    const { sendingId, cause } = json.sendings[1]
    const report = `/_mock/spaces/demo/sendings/${sendingId}/report`
    for (const path of [`/requests/${cause}`, '/platform', '/sendings'])
      expect((await look(tester, `/spaces/demo${path}`)).text, path).toContain(`href="${report}">report`)
    const words = wordsOf((await look(tester, `/spaces/demo/requests/${cause}`)).text)
    expect(words).toMatch(/ sent sending \d+ of mailing \d+ to 12,480 recipients /)
    const head = from(await look(tester, report.slice('/_mock'.length)), 'report-head')
    expect(wordsOf(head)).toContain(`Asked for by ${cause} timeline Created`)
    expect(head).toContain(`href="/_mock/spaces/demo/requests/${cause}"`)
    expect(head).toContain(`href="/_mock/spaces/demo/sendings?request=${cause}"`)
  })

  it('a request stands with the other attempts that had its transaction ID, and only those', async () => {
    const tester = await startTester()
    for (const id of ['same', 'other', 'same']) await send(tester, id)
    const { text } = await look(tester, '/spaces/demo/requests/r1-3'.replace('r1-3', 'r0-1'))
    const attempts = from({ text }, 'attempts').split('</table>')[0]!
    expect(wordsOf(attempts)).toMatch(/2 attempts with same/)
    expect(attempts.match(/aria-current="page"/g)).toHaveLength(1)
    expect(attempts).not.toContain('>other<')
  })

  it('a request can be made again by the line for curl, which has no credentials but the space’s own', async () => {
    const tester = await startTester()
    await tester.fetch(sendings, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('demo:demo')}`,
        'content-type': halType,
        'x-api-key': 'hidden-key-123',
        'x-mine': "it's",
        'user-agent': 'mine/1',
      },
      body: `{"transactionId":"it's"}`,
    })
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    const [, line] = /data-copy="(curl [^"]*)" aria-label="Copy as curl"/.exec(text)!
    const plain = line!.replaceAll('&quot;', '"').replaceAll('&#39;', "'")
    expect(plain).toContain(` -u demo:demo `)
    expect(plain).toContain(`-H 'x-mine: it'\\''s'`)
    expect(plain).toContain(`--data-raw '{"transactionId":"it'\\''s"}'`)
    expect(plain).not.toMatch(/hidden|mine\/1|authorization/i)
  })

  it('a request with a wrong password has a line for curl without a password', async () => {
    const tester = await startTester()
    await send(tester, 'right')
    await tester.as('demo', 'wrong').get('/mailings')
    const { text } = await look(tester, '/spaces/demo/requests/r1-2')
    expect(/data-copy="(curl [^"]*)" aria-label="Copy as curl"/.exec(text)![1]).toMatch(
      / -u demo (?!.*demo:)/,
    )
  })

  it('without a body that is kept whole has no line for curl', async () => {
    const tester = await startTester()
    await send(tester, 'x'.repeat(20_000))
    const { text } = await look(tester, '/spaces/demo/requests/r0-1')
    expect(text).not.toContain('Copy as curl')
    expect(text).toContain('Only its beginning was kept')
  })

  it('a request leads to the one before and the one after', async () => {
    const tester = await startTester()
    for (let at = 0; at < 3; at++) await tester.as('demo').get('/mailings?limit=1')
    const { text } = await look(tester, '/spaces/demo/requests/r0-2')
    expect(text).toContain('href="/_mock/spaces/demo/requests/r0-1" rel="prev"')
    expect(text).toContain('href="/_mock/spaces/demo/requests/r0-3" rel="next"')
  })
})

describe('a request that was refused before its body was read', () => {
  const refused = async () => {
    const tester = await startTester()
    const address = await tester.listen()
    await fetch(`${address}${sendings}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('demo:demo')}`,
        'content-type': halType,
        'x-mock-scenario': 'pending-for-evr',
      },
      body: JSON.stringify({ transactionId: 'unread' }),
    })
    const [, id] = /requests\/(r\d+-1)"/.exec((await look(tester, '/spaces/demo')).text)!
    const seen = await look(tester, `/spaces/demo/requests/${id}`)
    await tester.close()
    return seen
  }

  it('a request that was refused before its body was read says that its body was not read, also beside the curl line, which lacks it', async () => {
    const { text } = await refused()
    const words = wordsOf(text)
    expect(words).toContain('The body was not read: 26 bytes were announced; the response was made before.')
    expect(words).toContain('The line lacks the body')
    expect(words.match(/No body/g)).toBeNull()
  })

  it('a request that was refused before its body was read is explained with the nearest scenario, not with all of them', async () => {
    const explained = wordsOf(from(await refused(), 'explained')).split('Request ID')[0]!
    expect(explained).toContain('pending-for-ever')
    expect(explained).toContain('GET /_mock/scenarios and docs/scenarios.md list all')
    expect(explained).not.toContain('truncated-gzip')
  })
})

describe('what a client writes from right to left', () => {
  it('what a client writes from right to left is set apart in every sentence that quotes it', async () => {
    const tester = await startTester()
    const id = 'mock:\u202Eשלום'
    await send(tester, id)
    const seen = await look(tester, '/spaces/demo/requests/r0-1')
    const explained = from(seen, 'explained').split('</section>')[0]!
    const quotes = explained.match(/&quot;[^&]*שלום[^&]*&quot;/g)!
    expect(quotes.length).toBeGreaterThan(0)
    expect(explained.match(/<bdi>&quot;[^&]*שלום[^&]*&quot;<\/bdi>/g)).toHaveLength(quotes.length)
  })
})
