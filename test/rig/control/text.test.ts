import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ids, synchronizationPath } from '../../mock.ts'
import { startTester, type Tester } from './tester.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
})
afterEach(() => tester.close())

const sendings = synchronizationPath(ids.ready, '/sendings')
const space = '/spaces/demo'

/** A lost answer, after which the client takes another transaction ID. */
async function sendTwice(): Promise<void> {
  await tester.post(`${space}/faults`, { on: 'createSending', phase: 'after', answer: { fault: 'reset' } })
  await tester
    .as('demo')
    .post(sendings, { transactionId: 'one' })
    .catch(() => {})
  await tester.as('demo').post(sendings, { transactionId: 'two' })
}

async function textAt(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await tester.fetch(`/_mock${space}${path}`, { headers })
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  return response.text()
}

describe('text for a person', () => {
  it('lists requests with what was asked, told and true, one in a line', async () => {
    await sendTwice()
    const lines = (await textAt('/requests?format=text')).split('\n')
    expect(lines.map(line => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'Requests in space demo: 2',
      '',
      'Time | Request | Asked | Told | True | Scenario',
      expect.stringMatching(
        /^2026-\S+Z \| r0-1 \| createSending "one" \| nothing \(201 CREATED\) \| 201 CREATED, sent \| f1, fault reset$/,
      ),
      expect.stringMatching(
        /^2026-\S+Z \| r1-2 \| createSending "two" \| 201 CREATED \| 201 CREATED, sent \| none$/,
      ),
      '',
    ])
  })

  it('aligns columns', async () => {
    await sendTwice()
    const [, , title = '', ...rows] = (await textAt('/requests?format=text')).trimEnd().split('\n')
    for (const row of rows) expect(row.indexOf('201 CREATED, sent')).toBe(title.indexOf('True'))
  })

  it('says how many requests there are beyond the page, and where they are', async () => {
    await sendTwice()
    const text = await textAt('/requests?format=text&limit=1')
    expect(text).toContain('Requests in space demo: 1 of 2')
    expect(text).toMatch(/\nMore: http:\S+format=text\S*since=1\n$/)
  })

  it('explains one request', async () => {
    await sendTwice()
    const text = await textAt('/requests/r0-1?format=text')
    expect(text).toMatch(/^Request r0-1 in space demo\ncreateSending with transactionId "one": /)
    expect(text).toMatch(/\nTold +nothing \(201 CREATED\)\nTrue +201 CREATED, sent\n/)
    expect(text).toContain('\nWhat the client was told\n  The response was to be 201 with state CREATED')
  })

  it('lists what was really sent, with the request that caused it', async () => {
    await sendTwice()
    const text = await textAt('/platform?format=text')
    expect(text).toMatch(
      /^Platform of space demo: 2 sent, 0 scheduled, 0 stopped, 0 mailings made .* and never sent\n/,
    )
    expect(text).toMatch(/\n2026-\S+Z +sent +\d+ +"[^"]+" +\d+ recipients +"one" +r0-1\n/)
  })

  it('lists mailings that were made and never sent', async () => {
    await tester.put(`${space}/scenario`, { name: 'orphan-mailing' })
    await tester
      .as('demo')
      .post(sendings, { transactionId: 'one' })
      .catch(() => {})
    await tester.as('demo').post(sendings, { transactionId: 'one' })
    const text = await textAt('/platform?format=text')
    expect(text).toMatch(/\n2026-\S+Z +never sent +"[^"]+" +"one" +r\d-1\n$/)
  })

  it.each(['/requests', '/requests/r0-1', '/platform'])(
    'is %s for Accept: text/plain as well',
    async path => {
      await sendTwice()
      expect(await textAt(path, { accept: 'text/plain' })).toBe(await textAt(`${path}?format=text`))
    },
  )

  it.each(['/requests', '/requests/r0-1', '/platform'])('is for a browser that names it (%s)', async path => {
    await sendTwice()
    expect(await textAt(`${path}?format=text`, { accept: 'text/html' })).toBe(
      await textAt(`${path}?format=text`),
    )
  })

  it.each(['/requests', '/requests/r0-1', '/platform'])(
    'is not what %s gives to anybody else',
    async path => {
      await sendTwice()
      for (const query of ['', '?format=json']) {
        const { headers } = await tester.get(`${space}${path}${query}`)
        expect(headers.get('content-type')).toMatch(/^application\/hal\+json/)
      }
    },
  )

  it('shows nothing of a client that a terminal would take for a command', async () => {
    await tester.as('demo').post(sendings, { transactionId: 'a\u001b[31mb' })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
    expect(await textAt('/requests?format=text')).not.toMatch(/\u001b/)
  })
})
