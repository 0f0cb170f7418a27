import { afterEach, describe, expect, it } from 'vitest'
import type { AssemblyOptions } from '../../src/lib/assemble-mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { look, wordsOf } from './person.ts'

let tester: Tester
afterEach(() => tester.close())
const start = async (options: AssemblyOptions = {}) => {
  tester = await startTester(options)
}

const attribute = (text: string, name: string) =>
  new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1]?.replaceAll('&#39;', "'")

describe('a page of a space that is not open', () => {
  it.each([
    '',
    '/requests',
    '/requests?status=banana',
    '/requests/r0-1',
    '/sendings',
    '/platform',
    '/verdict',
    '/scenario',
    '/clock',
    '/data',
    '/mailings',
  ])('a page of a space that is not open says at %s what it will be, and waits for it', async rest => {
    await start()
    const { status, text } = await look(tester, `/spaces/demo+never${rest}`)
    expect(status).toBe(404)
    const words = wordsOf(text)
    expect(words).toContain('It is not open. This page shows it as soon as it opens.')
    expect(words).toContain('It is a private space of demo : it begins with the same mailings')
    expect(attribute(text, 'data-awaits')).toBe('demo+never')
    expect(attribute(text, 'data-events')).toBe('/_mock/events')
    // Nobody has opened it by looking.
    expect((await tester.get('/spaces')).json._embedded.spaces).toHaveLength(1)
  })

  it('a page of a space that is not open has the line that makes its first request, and the control call that opens it', async () => {
    await start()
    const address = await tester.listen()
    const response = await fetch(`${address}/_mock/spaces/demo+never/verdict?believes=sent`, {
      headers: { accept: 'text/html' },
    })
    const text = await response.text()
    const [, user, body, url] = /curl -u ([^ ]+) .*--data-raw &#39;(.*)&#39; ([^ "]+)"/.exec(text)!
    expect(user).toBe('demo+never:demo')
    const made = await fetch(url!, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(user!)}`,
        'content-type': 'application/hal+json',
      },
      body: body!.replaceAll('&quot;', '"'),
    })
    expect(made.status).toBe(201)
    expect(text).toMatch(/data-call="PUT" data-href="\/_mock\/spaces\/demo%2Bnever" data-body="\{\}"/)
    expect(attribute(text, 'data-then')).toBe('/_mock/spaces/demo+never/verdict?believes=sent')
    expect((await look(tester, '/spaces/demo+never')).status).toBe(200)
  })

  it('of a single request leads to the space itself, since the request will not be there', async () => {
    await start()
    const { text } = await look(tester, '/spaces/demo+never/requests/r0-1')
    expect(attribute(text, 'data-then')).toBe('/_mock/spaces/demo%2Bnever')
  })

  it('a page of a space that is not open says that it had to make room, where it had', async () => {
    await start({ spaceLimit: 1 })
    await tester.put('/spaces/demo+first')
    tester.clock.advance(10_000)
    await tester.as('demo+second').get('/mailings')
    await expect.poll(async () => (await look(tester, '/spaces/demo+first')).status).toBe(404)
    const words = wordsOf((await look(tester, '/spaces/demo+first')).text)
    expect(words).toContain('It was evicted (--space-limit, --space-idle), and starts again')
  })

  it('that no space can have the name of stays a plain problem, and waits for a control call to make it', async () => {
    await start()
    const { status, text } = await look(tester, '/spaces/elsewhere/clock')
    expect(status).toBe(404)
    expect(wordsOf(text)).toContain('there are demo')
    expect(attribute(text, 'data-awaits')).toBe('elsewhere')
    expect(text).not.toContain('data-call')
  })

  it('a page of a space that is not open gives a program the problem as before', async () => {
    await start()
    const response = await tester.fetch('/_mock/spaces/demo+never')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })
})
