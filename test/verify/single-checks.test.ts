import { expect, test } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { registry } from '../../src/contract/verify/registry.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import type { Json } from '../mock.ts'
import { inEach, type Lie, lying, resources, to } from './lies.ts'
import { liesOfClauses } from './lies-of-clauses.ts'
import { liesOfFields } from './lies-of-fields.ts'
import { liesOfLinks } from './lies-of-links.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'
import { readingClause, turned } from './turned-dials.ts'

const synchronizations = /\/mailing-synchronizations(\?|$)/

/** Answers requests whose bodies are meant with another status. */
const answering = (status: number, path: RegExp, isMeant: (body: Json) => boolean): Lie =>
  to('POST', path, (told, { body }) => {
    if (isMeant(body)) told.status = status
  })
const creating = (status: number, isMeant: (body: Json) => boolean) =>
  answering(status, synchronizations, isMeant)
const testing = (status: number, isMeant: (body: Json) => boolean) =>
  answering(status, /\/test-sendings$/, isMeant)

/** Of a target whose new synchronizations all have one ID. */
let onlyId: string | undefined

/** Lies that are found by their check alone: where another check that is made in the same way has no lie, or where they hide much. */
const lies: [clause: string, what: string, lie: Lie][] = [
  ['2.1 name', 'a mailing without name', inEach('mailing', it => delete it.name)],
  ['2.3 target', 'a text', inEach('sending', it => Object.assign(it, { target: 'there' }))],
  ['2.4 id', 'a number', inEach('upload', it => Object.assign(it, { id: 5 }))],
  ['2.4 target', 'a text', inEach('upload', it => Object.assign(it, { target: 'there' }))],
  ['2.9 name', 'a number', inEach('customer', it => Object.assign(it, { name: 5 }))],
  ['2.9 list id', 'a text', inEach('list', it => Object.assign(it, { id: String(it.id) }))],
  ['4 content type', 'a body of that type is 415', creating(415, () => true)],
  ['4.1', 'a sending with a transaction ID is 409', answering(409, /\/sendings$/, it => it?.transactionId)],
  [
    '4.2 id',
    'an unknown sending that is there',
    to('GET', /\/sendings\/[^/]*dead$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.14 single',
    'a customer that is not there',
    to('GET', /\/accessible-customers\/[^/?]+$/, told => {
      told.status = 404
    }),
  ],
  [
    '8 rate limit',
    'a limit that ends in more years than there are',
    told => {
      told.headers['x-ratelimit-reset'] = '10000000000000000000000000'
    },
  ],
  [
    'S 400',
    'a page size of 0 is 409',
    to('GET', /pageSize=0/, told => {
      told.status = 409
    }),
  ],
  [
    'S 401',
    'a challenge for a token, where we have house style',
    told => {
      if (told.headers['www-authenticate']) told.headers['www-authenticate'] = 'Bearer realm="service"'
    },
  ],
  [
    'S create synchronization',
    'a new mailing that is approved',
    to('POST', synchronizations, ({ json }, { body }) => {
      if (json && body && !('mailingId' in body)) json.mailingIsApproved = true
    }),
  ],
  [
    'S create synchronization customer',
    'an unknown customer is accepted',
    creating(201, it => it?.customer === 'there-is-no-such-customer'),
  ],
  [
    'S create synchronization listId',
    'an unknown list is accepted',
    creating(201, it => it?.listId === 999_999_999),
  ],
  [
    'S create synchronization mailingId',
    'another mailing is synchronized',
    to('POST', synchronizations, ({ json }, { body }) => {
      if (json && body?.mailingId) json.mailingId = '99999999-0000-4000-8000-000000000000'
    }),
  ],
  [
    'S create synchronization rules',
    'a text for a list is accepted',
    creating(201, it => it?.listId === 'first'),
  ],
  [
    'S create synchronization several',
    'a second synchronization is the first one',
    to('POST', synchronizations, ({ json }, { body }) => {
      onlyId ??= json?.id
      if (json && body?.mailingId) json.id = onlyId
    }),
  ],
  [
    'S create synchronization synchronous',
    'it is not there yet',
    to('GET', /\/mailing-synchronizations\/[^/?]+$/, told => {
      told.status = 404
    }),
  ],
  [
    'S host',
    'links to a public address',
    told => {
      const text = JSON.stringify(told.json ?? null)
      if (told.json) told.json = JSON.parse(text.replaceAll('mock.test.localhost', 'public.test'))
    },
  ],
  [
    'S items without links',
    'a test profile with a link',
    inEach('profile', it => Object.assign(it, { _links: { self: { href: '/there' } } })),
  ],
  [
    'S list synchronizations',
    'another creationDate than alone',
    to('GET', synchronizations, ({ json }) => {
      for (const it of resources(json).slice(1)) it.creationDate = '2020-01-01T00:00:00.000Z'
    }),
  ],
  [
    'S rate limit headers',
    'the limit alone',
    told => {
      told.headers['x-ratelimit-limit'] = '600'
    },
  ],
  [
    'S sendings order',
    'the second before the first and before the third',
    to('GET', /\/sendings\?/, ({ json }) => {
      const days = [2, 1, 3]
      for (const [at, it] of resources(json).slice(1).entries())
        it.creationDate = `2020-01-0${days[at] ?? 4}T00:00:00.000Z`
    }),
  ],
  [
    'S sync token',
    'an unknown sync token that is 404, where we assume',
    to('GET', /syncToken=/, told => {
      if (told.status === 410) told.status = 404
    }),
  ],
  [
    'S test sending recipientAddresses',
    'no address is accepted',
    testing(202, it => /^not/.test(it?.recipientAddresses)),
  ],
  ['S test sending subjectPrefix', 'it is refused', testing(400, it => it?.subjectPrefix)],
  ['S test sending testMailGroupId', 'a group that is not there', testing(404, it => it?.testMailGroupId)],
  ['S test sending testProfileId', 'a profile that is not there', testing(404, it => it?.testProfileId)],
]

const isGuess = (clause: string) =>
  ['assumed', 'house style'].includes(clauses.find(({ id }) => id === clause)!.standing)

test.each(lies)('verify finds the lie in clause %s: %s', async (clause, _, lie) => {
  onlyId = undefined
  const { fetch } = await mockTarget()
  const told = await verified(lying(fetch, lie), { filter: [clause], allowWrites: true, sendTo })
  const found = [...failures(told), ...choices(told)]
  expect(found.map(it => it.clause)).toEqual([clause])
  expect(told.verdict).toBe(isGuess(clause) || clause === '8 rate limit' ? 'faithful' : 'differs')
})

/** Checks that no lie shows to fail, and why. */
const cannotFail: Readonly<Record<string, string>> = {
  'S 429':
    'a limit is told by a 429, or by an answer with no requests left, after which a run waits: it sees no other answer beyond one',
  'S rate limit': 'a limit of another size is a choice, told once in 8 rate limit: dials.test.ts',
}

test('every check has a lie that it finds, or a dial that it reads', () => {
  const lied = [...liesOfClauses, ...liesOfFields, ...liesOfLinks, ...lies].map(([clause]) => clause)
  const shown = new Set([...lied, ...turned.map(([name]) => readingClause(name))])
  const checks = registry.filter(it => 'look' in it).map(it => it.clause)
  const without = checks.filter(it => !shown.has(it) && !(it in cannotFail))
  expect(
    without,
    'nothing shows that these checks can fail: add a lie of each to lies-of-clauses.ts, or here if it hides much',
  ).toEqual([])
  const needless = Object.keys(cannotFail).filter(it => !checks.includes(it) || shown.has(it))
  expect(needless, 'these need no reason in cannotFail any more').toEqual([])
})
