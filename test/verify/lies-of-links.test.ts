import { beforeAll, describe, expect, test } from 'vitest'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import type { Json } from '../mock.ts'
import { answer, Recording } from './answers.ts'
import { inEach, type Lie, lying, resources } from './lies.ts'
import { answers, elsewhere, liesOfLinks as lies, misleading, nowhere } from './lies-of-links.ts'
import { base, mockTarget, verified } from './mock-target.ts'

// Reading changes nothing: the truth behind all these lies is the same.
let truth: Recording
let asked = 0
beforeAll(async () => {
  truth = new Recording((await mockTarget()).fetch)
  const result = await verified(truth.fetch)
  expect(result.verdict).toBe('faithful')
  asked = result.requests
})

const toldBy = async (lie: Lie, filter: readonly string[] = []) => {
  const result = await verified(lying(truth.again(), lie), { filter })
  expect(result.incomplete).toBe(null)
  return { result, told: [...failures(result), ...choices(result)] }
}

describe('a target that lies in a link', () => {
  test.each(lies)('a target that lies in a link is caught in %s: %s', async (clause, _, lie) => {
    const { result, told } = await toldBy(lie)
    const clauses = told.map(it => it.clause)
    expect(clauses, JSON.stringify(told.map(it => [it.clause, it.expected, it.seen]))).toEqual([clause])
    expect(told[0]!.evidence).not.toEqual([])
    expect(result.verdict).toBe('differs')
  })

  test.each(Object.entries(answers))(
    'a target that lies in a link is caught where the self link of %s leads to another collection',
    async (_, path) => {
      const { told } = await toldBy(misleading(path, elsewhere), ['2 self'])
      expect(told.map(it => it.clause)).toEqual(['2 self'])
    },
  )

  test('costs no more than a few requests', async () => {
    for (const path of [/^/, answers.getCustomerList]) {
      const { result } = await toldBy(misleading(path, nowhere))
      expect(result.requests - asked).toBeLessThan(40)
    }
  })
})

describe('a self link leads back, and is no difference', () => {
  test.each<[string, (href: string) => string]>([
    ['by its path', it => new URL(it).pathname],
    ['with a query', it => (it.includes('?') ? it : `${it}?pageSize=5`)],
    [
      'in the other spelling of 4.8',
      it => it.replace(/mailing-synchronizations(?=.*\/test-)/, 'mailing-sychronizations'),
    ],
    ['with letters of a name written as their bytes', it => it.replace('lindenau', '%6Cindenau')],
  ])('a self link leads back, and is no difference: %s', async (_, change) => {
    const lie: Lie = told => {
      const { self } = (told.json as Json)?._links ?? {}
      if (told.status === 200 && self && !self.templated) self.href = change(self.href)
    }
    const { result } = await toldBy(lie, ['2 self'])
    expect(result.clauses.find(it => it.clause === '2 self')!.status).toBe('holds')
  })
})

test.each(['absolute', 'path'] as const)(
  'nothing is told of a service below a path, with %s links',
  async form => {
    const { fetch } = await mockTarget({ dials: { 'links-form': form } })
    const moved: Fetch = async (url, init) => {
      const response = await fetch(url.replace('/deep', ''), init)
      const text = await response.text()
      const below =
        form === 'path'
          ? text.replaceAll('"href":"/', '"href":"/deep/')
          : text.replaceAll(base, `${base}/deep`)
      return answer(response.status, Object.fromEntries(response.headers), below)
    }
    const result = await verified(moved, {
      url: `${base}/deep`,
      filter: ['2 self', '2 path segment', 'S addressing'],
    })
    expect(result.incomplete).toBe(null)
    expect(result.counts).toMatchObject({ holds: 3, differs: 0 })
  },
)

describe('what cannot be looked at is told as it is', () => {
  test.each<[string, Lie, RegExp]>([
    [
      'S success media type',
      told => {
        if (told.status === 200) told.headers['content-type'] = 'application/json'
      },
      /^no response is application\/hal\+json, as 2 media type tells$/,
    ],
    [
      '2.3 target',
      inEach('sending', it => {
        it.state = 'QUEUED'
      }),
      /^no sending here is CREATED$/,
    ],
    [
      '2.2 target.customer',
      inEach('synchronization', it => {
        it.target = null
      }),
      /^no synchronization here has an object target$/,
    ],
    [
      '2.3 target',
      told => {
        for (const it of resources(told.json)) delete it._embedded?.['svc:sendings']
        if (told.json && 'mailingSynchronizationId' in told.json) told.status = 404
      },
      /^there is no sending here$/,
    ],
  ])('what cannot be looked at is told as it is: %s', async (clause, lie, reason) => {
    const { clauses } = await verified(lying(truth.again(), lie), { filter: [clause] })
    const { status, reason: told } = clauses.find(it => it.clause === clause)!
    expect([status, told]).toEqual(['not testable', expect.stringMatching(reason)])
  })
})
