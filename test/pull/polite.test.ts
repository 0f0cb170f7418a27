import { describe, expect, test } from 'vitest'
import { RequestPace } from '../../src/contract/pull/pull-source.ts'
import { type Fetch, retryAfterSeconds } from '../../src/contract/verify/target.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { startMock } from '../mock.ts'
import { base, fetchOf, ownTime, pulledBy, pulledFrom, undisturbed } from './pulling.ts'

const synchronizations = '/integrations/mailing-platform/mailing-synchronizations'
const customers = '/integrations/mailing-platform/accessible-customers'
const empty = { _embedded: {}, _links: {} }

/** A service that gives these answers, by path and query, and nothing else but empty collections. */
const answering =
  (answers: Record<string, object>, asked: string[] = []): Fetch =>
  async url => {
    const { pathname, search } = new URL(url)
    asked.push(pathname + search)
    const known =
      answers[pathname + search] ??
      ([synchronizations, customers, '/mailings'].includes(pathname) ? empty : undefined)
    return known ? Response.json(known) : Response.json({ title: 'Not found' }, { status: 404 })
  }

const mailing = (n: number) => ({
  id: `99999999-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `Mailing ${n}`,
  isApproved: false,
  hasDraft: true,
  creationDate: '2026-01-01T00:00:00.000Z',
  modificationDate: '2026-01-01T00:00:00.000Z',
})
const page = (entries: object[], next?: string) => ({
  _embedded: { 'x:mailings': entries },
  _links: { self: { href: '/mailings' }, ...(next !== undefined && { next: { href: next } }) },
})

describe('a pull', () => {
  test('a pull asks with GET alone, never for a page that a person opens, and for nothing twice', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const fetch = fetchOf(mock)
    const asked: string[] = []
    await pulledBy((url, init) => {
      asked.push(`${init.method} ${url}`)
      return fetch(url, init)
    })
    expect(asked.length).toBeGreaterThan(60)
    expect(asked.filter(it => !it.startsWith(`GET ${base}/`) || it.includes('_mock'))).toEqual([])
    expect(new Set(asked).size).toBe(asked.length)
  })

  test('a pull has few requests under way at once', async () => {
    const mock = await startMock({ fixture: undisturbed })
    const fetch = fetchOf(mock)
    let [now, most] = [0, 0]
    await pulledBy(async (url, init) => {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      const response = await fetch(url, init)
      now--
      return response
    })
    expect(most).toBe(3)
  })

  test.each([
    [5, 200],
    [0.5, 2_000],
  ])('a pull keeps to %s requests a second', async (rate, gap) => {
    const mock = await startMock({ fixture: undisturbed })
    const { now, wait } = ownTime()
    const fetch = fetchOf(mock)
    const times: number[] = []
    const sent: Fetch = (url, init) => {
      times.push(now())
      return fetch(url, init)
    }
    const { answered } = await pulledBy(sent, { now, wait, rate })
    expect(times).toHaveLength(answered)
    expect(times.at(-1)! / (answered - 1)).toBeGreaterThanOrEqual(gap * 0.99)
  })

  test('a pull sends nothing more while a limit that answers tell of is reached', async () => {
    const mock = await startMock({ fixture: undisturbed, rateLimit: 20 })
    const { now, waits } = ownTime()
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
      mock.clock.advance(milliseconds)
    }
    let refused = 0
    const fetch = fetchOf(mock)
    const counting: Fetch = async (url, init) => {
      const response = await fetch(url, init)
      if (response.status === 429) refused++
      return response
    }
    const { fixture } = await pulledBy(counting, { now, wait })
    expect(fixture).toEqual((await pulledFrom(await startMock({ fixture: undisturbed }))).fixture)
    expect(refused).toBeLessThanOrEqual(6)
    expect(Math.max(...waits)).toBeGreaterThan(30_000)
  })
})

describe('links', () => {
  test('to another host are asked at the service itself, so that credentials stay there', async () => {
    const asked: string[] = []
    const answers = {
      '/mailings': page([mailing(1)], 'https://elsewhere.example.com/mailings?cursor=a'),
      '/mailings?cursor=a': page([mailing(2)], 'x:.elsewhere.example.com/mailings'),
    }
    const hosts = new Set<string>()
    const fetch: Fetch = (url, init) => {
      hosts.add(new URL(url).host)
      return answering(answers, asked)(url, init)
    }
    const { fixture } = await pulledBy(fetch)
    expect(fixture.mailings).toHaveLength(2)
    expect([...hosts]).toEqual(['localhost'])
  })

  test('that lead in a circle end, with a note', async () => {
    const answers = {
      '/mailings': page([mailing(1)], '/mailings?cursor=a'),
      '/mailings?cursor=a': page([mailing(2)], '/mailings'),
    }
    const { fixture, notes, isComplete } = await pulledBy(answering(answers))
    expect(fixture.mailings).toHaveLength(2)
    expect(isComplete).toBe(false)
    expect(notes[0]).toBe('the pages of mailings lead in a circle; all that the circle has is here')
  })

  test('that lead on for ever without anything new end, with a note', async () => {
    let count = 0
    const fetch: Fetch = async (url, init) =>
      new URL(url).pathname === '/mailings'
        ? Response.json(page([mailing(1)], `/mailings?cursor=${++count}`))
        : answering({})(url, init)
    const { fixture, notes } = await pulledBy(fetch)
    expect(fixture.mailings).toHaveLength(1)
    expect(count).toBeLessThan(10)
    expect(notes[0]).toMatch(/^the pages of mailings bring nothing new and do not end/)
  })

  test('that lead on for ever end with a sentence', async () => {
    let count = 0
    const fetch: Fetch = async (url, init) => {
      if (new URL(url).pathname !== '/mailings') return answering({})(url, init)
      count++
      return Response.json(page([mailing(count)], `/mailings?cursor=${count}`))
    }
    await expect(pulledBy(fetch)).rejects.toThrow('/mailings has more than 5000 pages')
  })
})

describe('what an answer asks for', () => {
  const date = 'Sat, 01 Mar 2026 10:00:00 GMT'
  test.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '5' }, 5],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Sat, 01 Mar 2026 10:00:42 GMT', date }, 42],
    [{ 'retry-after': 'Sat, 01 Mar 2026 09:00:00 GMT', date }, 0],
    [{ 'retry-after': 'Sat, 01 Mar 2026 10:00:42 GMT' }, undefined],
    [{ 'retry-after': 'soon', date }, undefined],
    [{ 'x-ratelimit-reset': '17' }, 17],
    [{ 'x-ratelimit-reset': '1772359242', date: 'Sun, 01 Mar 2026 10:00:00 GMT' }, 42],
    [{ 'x-ratelimit-reset': '1772359242' }, undefined],
    [{ 'retry-after': '1000000000000', date }, undefined],
    [{ 'x-ratelimit-reset': '10000000000000000000000000', date }, undefined],
    [{}, undefined],
  ])('%o is %s seconds', (headers, seconds) => {
    expect(retryAfterSeconds(headers)).toBe(seconds)
  })
})

describe('the pace', () => {
  test('the pace holds whoever waits for a turn already', async () => {
    const { now, waits, wait } = ownTime()
    const { signal } = new AbortController()
    const pace = new RequestPace({
      perSecond: 10,
      now,
      wait: async (milliseconds, given) => {
        if (waits.length === 0) pace.pauseFor(5_000)
        await wait(milliseconds, given)
      },
    })
    await pace.waitTurn(signal)
    await pace.waitTurn(signal)
    expect(now()).toBe(5_000)
  })
})

test('a pull begins a collection anew whose cursor expires while it waits', async () => {
  const more = ({ synchronizations }: Fixture) =>
    Array.from({ length: 250 }, (_, n) => ({
      ...synchronizations[0]!,
      id: `99999999-0000-4000-8000-${String(n).padStart(12, '0')}`,
    }))
  const mock = await startMock({
    dials: { 'page-size-limit': '100' },
    fixture: it => ({ ...undisturbed(it), synchronizations: [...it.synchronizations, ...more(it)] }),
  })
  const fetch = fetchOf(mock)
  let pages = 0
  const pulled = await pulledBy((url, init) => {
    if (url.includes('/mailing-synchronizations?cursor') && ++pages === 2) mock.clock.advance(11 * 60_000)
    return fetch(url, init)
  })
  expect(pulled.fixture).toEqual((await pulledFrom(mock)).fixture)
  expect(pulled.fixture.synchronizations).toHaveLength(mock.space().data.tables.synchronizations.size)
})
