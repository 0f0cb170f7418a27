import { expect, test } from 'vitest'
import { farDate } from '../../src/contract/verify/test-data.ts'
import type { VerifyOptions } from '../../src/contract/verify/verify.ts'
import type { Json } from '../mock.ts'
import { type Asked, inEach, type Lie, lying, resources, type Twist, to } from './lies.ts'
import { mockTarget, sendTo, verified, withDials } from './mock-target.ts'

const truthful: Lie = () => {}
const mailings = /^\/mailings(\?|$)/
const collection = /\/[a-z-]+s(\?|$)/
const manyIds = (asked: Asked) => asked.path.split(',').length > 50
const withDate = ({ body }: Asked) => body?.scheduleDate !== undefined && body.scheduleDate !== farDate

async function resultsOf(
  clauses: readonly string[],
  lie: Lie,
  twist?: Twist,
  options: Partial<VerifyOptions> = {},
) {
  const { fetch } = await mockTarget()
  const { clauses: all } = await verified(lying(fetch, lie, twist), { filter: clauses, ...options })
  return all.filter(it => clauses.includes(it.clause))
}

/** Relations without their prefix, of links and of what is embedded. */
const withoutPrefixes: Lie = ({ json }) => {
  for (const it of resources(json))
    for (const all of [it._links, it._embedded])
      for (const name of Object.keys(all ?? {}).filter(name => name.includes(':'))) {
        all[name.slice(name.indexOf(':') + 1)] = all[name]
        delete all[name]
      }
}

/** A resource that was read once is not there any more. */
function gone(): Lie {
  const read = new Set<string>()
  return to('GET', /\/sendings\/[^/?]+$/, (told, { path }) => {
    if (read.has(path)) told.status = 404
    read.add(path)
  })
}

const cases: [clauses: string[], what: string, lie: Lie, twist?: Twist][] = [
  [
    ['2.2 mailingName', '2.2 mailingHasDraft', '2.2 mailingIsApproved'],
    'no listed mailing is that of a synchronization',
    inEach('mailing item', it => {
      it.id = it.id.replace(/^.{8}/, '99999999')
    }),
  ],
  [
    ['2.2 target.listName'],
    'no listed list is that of a synchronization',
    inEach('list', it => {
      it.id += 500_000
    }),
  ],
  [['3 transitions'], 'no sending can be read a second time', gone()],
  [
    ['S IDs'],
    'nothing has an ID',
    ({ json }) => {
      for (const it of resources(json)) delete it.id
    },
  ],
  [['2 relation prefix'], 'no relation has a prefix', withoutPrefixes],
  [
    ['2 curies'],
    'there are no curies',
    ({ json }) => {
      delete json?._links?.curies
    },
  ],
  [
    ['S general error'],
    'what is not there is refused with 400',
    told => {
      if (told.status === 404) told.status = 400
    },
  ],
  [
    ['S 400'],
    'nothing is refused',
    told => {
      if (told.status === 400) told.status = 200
    },
  ],
  [
    ['S pagination', 'S list synchronizations pageSize'],
    'every collection has one entry',
    to('GET', collection, ({ json }) => {
      for (const [name, all] of Object.entries(json?._embedded ?? {}))
        json._embedded[name] = (all as Json[]).slice(0, 1)
    }),
  ],
  [
    ['4.12 sort order'],
    'all mailings changed at once',
    inEach('mailing item', it => {
      it.modificationDate = '2026-01-01T00:00:00.000Z'
    }),
  ],
  [
    ['S list synchronizations sort'],
    'all synchronizations were made at once',
    inEach('synchronization', it => {
      for (const name of ['creationDate', 'modificationDate']) it[name] = '2026-01-01T00:00:00.000Z'
    }),
  ],
  [
    ['2.5 responseStatistics.openingRate', '2.5 responseStatistics.uniqueClickRate'],
    'no sending has recipients',
    inEach('statistics', it => {
      it.sendingStatistics.recipientsCount = 0
    }),
  ],
  [
    ['4.14 customerName'],
    'no customer can be read',
    to('GET', /\/accessible-customers\/[^/?]+$/, told => {
      told.status = 404
    }),
  ],
]

test.each(cases)('verify says that %j are not testable where %s', async (clauses, _, lie, twist) => {
  const results = await resultsOf(clauses, lie, twist)
  expect(results.map(it => [it.clause, it.status])).toEqual(clauses.map(it => [it, 'not testable']))
  for (const { reason } of results) expect(reason).toBeTruthy()
})

test('verify says in an empty space that clauses about what is in it are not testable', async () => {
  const names = ['customers', 'lists', 'accessibleLists', 'mailings', 'synchronizations', 'mailingUploads']
  const empty = [...names, 'sendings', 'platformMailings', 'platformSendings'].map(it => [it, []])
  const { fetch } = await mockTarget({ fixture: it => ({ ...it, ...Object.fromEntries(empty) }) })
  const { clauses } = await verified(fetch)
  const wanted = [
    'S IDs',
    'S null',
    '3 transitions',
    '4.15 showAllLists',
    'S undocumented members',
    '4.12 isApproved',
  ]
  const results = clauses.filter(it => wanted.includes(it.clause))
  expect(results.map(it => it.status)).toEqual(wanted.map(() => 'not testable'))
})

test('verify cannot tell the host of links where all are paths', async () => {
  const { fetch } = await withDials({ 'links-form': 'path' })
  const { clauses } = await verified(fetch, { filter: ['S host'] })
  expect(clauses.find(it => it.clause === 'S host')!.status).toBe('not testable')
})

/** Each page has two entries, as if pageSize=2 were the default. */
const inSmallPages: Twist = asked =>
  asked.path === '/mailings' ? { ...asked, path: '/mailings?pageSize=2' } : undefined

test('verify compares synchronizations with mailings of further pages', async () => {
  const name = ['2.2 mailingName']
  expect((await resultsOf(name, truthful, inSmallPages))[0]!.status).toBe('holds')
  // A name of the second page is wrong.
  const lie: Lie = to('GET', mailings, ({ json }, { path }) => {
    if (path.includes('cursor=')) for (const it of json._embedded['svc:mailings']) it.name += ' 2'
  })
  expect((await resultsOf(name, lie, inSmallPages))[0]!.status).toBe('differs')
})

test.each<[clause: string, what: string, lie: Lie]>([
  [
    '2.5 sendingStatistics.recipientsCount',
    'half a recipient',
    inEach('statistics', it => {
      it.sendingStatistics.recipientsCount += 0.5
    }),
  ],
  [
    '2.5 responseStatistics.openingRecipients',
    'who opens without being a recipient',
    inEach('statistics', it => {
      it.sendingStatistics.recipientsCount = 0
      it.responseStatistics.openingRecipients = 1
    }),
  ],
])('verify finds in %s %s', async (clause, _, lie) => {
  expect((await resultsOf([clause], lie))[0]!.status).toBe('differs')
})

test.each<[clause: string, isMeant: (asked: Asked) => boolean]>([
  ['S too many IDs', manyIds],
  ['2 date-time in', withDate],
  ['S date-time forms', withDate],
])('verify does not take a 401 for a refusal of what %s forbids', async (clause, isMeant) => {
  const lie: Lie = (told, asked) => {
    if (isMeant(asked)) told.status = 401
  }
  const [result] = await resultsOf([clause], lie, undefined, { allowWrites: true, sendTo })
  expect(['differs', 'otherwise']).toContain(result!.status)
})
