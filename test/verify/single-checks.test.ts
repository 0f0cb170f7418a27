import { expect, test } from 'vitest'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { inEach, type Lie, lying, to } from './lies.ts'
import { mockTarget, verified } from './mock-target.ts'

/** One lie for each way in which checks are made, found by its check alone: every clause has its lie in lies.test.ts. */
const lies: [clause: string, what: string, lie: Lie, verdict: 'differs' | 'faithful'][] = [
  ['2.1 name', 'a mailing without name', inEach('mailing', it => delete it.name), 'differs'],
  [
    '4.2 id',
    'an unknown sending that is there',
    to('GET', /\/sendings\/[^/]*dead$/, told => {
      told.status = 200
    }),
    'differs',
  ],
  [
    'S 401',
    'a challenge for a token, where we have house style',
    told => {
      if (told.headers['www-authenticate']) told.headers['www-authenticate'] = 'Bearer realm="service"'
    },
    'faithful',
  ],
  [
    'S sync token',
    'an unknown sync token that is 404, where we assume',
    to('GET', /syncToken=/, told => {
      if (told.status === 410) told.status = 404
    }),
    'faithful',
  ],
  [
    '8 rate limit',
    'a limit that ends in more years than there are',
    told => {
      told.headers['x-ratelimit-reset'] = '10000000000000000000000000'
    },
    'faithful',
  ],
]

test.each(lies)('verify finds the lie in clause %s: %s', async (clause, _, lie, verdict) => {
  const { fetch } = await mockTarget()
  const told = await verified(lying(fetch, lie), { filter: [clause] })
  const found = verdict === 'differs' ? failures(told) : choices(told)
  expect([told.verdict, found.map(it => it.clause)]).toEqual([verdict, [clause]])
})
