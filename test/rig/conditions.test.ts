import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestFacts } from '../../src/rig/request-facts.ts'
import { matchesCondition } from '../../src/rig/scenarios/conditions.ts'
import { ruleFrom } from '../../src/rig/scenarios/read.ts'
import { matchesGlob } from '../../src/store/glob.ts'
import { ids, synchronizationPath } from '../mock.ts'

/** A request as a scenario's conditions see it. */
function attempt(body: unknown, query = '', headers: Record<string, string> = {}) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
  const facts = new RequestFacts(
    'POST',
    `${synchronizationPath(ids.ready, '/sendings')}${query}`,
    bytes,
    'mailing-platform',
  )
  return {
    facts,
    operation: facts.operation!.id,
    transactionId: facts.transactionId,
    now: 0,
    user: 'ann',
    header: (name: string) => headers[name],
    fraction: () => 0,
    isBodyRead: true,
    isConnectionReused: true,
  }
}

/** Whether all these conditions hold for a request with this body. */
function isMet(when: object, body: unknown = {}, query?: string, headers?: Record<string, string>) {
  const rule = ruleFrom({ on: 'createSending', when, steps: [{ phase: 'before' }] }, 'the test')
  return rule.when.every(condition => matchesCondition(condition, attempt(body, query, headers)))
}

describe('a condition', () => {
  it.each([
    ['a transaction ID that is there', { transactionId: 'present' }, { transactionId: 'T' }, true],
    ['a transaction ID that is not', { transactionId: 'present' }, {}, false],
    ['null for a transaction ID', { transactionId: 'absent' }, { transactionId: null }, true],
    ['null for any member', { 'body:name': 'present' }, { name: null }, false],
    ['a body that is no JSON', { transactionId: 'absent' }, '{"transactionId":"T"', true],
    ['a body that is no object', { 'body:0': 'present' }, ['T'], false],
    ['a member that every object has', { 'body:constructor': 'present' }, {}, false],
    ['a body behind a byte order mark', { transactionId: 'T' }, '\ufeff{"transactionId":"T"}', true],
  ])('a condition knows %s', (_, when, body, expected) => {
    expect(isMet(when, body)).toBe(expected)
  })

  it.each([
    ['the same text', 'x', 'x', true],
    ['a text in other letters', 'x', 'X', false],
    ['a number', 5, 5, true],
    ['the text of a number', 5, '5', true],
    ['another text of that number', 1.1, '1.10', true],
    ['a text with the letters of a number', '1.10', '1.1', false],
    ['an empty text, where 0 is expected', 0, '', false],
    ['true', true, true, true],
    ['nothing, where the word undefined is expected', 'undefined', undefined, false],
    ['null, where the word null is expected', 'null', null, false],
    ['an object, where its text is expected', '[object Object]', {}, false],
  ])('of equality, for %s', (_, equals, subject, expected) => {
    expect(isMet({ 'body:subject': { equals } }, { subject })).toBe(expected)
  })

  it.each([
    ['below', { from: 5, to: 7 }, 4.9, false],
    ['at the lower end', { from: 5, to: 7 }, 5, true],
    ['at the upper end', { from: 5, to: 7 }, 7, true],
    ['above', { from: 5, to: 7 }, 7.1, false],
    ['without an upper end', { from: 5 }, 1e9, true],
    ['a number in a text', { from: 5 }, '6', true],
    ['an empty text', { from: -1 }, '', false],
    ['no number at all', { from: -1 }, 'many', false],
    ['true', { from: 0 }, true, false],
    ['a list', { from: 0 }, [5], false],
    ['nothing', { from: 0 }, undefined, false],
  ])('of a range of numbers, %s', (_, range, scheduleDate, expected) => {
    expect(isMet({ 'body:scheduleDate': range }, { scheduleDate })).toBe(expected)
  })

  it.each([
    ['within, in another zone', '2027-01-01T01:30:00+01:00', true],
    ['before', '2026-12-31T23:59:59Z', false],
    ['the number of a year', 2027, false],
    ['the text of a number', '2027', false],
    ['no date', 'soon', false],
  ])('of a range of date-times, %s', (_, scheduleDate, expected) => {
    const range = { from: '2027-01-01T00:00:00Z', to: '2028-01-01T00:00:00Z' }
    expect(isMet({ 'body:scheduleDate': range }, { scheduleDate })).toBe(expected)
  })

  it('a condition looks at headers, the query, the user, the path and the synchronization', () => {
    const path = synchronizationPath(ids.ready, '/sendings')
    const when = {
      'header:X-Attempt': '2',
      'query:a': { prefix: 'b' },
      user: 'ann',
      path,
      synchronizationId: ids.ready,
    }
    expect(isMet(when, {}, '?a=bc', { 'x-attempt': '2' })).toBe(true)
    expect(isMet(when, {}, '?a=cb', { 'x-attempt': '2' })).toBe(false)
    expect(isMet(when, {}, '?a=bc', { 'x-attempt': '3' })).toBe(false)
    expect(isMet({ ...when, user: 'bob' }, {}, '?a=bc', { 'x-attempt': '2' })).toBe(false)
  })

  it('a condition holds when all its parts do', () => {
    const when = { transactionId: { prefix: 'order', glob: '*-7' } }
    expect(isMet(when, { transactionId: 'order-7' })).toBe(true)
    expect(isMet(when, { transactionId: 'order-8' })).toBe(false)
    expect(isMet(when, { transactionId: 'other-7' })).toBe(false)
  })
})

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything', true],
    ['?', '', false],
    ['?', 'a', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbbd', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['a?c*', 'abc', true],
    ['.*', 'abc', false],
    ['a.c', 'abc', false],
  ])('%j on %j', (glob, text, expected) => {
    expect(matchesGlob(glob, text)).toBe(expected)
  })

  it('a glob matches no text that is longer than can be compared in no time', () => {
    const longest = 'a'.repeat(4_096)
    expect(isMet({ transactionId: { glob: 'a*' } }, { transactionId: longest })).toBe(true)
    expect(isMet({ transactionId: { glob: 'a*' } }, { transactionId: `${longest}a` })).toBe(false)
    expect(matchesGlob('*', 'a'.repeat(1 << 20))).toBe(false)
  })

  it('a glob says the same as the pattern that it stands for', () => {
    const letters = (of: string) => fc.array(fc.constantFrom(...of), { maxLength: 8 }).map(it => it.join(''))
    fc.assert(
      fc.property(letters('ab*?'), letters('ab'), (glob, text) => {
        const pattern = glob.replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesGlob(glob, text)).toBe(new RegExp(`^${pattern}$`).test(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('a glob takes steps in proportion to the lengths where a regular expression would take for ever', () => {
    let looks = 0
    const counted = new Proxy(new String('a'.repeat(2_000)), {
      get(target, name) {
        looks++
        return Reflect.get(target, name)
      },
    })
    expect(matchesGlob(`${'*a'.repeat(20)}*b`, counted as string)).toBe(false)
    expect(looks).toBeLessThan(10 * 2_000 * 42)
  })
})
