import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { rules } from '../../src/judge/rules/registry.ts'
import { basic, halType, ids, type Json, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { look, wordsOf } from './person.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(): Promise<Tester> {
  const tester = await startTester()
  started.push(tester)
  return tester
}

const page = '/spaces/demo/verdict'
const path = synchronizationPath(ids.ready, '/sendings')

async function send(tester: Tester, ...bodies: object[]): Promise<void> {
  for (const body of bodies)
    await tester
      .as('demo')
      .post(path, body)
      .catch(() => undefined)
}
const wordsAt = async (tester: Tester, query = '') => wordsOf((await look(tester, page + query)).text)
const newId = [{ transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' }]

it('where several clients made the requests, findings and the list of requests name them, and nowhere else', async () => {
  const tester = await start()
  const send = (transactionId: string, client: string) =>
    tester
      .as('demo')
      .post(
        synchronizationPath(ids.ready, '/sendings'),
        { transactionId, subject: 'same' },
        { 'user-agent': client },
      )
      .catch(() => {})
  const wordsOn = async (path: string) => wordsOf((await look(tester, `/spaces/demo${path}`)).text)
  await send('mock:reset-after:one', 'shop/1.0')
  await send('two', 'shop/1.0')
  expect(await wordsOn('/verdict')).not.toContain('shop/1.0')
  expect(await wordsOn('/requests')).not.toContain('shop/1.0')
  await send('three', 'batch/2.3')
  expect(await wordsOn('/verdict')).toMatch(/Requests r\d-1 r\d-2 of shop\/1\.0/)
  expect(await wordsOn('/requests')).toMatch(
    /Request Client Findings .* createSending \S+ batch\/2\.3 .* shop\/1\.0/,
  )
})

describe('the verdict as a page', () => {
  it('the verdict as a page says of a client that did nothing wrong just that', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    const words = await wordsAt(tester)
    expect(words).toContain(
      'innocent No rule was broken. Fine if 2 mailings were meant. 2 intended sendings: 2 attempts on a timeline',
    )
    expect(words).toContain(
      '2 mailings were sent. open Whether one of them was sent twice depends on how many were meant.',
    )
    expect(words).not.toMatch(/Broken rules|Open questions|Remarks/)
  })

  it('the verdict as a page counts a single sending in the singular', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    expect(await wordsAt(tester)).toContain('1 mailing was sent. none')
  })

  it('the verdict as a page tells what was sent from what is scheduled', async () => {
    const tester = await start()
    await send(
      tester,
      { transactionId: 'a' },
      { transactionId: 'b', scheduleDate: '2030-01-01T00:00:00.000Z' },
    )
    expect(await wordsAt(tester)).toContain('1 mailing was sent and 1 is scheduled.')
  })

  it('every page and every text tell what was sent from what is scheduled and what was stopped, in the same figures', async () => {
    const tester = await start()
    const scheduleDate = '2030-01-01T00:00:00.000Z'
    await send(
      tester,
      { transactionId: 'a' },
      { transactionId: 'b', scheduleDate },
      { transactionId: 'c', scheduleDate },
      { transactionId: 'mock:created-stopped:d', scheduleDate },
    )
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    const wordsOn = async (path: string) => wordsOf((await look(tester, path)).text)
    const textOf = async (path: string) => (await tester.fetch(`/_mock${path}`)).text()
    expect(await wordsAt(tester)).toContain(
      '1 mailing was sent and 2 are scheduled, 1 was stopped by the platform.',
    )
    expect(await wordsOn('/spaces/demo')).toContain('1 sent 2 scheduled 1 stopped')
    expect(await wordsOn('')).toContain('1 + 2 scheduled (1 stopped)')
    expect(await wordsOn('/spaces/demo/sendings')).toContain(
      'An intended sending counts once here, however often it was sent. In all the platform has 1 sent, 2 scheduled, 1 stopped.',
    )
    expect(await wordsOn('/spaces/demo/platform')).toMatch(
      /1 sent to lists 2 scheduled 0 sent too often, each copy counted 1 stopped/,
    )
    expect(await textOf('/spaces/demo/verdict?format=text&expected=4')).toMatch(
      /transactionId b: 0 sent, 1 scheduled\n/,
    )
    // The report counts for the last end that was said.
    const verdict = await textOf('/spaces/demo/verdict?format=text&expected=1')
    expect(verdict).toContain('1 sent, 2 scheduled, 1 stopped of 1 meant')
    expect(verdict).toContain('1 mailing was sent and 2 are scheduled, where 1 was meant.')
    expect(verdict).toContain('\nHARM: 1 mailing was sent and 2 are scheduled, where 1 was meant, and ')
    for (const form of ['text', 'markdown', 'html'])
      expect(await textOf(`/report?format=${form}`)).toContain('1 mailing sent, 2 scheduled, 1 stopped.')
    expect(await textOf('/report?format=markdown')).toContain('| 4 | 1, 2 scheduled, 1 stopped |')
    const { json } = await tester.get('/report')
    expect(json).toMatchObject({ sent: 3, scheduled: 2, stopped: 1 })
  })

  it('mailings sent without a transactionId are a doubt on Verdict, in its text, on Spaces and on Requests', async () => {
    const tester = await start()
    await send(tester, { transactionID: 'a' }, { transactionID: 'a' })
    const doubt = '2 mailings were sent, several without a transactionId. If fewer were meant,'
    expect(await wordsAt(tester)).toContain(`innocent No rule was broken. ${doubt}`)
    expect((await look(tester, `${page}?format=text`)).text).toContain(
      `INNOCENT: no rule was broken.\n${doubt}`,
    )
    const spaces = (await look(tester, '')).text
    expect(spaces).toContain('<span class="chip warn">2 sent, no transactionId</span>')
    expect(wordsOf(spaces)).toContain('1 of 1 space where several mailings were sent without a transactionId')
    expect((await look(tester, '/spaces/demo')).text).toMatch(
      /<span class="chip warn" title="The body[^"]*did you mean[^"]*">misspelt\?</,
    )
    // With an end of the client the number is stated, and nothing is in doubt.
    expect(await wordsAt(tester, '?believes=sent&expected=2')).not.toContain('several without')
  })

  it('the verdict as a page does not call a client innocent that sent twice what was meant once', async () => {
    const tester = await start()
    await send(tester, {}, {})
    const words = await wordsAt(tester, '?believes=sent')
    expect(words).toContain('harm One mailing was sent twice, and no rule could be proved broken.')
    expect(words).toContain('The service sends a mailing for each request without a transactionId')
    expect(words).not.toContain('innocent No rule')
  })

  it('the verdict as a page and as text call harm that is open suspected, not harm', async () => {
    const tester = await start()
    // What a client learned from a read that failed, the judge does not know.
    await tester.post('/spaces/demo/faults', { on: 'listSendings', answer: { status: 500 } })
    await send(tester, newId[0]!)
    await tester.as('demo').get(`${path}?includeAllStates=true`)
    await send(tester, newId[1]!)
    const words = await wordsAt(tester)
    expect(words).toContain(
      'suspected R02 is suspected: new transactionId after an error or a timeout. It looks as if one mailing was sent twice.',
    )
    expect(words).not.toContain('there is harm')
    const text = (await look(tester, `${page}?format=text`)).text
    expect(text).toContain(
      'SUSPECTED: R02 is suspected: new transactionId after an error or a timeout. It looks as if one mailing was sent twice.\n2 mailings were sent for',
    )
    expect(text).toMatch(/Harm \(2 sent\)\n {2}sent twice\?: .*\n\nFindings/)
  })

  it('a mailing that was sent too often is named by how often, and by how many were meant, on all pages', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-0' }, ...newId)
    for (const at of ['', '/spaces/demo/requests', '/spaces/demo/sendings', '/spaces/demo/platform', page]) {
      const words = wordsOf((await look(tester, at)).text)
      expect(words, at).toContain('sent 3 times?')
      expect(words.replace('something was sent twice', ''), at).not.toContain('sent twice')
    }
    const unasked = await wordsAt(tester, '?believes=sent&expected=0')
    expect(unasked).toMatch(
      /It was sent sent unasked .* Harm 3 mailings .* sent unasked 3 mailings were sent/,
    )
    expect(unasked).not.toContain('sent twice')
    expect(await wordsAt(tester, '?believes=sent&expected=2')).toContain('All were sent 1 sent too many')
    const sendings = await look(tester, '/spaces/demo/sendings?believes=sent&expected=0')
    expect(wordsOf(sendings.text)).toContain('3 sent sent unasked')
  })

  it('an end of the client that was chosen on Verdict stays on all pages that name harm, until it is taken back', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-0' }, ...newId)
    const end = '?believes=sent&expected=2&workers=1'
    const request = '/spaces/demo/requests/r0-1'
    for (const at of [
      page,
      '/spaces/demo/sendings',
      '/spaces/demo/requests',
      request,
      '/spaces/demo/platform',
    ]) {
      const { text } = await look(tester, at + end)
      const words = wordsOf(text)
      expect(words, at).toContain(
        'Shown for: All were sent , with 2 mailings to send and 1 worker at a time. Take it back .',
      )
      expect(words, at).toContain('1 sent too many')
      expect(words, at).not.toContain('sent 3 times')
      expect(text, at).toContain('<a href="?">Take it back</a>')
      const judged = [
        ...text.matchAll(
          /href="[^"]*?\/demo(\/(?:requests|verdict|sendings|platform)?(?:\/r0-\d)?)([?#][^"]*)?"/g,
        ),
      ]
      expect(judged.length, at).toBeGreaterThan(4)
      for (const [link, to, query = ''] of judged) {
        if (query.includes('format=')) continue
        expect(query, `${at}: ${link} to ${to}`).toMatch(/[?;]believes=sent&amp;expected=2/)
      }
    }
    expect(wordsOf((await look(tester, request)).text)).not.toContain('Shown for')
    const narrowed = await look(tester, `/spaces/demo/sendings${end}&only=double`)
    expect(narrowed.text).toContain('<a href="?only=double">Take it back</a>')
    const counted = await look(tester, '/spaces/demo/sendings?expected=3')
    expect(wordsOf(counted.text)).toContain('Shown for: 3 mailings to send. Take it back .')
    const told = await look(tester, '/spaces/demo/requests?believes=sent')
    expect(told.text).toMatch(/<input type="hidden" name="believes" value="sent"/)
  })

  it('what the last call for the verdict said of the client counts on all pages whose address says nothing', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-0' }, ...newId)
    const judged = ['', '/sendings', '/requests/r0-1', '/platform', '/verdict']
    await look(tester, '')
    await tester.get(`${page}?believes=sent&expected=2&workers=2`)
    for (const at of judged) {
      const words = wordsOf((await look(tester, `/spaces/demo${at}`)).text)
      expect(words, at).toContain(
        'Shown for: All were sent , with 2 mailings to send and 2 workers at a time, as the last call for the verdict said.',
      )
      expect(words, at).toContain('1 sent too many')
    }
    expect(wordsOf((await look(tester, '')).text)).toContain('1 sent too many')
    const other = wordsOf((await look(tester, '/spaces/demo/sendings?expected=3')).text)
    expect(other).toContain('Shown for: 3 mailings to send. Take it back .')
    expect(other).not.toContain('sent too many')
    // A call that says nothing is answered for nothing, and changes nothing.
    expect((await tester.get(page)).json.harm).toMatchObject({ believes: null, expected: null })
    expect(wordsOf((await look(tester, '/spaces/demo/sendings')).text)).toContain('1 sent too many')
  })

  it('the verdict as a page says that one mailing can be sent twice, where it has not been', async () => {
    const tester = await start()
    await send(
      tester,
      { transactionId: 'mock:pending-then-created:one' },
      { transactionId: 'mock:pending-then-created:two' },
    )
    expect(await wordsAt(tester)).toContain(
      'suspected R03 is suspected: new transactionId while PENDING. One mailing can be sent twice in this way.',
    )
  })

  it('several mailings that may have been sent twice are counted, on the page of the spaces and in the verdict', async () => {
    const tester = await start()
    for (const name of ['x', 'y', 'z']) {
      await send(tester, { transactionId: `mock:error-500-after:${name}-1`, name })
      await send(tester, { transactionId: `${name}-2`, name })
    }
    expect(wordsOf((await look(tester, '')).text)).toContain('3 sent too many?')
    expect(await wordsAt(tester)).toMatch(
      /suspected R02 is suspected: [a-zI ]+\. It looks as if 3 mailings were sent twice\. 2 mailings were sent for what looks like one\. And 2 more of the kind\./,
    )
    expect(await wordsAt(tester, '?believes=sent&expected=3')).toContain('All were sent 3 sent too many')
  })

  it('the verdict as a page says one sentence once, with the requests of all findings that it tells', async () => {
    const tester = await start()
    for (const name of ['x', 'y', 'z']) {
      await send(tester, { transactionId: `mock:error-500-after:${name}-1`, name })
      await send(tester, { transactionId: `${name}-2`, name })
    }
    const parts = (await wordsAt(tester)).split(' Harm ')[1]!
    expect(parts.match(/2 mailings were sent for what looks like one/g)).toHaveLength(1)
    expect(parts.match(/The client could not know whether the first one was sent/g)).toHaveLength(1)
    expect(parts).toContain('Suspected R02')
    expect(parts.match(/3 of this kind: Requests r\d-\d r\d-\d · timeline Requests/g)).toHaveLength(2)
  })

  it('the verdict as a page calls no refused attempt an intended sending', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'not well formed' })
    expect(await wordsAt(tester)).toMatch(/violation 1 attempt on a timeline , refused /)
    await send(tester, { transactionId: 'nor this' }, { transactionId: 'or that' })
    expect(await wordsAt(tester)).toMatch(/violations? 3 attempts on a timeline , all refused /)
    await send(tester, { transactionId: 'a' })
    expect(await wordsAt(tester)).toMatch(
      / 1 intended sending: 4 attempts on a timeline , 3 of them refused /,
    )
    const sendings = wordsOf((await look(tester, '/spaces/demo/sendings')).text)
    expect(sendings).toContain('1 intended sending: 4 attempts, 3 of them refused. An intended sending')
  })

  it('the verdict and the sendings count intended sendings in the same words, and the latter name those that are none', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'not well formed', subject: 'x' })
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    expect(await wordsAt(tester)).toContain(
      '2 intended sendings: 3 attempts on a timeline , 1 of them refused',
    )
    const sendings = wordsOf((await look(tester, '/spaces/demo/sendings')).text)
    expect(sendings).toMatch(/All 3 .* undisturbed 1 refused, so not intended /)
    expect(sendings).toContain('2 intended sendings: 3 attempts, 1 of them refused. An intended sending')
    const narrowed = wordsOf((await look(tester, '/spaces/demo/sendings?only=refused')).text)
    expect(narrowed).toContain('not well formed')
    expect(narrowed).not.toMatch(/10:00:00\S* \S+ 201/)
  })

  it('the verdict as a page shows the result first, then the ends, for as many mailings as the result is fine with', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' }, { transactionId: 'c' })
    const { text } = await look(tester, page)
    expect(wordsOf(text)).toMatch(
      /innocent No rule was broken\. Fine if 3 mailings were meant\..* What does the client report at its end\? .* the verdict that follows from it, if 3 mailings were meant \(as the judge counts them; change it below\)\. .* All were sent innocent .* Harm /,
    )
    expect(text).toMatch(/name="expected"[^>]* value="3"/)
    expect(await wordsAt(tester, '?believes=sent&expected=1')).toContain('It was sent sent 3 times')
  })

  it('the verdict as a page begins with as many mailings as the judge counts, and with an end and no number with one, as its other forms', async () => {
    const tester = await start()
    await send(tester, ...newId, { transactionId: 'other', name: 'Another mailing' })
    const { text } = await look(tester, page)
    expect(text).toMatch(/name="expected"[^>]* value="2"/)
    expect(wordsOf(text)).toContain(
      'if 2 mailings were meant (as the judge counts them; change it below). An answer may settle',
    )
    const ended = await look(tester, `${page}?believes=sent`)
    expect(ended.text).toMatch(/name="expected"[^>]* value="1"/)
    expect(wordsOf(ended.text)).toContain('if 1 mailing was meant. An answer may settle')
    expect((await tester.get(`${page}?believes=sent`)).json.harm.expected).toBe(1)
  })

  /** A client that leaves once its mailing is sent. */
  async function leaveDuring(scenario: string): Promise<Tester> {
    const tester = await start()
    const left = new AbortController()
    const asked = tester.fetch(path, {
      method: 'POST',
      headers: { authorization: basic('demo'), 'content-type': halType, 'x-mock-scenario': scenario },
      body: JSON.stringify({ transactionId: 'a' }),
      signal: left.signal,
    })
    const sent = async () => (await tester.get('/spaces/demo/platform')).json.sendings.length
    await expect.poll(sent).toBe(1)
    left.abort()
    await asked.catch(() => undefined)
    await tester.get('/spaces/demo/requests/wait?count=1')
    return tester
  }

  it('a client that left before a byte of the response came may not report success', async () => {
    const tester = await leaveDuring('hang-after')
    expect(await wordsAt(tester, '?believes=sent')).toMatch(/Broken rules .*R24/)
  })

  it('the verdict as a page says why a client that left during CREATED may report success', async () => {
    const tester = await leaveDuring('stalled-body')
    const why = 'The client disconnected during the response to r0-1, which had CREATED.'
    expect(await wordsAt(tester, '?believes=sent')).toMatch(/innocent No rule was broken\. .*so R24 does not/)
    expect(await wordsAt(tester, '?believes=sent')).toContain(why)
    expect(await wordsAt(tester, '?believes=unknown')).not.toContain(why)
    await send(tester, { transactionId: 'a' })
    expect(await wordsAt(tester, '?believes=sent')).not.toContain(why)
  })

  it('the verdict as a page says how many of the mailings are sent so far, where the end of the client is not known', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    expect(await wordsAt(tester, '?expected=2')).toMatch(
      /All were sent lost .* where 2 were meant\. open 1 of 2 so far; whether the rest is lost depends on the client’s end\./,
    )
    expect(await wordsAt(tester, '?expected=1')).toContain('none Nothing was sent twice or lost')
  })

  it('a finding that stays open after the end of the client is known says why, and what would decide it', async () => {
    const tester = await start()
    await send(tester, ...newId, { transactionId: 'mock:error-500-after:run-3' })
    const open =
      'nothing says which of these requests mean the same mailing: a space with one mailing decides it.'
    for (const [expected, meant] of [
      [0, 'none was'],
      [2, '2 were'],
    ] as const) {
      const address = `${page}?believes=sent&expected=${expected}`
      const sentence = `It stays open, because ${meant} meant, and ${open}`
      expect((await tester.get(address)).json.findings[0]).toMatchObject({
        status: 'open',
        sentence: expect.stringContaining(sentence),
      })
      const words = await wordsAt(tester, `?believes=sent&expected=${expected}`)
      expect(words).toContain(sentence)
      expect(words).not.toContain('It depends on')
    }
    const { json } = await tester.get(page)
    expect(JSON.stringify(json)).not.toContain('It stays open')
  })

  it('the verdict stands beside the title of the pages of a space, and leads to its page', async () => {
    const tester = await start()
    const at = async (tab: string) => (await look(tester, `/spaces/demo/${tab}`)).text
    expect(await at('clock')).not.toContain('<span class="soft">verdict</span>')
    await send(tester, ...newId)
    const tabs = ['connect', 'requests', 'sendings', 'mailings', 'platform', 'scenario', 'clock', 'data']
    for (const tab of tabs)
      expect(wordsOf(/<h1>.*/s.exec(await at(tab))![0]), tab).toMatch(
        /^\w+ (?:.* )?verdict suspected: sent twice\? /,
      )
    // The service links to this one.
    expect(await at(`mailings/${ids.mailing.ready}`)).not.toContain('sent twice')
  })

  it('the verdict as a page says why nothing could be proved', async () => {
    const tester = await start()
    await tester.as('demo').get('/mailings')
    await tester.as('demo', 'wrong').post(path, {})
    expect(await wordsAt(tester)).toMatch(
      /unproved No sending was accepted, so there is nothing to judge\. 1 request had missing or wrong credentials.* Requests with wrong credentials, of all spaces /,
    )
  })

  it('the verdict as a page leads to no timeline where there is none', async () => {
    const tester = await start()
    for (let count = 0; count < 3; count++) await tester.as('demo').post('/mailing', {})
    const { text } = await look(tester, page)
    expect(wordsOf(text)).toMatch(
      /R14 .*No authenticated request asks for a sending\.|No authenticated request asks for a sending\..*R14 /,
    )
    expect(text).not.toMatch(/>timeline<|on a timeline/)
  })

  it('refused requests of strangers change no verdict on a space that has requests', async () => {
    const tester = await start()
    await tester.as('demo').get('/mailings')
    const before = (await tester.get(page)).json
    await tester.as('stranger').post(path, {})
    expect((await tester.get(page)).json).toEqual(before)
    expect(before).not.toHaveProperty('hint')
  })

  it('a chosen end of the client stays on every tab of the space', async () => {
    const tester = await start()
    await send(tester, ...newId)
    for (const tab of ['connect', 'mailings', 'scenario', 'clock', 'data']) {
      const { text } = await look(tester, `/spaces/demo/${tab}?believes=sent&expected=1`)
      expect(wordsOf(text), tab).toMatch(/Shown for: It was sent ?, with 1 mailing to send/)
      expect(text, tab).toContain(
        'href="/_mock/spaces/demo/sendings?believes=sent&amp;expected=1&amp;workers=1"',
      )
      expect(wordsOf(text), tab).toMatch(/verdict .*sent twice 1 violation/)
    }
  })

  it('the verdict as a page says what is open, and what would settle it; and settles it when it is told', async () => {
    const tester = await start()
    await send(tester, ...newId)
    const open = await wordsAt(tester)
    expect(open).toContain(
      'suspected R02 is suspected: new transactionId after an error or a timeout. It looks as if one mailing was sent twice.',
    )
    expect(open).toMatch(/Suspected R02 New transactionId after an error or a timeout suspected /)
    expect(open).toContain('It depends on whether these requests mean one mailing.')
    const told = await wordsAt(tester, '?believes=sent&expected=1&workers=1')
    expect(told).toContain(
      'guilty R02 was broken: new transactionId after an error or a timeout. One mailing was sent twice.',
    )
    expect(told).toMatch(/Broken rules R02 New transactionId/)
    expect(told).toContain('where 1 was meant; the client reports: it was sent.')
    expect(told).not.toContain('It depends on')
  })

  it('the verdict as a page says what decides whether repeats without a pause are a loop', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-ever:hot'
    await send(tester, ...Array.from({ length: 8 }, () => ({ transactionId })))
    expect(await wordsAt(tester)).toMatch(
      /R15 Repeated without a pause .* It depends on whether the same worker repeated the request\. Enter above how many/,
    )
    for (const query of ['?workers=1', '?expected=1&workers=1&believes=unknown'])
      expect(await wordsAt(tester, query)).toMatch(/Broken rules .*R15/)
  })

  it('the verdict as a page follows the number of mailings before an end is chosen, and so do text and links', async () => {
    const tester = await start()
    await send(tester, ...newId)
    const both = await wordsAt(tester, '?expected=2&workers=1')
    // The first mailing was not repeated, which only the end of the client decides.
    expect(both).toMatch(/open It cannot be known whether a rule was broken\. .* Open questions R11 /)
    expect(both).toContain('2 mailings were sent, where 2 were meant. none')
    expect(both).not.toMatch(/suspected|R02|one mailing|Enter above how many/)
    const { text } = await look(tester, `${page}?expected=2&workers=1`)
    expect(text).toMatch(/name="workers"[^>]* value="1"/)
    for (const format of ['text', 'json'])
      expect(text).toContain(
        `href="/_mock/spaces/demo/verdict?format=${format}&amp;expected=2&amp;workers=1"`,
      )
    expect(text).toContain('href="/_mock/spaces/demo/sendings?expected=2&amp;workers=1"')
    expect((await look(tester, `${page}?expected=2&format=text`)).text).toMatch(/\nOPEN: .*\nTell the judge/)
    expect((await tester.get(`${page}?expected=2`)).json).toMatchObject({
      outcome: 'open',
      suspicion: null,
      findings: [{ rule: 'R11', status: 'open' }],
      harm: { expected: 2, believes: null, findings: [] },
    })
    const one = await wordsAt(tester, '?expected=1&workers=1')
    expect(one).toMatch(/sent twice 2 mailings were sent, where 1 was meant\./)
    expect(one).not.toContain('It depends on how many mailings')
    expect((await tester.get(`${page}?expected=1`)).json).toMatchObject({
      suspicion: expect.stringContaining('where 1 was expected'),
      harm: { expected: 1, findings: [{ kind: 'DOUBLE', status: 'certain' }] },
    })
  })

  it.each(['', '?expected=1&workers=2', '?believes=sent&expected=2&workers=2'])(
    'the verdict as a page says why a question is open, and asks for nothing that changes nothing (%s)',
    async query => {
      const tester = await start()
      await tester.put('/spaces/demo/scenario', { name: 'failed-once' })
      const { port } = new URL(await tester.listen())
      for (const transactionId of ['g1', 'g1', 'g2']) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: { authorization: basic('demo'), 'content-type': halType, connection: 'close' },
          body: JSON.stringify({ transactionId }),
        })
        await response.text()
        // So long that the response must have come before the next request.
        await setTimeout(200)
      }
      const words = await wordsAt(tester, query)
      expect(words).toMatch(
        /Open questions R06 .* came again once\. It is open, because nothing proves that the client read the response to r\d+-1 , as another request on the same connection would\. /,
      )
      expect(words).not.toMatch(/the same worker|how many workers/)
    },
  )

  it('agrees with the control call in every finding and harm, each with its requests to follow', async () => {
    const tester = await start()
    await send(
      tester,
      ...newId,
      { transactionId: 'same', subject: 'A' },
      { transactionId: 'same', subject: 'B' },
    )
    const { json } = await tester.get(page)
    const { text } = await look(tester, page)
    const words = wordsOf(text)
    const all: Json[] = [...json.findings, ...json.harm.findings]
    expect(all.length).toBeGreaterThan(3)
    for (const { sentence, evidence } of all) {
      expect(words.replaceAll(/\s([,.])/g, '$1')).toContain(sentence)
      for (const id of evidence) expect(text).toContain(`href="/_mock/spaces/demo/requests/${id}"`)
      expect(text).toContain(`href="/_mock/spaces/demo/sendings?request=${evidence[0]}"`)
    }
    for (const { rule, title } of json.findings) {
      expect(text).toContain(`id="${rule}"`)
      expect(words).toContain(`${rule} ${title}`)
    }
  })

  it('the verdict as a page has the sense of a rule that was broken', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'same', subject: 'A' }, { transactionId: 'same', subject: 'B' })
    const words = await wordsAt(tester)
    const { json } = await tester.get(page)
    const { id, title, detection, exceptions } = rules.find(({ id }) => id === json.findings[0].rule)!
    for (const part of [`${id} ${title}`, detection, exceptions])
      expect(words).toContain(part.replaceAll(/\s+/g, ' '))
  })

  it('the verdict as a page names what was armed and never fired', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', { name: 'reset-after' })
    await tester.as('demo').get('/mailings')
    expect(await wordsAt(tester)).toMatch(/Never fired .*scenario reset-after/)
    await tester.delete('/spaces/demo/scenario')
    expect(await wordsAt(tester)).not.toContain('Never fired')
  })

  it('the verdict as a page tells of requests that are no longer on record', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    await tester.delete('/spaces/demo/requests')
    await send(tester, { transactionId: 'c' })
    const words = await wordsAt(tester)
    expect(words).toContain(
      'Not on record 2 requests were removed from the record on purpose: reset the space between tests instead of clearing its record. What they would show is open.',
    )
    expect(words).toMatch(/ on record, and 2 earlier ones were removed on purpose; their 2 sendings are/)
    expect(words).not.toContain('--journal')
  })

  it('where requests were dropped, no page counts the mailings that were meant, and each says which flag keeps more', async () => {
    const tester = await startTester({ journal: 4 })
    started.push(tester)
    await send(tester, ...Array.from({ length: 9 }, (_, at) => ({ transactionId: `of-${at}` })))
    for (const query of ['', '?believes=sent', '?believes=not-sent']) {
      const { text } = await look(tester, page + query)
      const words = wordsOf(text)
      expect(words, query).not.toMatch(/too many|sent \d+ times|as the judge counts|clearing its record/)
      expect(text, query).not.toMatch(/class="chip bad"/)
      expect(words, query).toContain(
        '5 requests are no longer on record, so the judge cannot count the mailings that were meant: say below how many.',
      )
      expect(words, query).toContain(
        'Not on record 5 requests were dropped to make room: start with --journal 5000. What they would show is open. Say how many mailings were meant.',
      )
      expect(words.indexOf('Not on record'), query).toBeLessThan(words.indexOf('What does the client report'))
      expect(words, query).toMatch(
        /and 5 earlier ones were dropped to make room \(--journal\); their 5 sendings/,
      )
    }
    expect(await wordsAt(tester, '?believes=sent&expected=7')).toContain('All were sent 2 sent too many')
    expect(await wordsAt(tester, '?expected=9')).toContain('if 9 mailings were meant')
    expect(wordsOf((await look(tester, '/spaces/demo/sendings')).text)).toContain(
      '0 known to be sent too often',
    )
  })

  it('a verdict proves nothing where there is no such synchronization', async () => {
    const tester = await start()
    await tester.as('demo').post(synchronizationPath(ids.unknown, '/sendings'), {})
    const { text } = await look(tester, `${page}?format=text`)
    expect(text).toContain('UNPROVED')
    expect(text).toContain(`no synchronization "${ids.unknown}", for which r0-1 asked.`)
  })

  it('a verdict says that requests came to no address of the service', async () => {
    const tester = await start()
    await tester.as('demo').post('//integrations/mailing-platform', {})
    const { text } = await look(tester, `${page}?format=text`)
    expect(text).toContain(
      'No request was for an operation of the service; the last one was POST //integrations/mailing-platform.',
    )
  })

  it('a verdict says that requests used a method that their address does not have', async () => {
    const tester = await start()
    await tester.fetch(path, { method: 'DELETE', headers: { authorization: `Basic ${btoa('demo:demo')}` } })
    const { text } = await look(tester, `${page}?format=text`)
    expect(text).toContain(
      `No request was for an operation of the service; ${path} has GET and POST. Does the client use the right method?`,
    )
    expect(wordsOf((await look(tester, '/spaces/demo/sendings')).text)).toContain(
      'Does the client use the right method?',
    )
  })

  it('a verdict counts what was sent for requests that are no longer on record', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    await tester.delete('/spaces/demo/requests')
    await send(tester, { transactionId: 'a' })
    const { text } = await look(tester, `${page}?format=text`)
    expect(text).toMatch(/^Synchronization \S+, transactionId a: sent once$/m)
    expect(text).toContain('Harm (1 sent): none')
  })

  it('the verdict as a page says "nothing sent" where all spaces say so, and how often rules were broken', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'past', scheduleDate: '2001-01-01T00:00:00Z' })
    expect(await wordsAt(tester)).toMatch(/ nothing sent No rule was broken\./)
    expect(wordsOf((await look(tester, '')).text)).toMatch(/ demo nothing sent all refused 0 1 /)
    await tester.post('/spaces/demo/reset')
    await send(tester, { transactionId: 'same', subject: 'A' }, { transactionId: 'same', subject: 'B' })
    expect(await wordsAt(tester)).toMatch(
      /guilty R\d\d was broken: [a-z].+\. There is harm \(other content\)\. .*In all: other content 1 violation /,
    )
  })

  it('the page of sendings says where they are when their requests are no longer on record', async () => {
    const tester = await startTester({ journal: 3 })
    await send(tester, { transactionId: 'a' })
    for (let nth = 0; nth < 3; nth++) await tester.as('demo').get('/mailings')
    const words = wordsOf((await look(tester, '/spaces/demo/sendings')).text)
    expect(words).toContain('1 earlier request is no longer on record')
    expect(words).not.toContain('makes a first one')
  })

  it('verdict and pages do not deny requests, nor scenarios that fired, of before a restart where nothing was sent', async () => {
    const data = mkdtempSync(join(tmpdir(), 'pending-before-restart-'))
    const before = await startTester({ data })
    await before.put('/spaces/demo/scenario', { name: 'pending-until-4m50' })
    await send(before, { transactionId: 'a' })
    await before.close()
    const tester = await startTester({ data })
    const { json } = await tester.get(page)
    expect(json.unstruck).toEqual([])
    expect(json.hint).toMatch(
      /^No request has come since the mock was started\. Those before are not on record/,
    )
    for (const path of ['/spaces/demo', '/spaces/demo/sendings', page]) {
      const words = wordsOf((await look(tester, path)).text)
      expect(words, path).toMatch(/Requests before .* are not on record: the mock was restarted\./)
      expect(words, path).not.toMatch(/No requests yet|No sendings yet|[Nn]ever fired/)
    }
    const scenario = wordsOf((await look(tester, '/spaces/demo/scenario')).text)
    expect(scenario).toContain('fired 0× since the mock was started')
    await tester.put('/spaces/demo/scenario', { name: 'reset-after' })
    expect((await tester.get(page)).json.unstruck).toHaveLength(1)
    await tester.close()
    rmSync(data, { recursive: true })
  })

  it('verdict, platform and spaces acquit of nothing that came before a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'before-restart-'))
    const before = await startTester({ data })
    await send(before, newId[0]!, newId[1]!, { transactionId: 'run-3' })
    expect((await before.get(page)).json).toMatchObject({ earlier: 0, complete: true })
    await before.close()
    const tester = await startTester({ data })
    expect(await wordsAt(tester)).toMatch(
      /Requests before .* are not on record: the mock was restarted\. Their 3 sendings are on Platform \./,
    )
    await send(tester, { transactionId: 'run-4' })
    const { json } = await tester.get(page)
    expect(json).toMatchObject({ outcome: 'open', suspicion: null, complete: false, earlier: 3, missing: 0 })
    expect(json.findings).toEqual([])
    expect(json.hint).toMatch(
      /^3 mailings were sent before the restart\. Their requests are gone, so they cannot be judged\. Perhaps one mailing was sent several times: 4 sendings of synchronization \S+ have one subject\.$/,
    )
    const text = (await look(tester, `${page}?format=text`)).text
    expect(text).toContain(json.hint)
    expect(text).toContain('none that is on record')
    const words = await wordsAt(tester)
    expect(words).toContain(
      'open It cannot be known whether a rule was broken. Fine if 4 mailings were meant.',
    )
    expect(words).toContain(json.hint)
    expect(words).toContain('none on record What came of requests that are not on record is not known.')
    expect(words).not.toMatch(/innocent|No rule was broken|Nothing was sent twice|sent twice|Not on record/)
    expect(await wordsAt(tester, '?believes=sent&expected=1')).toMatch(
      /4 mailings were sent, where 1 was meant/,
    )
    const platform = (await look(tester, '/spaces/demo/platform')).text
    expect(platform.match(/<span class="chip calm">sent</g)).toHaveLength(3)
    expect(platform.match(/<span class="chip mailed">sent</g)).toHaveLength(1)
    expect(wordsOf(platform)).toMatch(/Their 3 sendings are below\..* 0 known to be sent too often/)
    const spaces = wordsOf((await look(tester, '')).text)
    expect(spaces).toMatch(/ demo earlier not on record 4 1 /)
    expect(spaces).toContain(
      'A restart of the mock keeps sendings and no requests. A verdict covers only what came after it.',
    )
    await tester.post('/spaces/demo/reset')
    expect((await tester.get(page)).json).toMatchObject({ outcome: 'innocent', earlier: 0, complete: true })
    await tester.close()
    rmSync(data, { recursive: true })
  })

  it('the verdict as a page keeps in its form what was told, and goes on with it', async () => {
    const tester = await start()
    await send(tester, ...newId)
    const { text } = await look(tester, `${page}?believes=not-sent&expected=0&workers=2`)
    expect(text).toMatch(/value="not-sent" aria-pressed="true"/)
    expect(text).toMatch(/name="expected"[^>]* value="0"/)
    expect(text).toMatch(/name="workers"[^>]* value="2"/)
    expect(text).toContain(
      'href="/_mock/spaces/demo/sendings?believes=not-sent&amp;expected=0&amp;workers=2"',
    )
    expect(text).toContain(
      'href="/_mock/spaces/demo/verdict?format=text&amp;believes=not-sent&amp;expected=0&amp;workers=2"',
    )
  })

  it('the verdict as a page has its form understood where nobody has chosen a belief', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    expect((await look(tester, `${page}?believes=&expected=1&workers=1`)).status).toBe(200)
  })

  it('the verdict as a page gives a browser text and JSON as well, when it asks for them', async () => {
    const tester = await start()
    await send(tester, ...newId)
    const text = await look(tester, `${page}?format=text`)
    expect(text.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text.text).toBe(await (await tester.fetch(`/_mock${page}?format=text`)).text())
    const json = await look(tester, `${page}?format=json`)
    expect(json.headers.get('content-type')).toMatch(/^application\/hal\+json/)
    expect(JSON.parse(json.text)).toEqual((await tester.get(page)).json)
  })

  it('of a space that nobody has asked anything says how to begin', async () => {
    const { text } = await look(await start(), page)
    expect(text).toContain('Nothing to judge yet')
    expect(wordsOf(text)).toMatch(/curl -u demo:demo .*first-try/)
  })

  it('the verdict as a page shows whatever a client sent as text', async () => {
    const tester = await start()
    const hostile = `<script>hit()</script>`
    await send(
      tester,
      { transactionId: hostile },
      { transactionId: 'a', subject: hostile },
      { transactionId: 'a' },
    )
    const { text } = await look(tester, page)
    expect(text).not.toContain('<script>')
    expect(wordsOf(text)).toContain(hostile)
  })

  it('the verdict as a page refuses what it does not know in words', async () => {
    const { status, text } = await look(await start(), `${page}?believes=perhaps`)
    expect(status).toBe(400)
    expect(wordsOf(text)).toContain('possible: sent, not-sent, unknown')
  })
})
