import { afterEach, describe, expect, it } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
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

const page = '/spaces/demo/platform'
const path = (rest: string) => synchronizationPath(ids.ready, rest)

async function send(tester: Tester, ...bodies: object[]): Promise<void> {
  for (const body of bodies)
    await tester
      .as('demo')
      .post(path('/sendings'), body)
      .catch(() => undefined)
}

/** Rows of the page, each by the ID of its platform mailing, in words. */
async function rowsOf(tester: Tester, query = ''): Promise<Map<number, string>> {
  const { text } = await look(tester, page + query)
  const rows = [...text.matchAll(/<tr id="mailing-(\d+)"[^>]*>(.*?)<\/tr>/gs)]
  return new Map(rows.map(([, id, markup]) => [Number(id), wordsOf(markup!)]))
}

describe('the platform as a page', () => {
  it('the platform as a page has each mailing of the ledger with its sendings and who caused them, the latest first', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    await tester.as('demo').post(path('/test-sendings'), { recipientAddresses: ['a@example.com'] })
    await tester.as('demo').post(path('/mailing-uploads'))
    const { json } = await tester.get(page)
    expect(json.mailings).toHaveLength(4)
    const rows = await rowsOf(tester)
    expect([...rows.keys()]).toEqual(
      json.mailings.map((it: { platformMailingId: number }) => it.platformMailingId).reverse(),
    )
    const { text } = await look(tester, page)
    for (const { platformMailingId, name, subject, cause } of json.mailings) {
      for (const part of [name, subject, cause]) expect(rows.get(platformMailingId)).toContain(part)
      expect(text).toContain(`href="/_mock/spaces/demo/requests/${cause}"`)
    }
    const [upload, test, , a] = [...rows.values()]
    expect(upload).toContain('not sent, and not meant to be uploaded')
    expect(test).toContain('test mail to a@example.com')
    expect(a).toMatch(/sent to [\d,]+ recipients 10:00:00\.000 now report a list 1001 of harbour-group/)
  })

  it('the platform as a page does not alarm about mailings that nothing is held against, however many went to one list', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' }, { transactionId: 'c' })
    const innocent = wordsOf((await look(tester, page)).text)
    expect(innocent).toContain('What was really sent, whatever the client was told.')
    expect(innocent).not.toContain(' went to list ')
    for (const row of (await rowsOf(tester)).values()) expect(row).not.toContain('times')
  })

  it('the platform as a page leads from each mailing that is suspected to its sending, with the most copies first', async () => {
    const tester = await start()
    for (const transactionId of ['mock:error-500-after:1', 'mock:error-500-after:2', '3'])
      await tester
        .as('demo')
        .post(synchronizationPath(ids.both, '/sendings'), { transactionId })
        .catch(() => undefined)
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    const { text } = await look(tester, page)
    expect(wordsOf(text).match(/ went to list \d+ of [\w-]+ \d times/g)).toEqual([
      expect.stringContaining('3 times'),
      expect.stringContaining('2 times'),
    ])
    const links = [...text.matchAll(/<a href="([^"]*)"><q>/g)].map(([, href]) => href)
    expect(links).toHaveLength(2)
    expect(wordsOf((await look(tester, links[0]!.slice('/_mock'.length))).text)).toContain('sent 3 times?')
  })

  it('the platform as a page marks what was sent twice, and what was made and never sent', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'mock:orphan-mailing:o' })
    const [orphan, second, first] = [...(await rowsOf(tester)).values()]
    expect(first).toContain('sent twice?')
    expect(second).toContain('sent twice?')
    expect(orphan).toContain('orphan')
    expect([...(await rowsOf(tester, '?only=double')).values()]).toEqual([second, first])
    expect([...(await rowsOf(tester, '?only=orphan')).values()]).toEqual([orphan])
  })

  it('the platform as a page is sure that a second delivery was one too many', async () => {
    const tester = await start()
    await tester.as('demo').post(path('/sendings'), {}, { 'x-mock-scenario': 'delivered-twice' })
    const rows = [...(await rowsOf(tester)).values()]
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(row).toMatch(/sent twice to/)
  })

  it('the platform as a page tells what is scheduled from what went out', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'later', scheduleDate: '2026-11-01T13:00:00Z' })
    expect([...(await rowsOf(tester)).values()][0]).toMatch(/scheduled to .* 13:00:00\.000 in 3 h/)
    expect((await rowsOf(tester, '?only=sent')).size).toBe(0)
    await tester.post('/spaces/demo/clock', { advance: '4h' })
    expect([...(await rowsOf(tester)).values()][0]).toMatch(/sent to .* 13:00:00\.000 1 h ago/)
    expect((await rowsOf(tester, '?only=sent')).size).toBe(1)
  })

  it('the platform as a page shows what the space began with when it is asked to', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    const { json } = await tester.get(`${page}?seeded=true&limit=10000`)
    const rows = await rowsOf(tester, '?seeded=true')
    expect(rows.size).toBe(json.mailings.length)
    expect(rows.size).toBeGreaterThan(5)
    expect([...rows.values()].at(-1)).toContain('the beginning')
    expect((await rowsOf(tester)).size).toBe(1)
  })

  it('the platform as a page knows the parameters of the control call', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    expect((await rowsOf(tester, '?transactionId=b')).size).toBe(1)
    expect((await rowsOf(tester, `?synchronizationId=${ids.ready}`)).size).toBe(2)
    expect((await rowsOf(tester, '?transactionId=nobody')).size).toBe(0)
    expect((await look(tester, `${page}?transactionId=nobody`)).text).toContain(
      'Nothing on the platform is like that',
    )
    expect((await look(tester, `${page}?only=cake`)).status).toBe(400)
  })

  it('the platform as a page comes in pages of fifty', async () => {
    const tester = await start()
    await send(tester, ...Array.from({ length: 120 }, (_, at) => ({ transactionId: `t-${at}` })))
    const pages = await Promise.all([1, 2, 3].map(at => rowsOf(tester, `?page=${at}`)))
    expect(pages.map(({ size }) => size)).toEqual([50, 50, 20])
    expect(new Set(pages.flatMap(rows => [...rows.keys()])).size).toBe(120)
  })

  it('the platform as a page says of a request that is no longer on record that it is not', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' })
    await tester.delete('/spaces/demo/requests')
    expect([...(await rowsOf(tester)).values()][0]).toMatch(/r\d+-\d+, no longer on record$/)
  })

  it('of a space where nothing happened says how to begin', async () => {
    const { text } = await look(await start(), page)
    expect(text).toContain('Nothing has happened on the platform yet')
    expect(wordsOf(text)).toMatch(/curl -u demo:demo .*first-try/)
  })

  it('the platform as a page shows whatever a client sent as text', async () => {
    const tester = await start()
    const hostile = `<script>hit()</script>"'>`
    await send(tester, { transactionId: 'a', name: hostile, subject: hostile })
    const { text } = await look(tester, page)
    expect(text).not.toContain('<script>')
    expect(wordsOf(text)).toContain(hostile)
  })
})
