import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PullJournal } from '../../src/contract/pull/pull-journal.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { startMock } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'
import { base, fetchOf, pulledBy, pulledFrom, undisturbed } from './pulling.ts'

const of = { base, platformSegment: 'mailing-platform', user: 'demo' }

describe('a pull that is interrupted and resumed', () => {
  test.each([1, 2, 7, 30, 61])(
    'after %d answers gives the same fixture, and asks nothing twice',
    async answers => {
      using folder = temporaryDirectory()
      const file = folder.at('fixture.json.journal')
      const mock = await startMock({ fixture: undisturbed })
      const whole = await pulledFrom(mock)
      const interrupted = new AbortController()
      let left = answers
      const asked: string[] = []
      const fetch = fetchOf(mock)
      const first = pulledBy(
        async (url, init) => {
          if (left-- === 0) interrupted.abort(new Error('interrupted'))
          init.signal?.throwIfAborted()
          const response = await fetch(url, init)
          asked.push(url)
          return response
        },
        { journal: PullJournal.begin(file, of), signal: interrupted.signal },
      )
      await expect(first).rejects.toThrow('interrupted')

      const journal = PullJournal.resume(file, of)
      expect(journal.size).toBeGreaterThanOrEqual(answers - 3)
      const again: string[] = []
      const second = await pulledBy(
        (url, init) => {
          again.push(url)
          return fetch(url, init)
        },
        { journal },
      )
      expect(second.fixture).toEqual(whole.fixture)
      expect(second.notes).toEqual(whole.notes)
      // What answers before it is known to be the service is not kept.
      const isKnown = answers > 2
      expect(again.filter(url => asked.includes(url))).toEqual(isKnown ? [] : asked)
      expect(again).toHaveLength(whole.answered - (isKnown ? asked.length : 0))
    },
  )

  test('a pull that is interrupted and resumed begins a collection anew whose cursor has expired meanwhile', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('f.journal')
    const dials = { 'page-size-limit': '100' } as const
    const more = ({ synchronizations }: Fixture) =>
      Array.from({ length: 250 }, (_, n) => ({
        ...synchronizations[0]!,
        id: `99999999-0000-4000-8000-${String(n).padStart(12, '0')}`,
      }))
    const mock = await startMock({
      dials,
      fixture: it => ({ ...undisturbed(it), synchronizations: [...it.synchronizations, ...more(it)] }),
    })
    const fetch = fetchOf(mock)
    const interrupted = new AbortController()
    let pages = 0
    const first = pulledBy(
      (url, init) => {
        if (url.includes('/mailing-synchronizations?cursor') && ++pages === 2)
          interrupted.abort(new Error('interrupted'))
        init.signal?.throwIfAborted()
        return fetch(url, init)
      },
      { journal: PullJournal.begin(file, of), signal: interrupted.signal },
    )
    await expect(first).rejects.toThrow('interrupted')
    mock.clock.advance(11 * 60_000)
    const resumed = await pulledBy(fetch, { journal: PullJournal.resume(file, of) })
    expect(resumed.fixture.synchronizations).toHaveLength(mock.space().data.tables.synchronizations.size)
    expect(resumed.fixture).toEqual((await pulledFrom(mock)).fixture)
  })
})

describe('the journal', () => {
  const answer = (n: number) => ({ url: `${base}/${n}`, status: 200, json: { n } })

  test('the journal is for its owner alone', () => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    writeFileSync(file, 'before', { mode: 0o644 })
    PullJournal.begin(file, of)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('never holds the password', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    const users = [{ name: 'demo', password: 'a-real-secret', rights: ['read' as const] }]
    const mock = await startMock({ fixture: it => ({ ...undisturbed(it), users }) })
    await pulledFrom(mock, { password: 'a-real-secret', journal: PullJournal.begin(file, of) })
    const text = readFileSync(file, 'utf8')
    expect(text.length).toBeGreaterThan(10_000)
    expect(text).not.toContain('a-real-secret')
    expect(text).not.toContain(Buffer.from('demo:a-real-secret').toString('base64'))
  })

  test('the journal goes on before a last line that is not whole', () => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    const journal = PullJournal.begin(file, of)
    journal.put(answer(1))
    journal.put(answer(2))
    appendFileSync(file, '{"url":"http://localhost/3","sta')
    const resumed = PullJournal.resume(file, of)
    expect(resumed.size).toBe(2)
    resumed.put(answer(3))
    expect(PullJournal.resume(file, of).get(`${base}/3`)).toEqual(answer(3))
  })

  test.each([
    ['another service', { ...of, base: 'https://other.example.com' }],
    ['another user', { ...of, user: 'ann' }],
    ['another integration', { ...of, platformSegment: 'suite' }],
  ])('of %s is refused, and left as it is', (_, other) => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    PullJournal.begin(file, other).put(answer(1))
    const before = readFileSync(file, 'utf8')
    expect(() => PullJournal.resume(file, of)).toThrow(
      /is of a pull from .* and not of this one; --force starts again/,
    )
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test.each([
    ['nothing', ''],
    ['something else', 'hello\n'],
    ['another format', '{"format":99}\n'],
  ])('with %s in it is refused', (_, text) => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    writeFileSync(file, text)
    expect(() => PullJournal.resume(file, of)).toThrow(/is no journal of a pull/)
  })

  test('that is not there begins', () => {
    using folder = temporaryDirectory()
    const file = folder.at('j')
    expect(PullJournal.resume(file, of).size).toBe(0)
    expect(existsSync(file)).toBe(true)
  })
})
