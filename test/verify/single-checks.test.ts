import { expect, test } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { registry } from '../../src/contract/verify/registry.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import type { Json } from '../mock.ts'
import { type Asked, inEach, type Lie, lying, type Twist, to } from './lies.ts'
import { liesOfClauses } from './lies-of-clauses.ts'
import { liesOfFields } from './lies-of-fields.ts'
import { liesOfLinks } from './lies-of-links.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'
import { readingClause, turned } from './turned-dials.ts'

const synchronizations = /\/mailing-synchronizations(\?|$)/

const bothFalse = '/mailings?hasDraft=false&isApproved=false'
const withCredentials = (asked: Asked): Asked => ({
  ...asked,
  headers: new Headers({ ...Object.fromEntries(asked.headers), authorization: `Basic ${btoa('demo:demo')}` }),
})

/** Whether the configuration that was read last names lists beside permitAll. */
let isRestricted = false

/** Whether the configuration that was put last permits some lists only. */
let isNarrowed = false

/** The first that verify made. */
let firstUpload: string | undefined

/** The first transaction ID counts in every synchronization. */
function inFirstSynchronization(): Twist {
  let first: string | undefined
  return asked => {
    if (asked.body?.transactionId !== 'verify-1.1') return undefined
    first ??= asked.path
    return { ...asked, path: first }
  }
}

/** Answers requests whose bodies are meant with another status. */
const answering = (status: number, path: RegExp, isMeant: (body: Json) => boolean): Lie =>
  to('POST', path, (told, { body }) => {
    if (isMeant(body)) told.status = status
  })

/**
 * Each is tried with its check alone: one lie for each way in which checks are made, and those that other clauses tell as well.
 * A lie that its clause alone tells belongs to lies-of-clauses.ts, where that is looked at.
 */
const lies: [clause: string, what: string, lie: Lie, twist?: Twist][] = [
  ['2.1 name', 'a mailing without name', inEach('mailing item', it => delete it.name)],
  ...['sendingsModificationDate', 'mailingUploadsModificationDate'].map((name): (typeof lies)[number] => [
    `2.2 ${name}`,
    'null where there is one',
    inEach('synchronization', it => Object.assign(it, { [name]: null })),
  ]),
  ['2.9 list id', 'a text', inEach('list', it => Object.assign(it, { id: String(it.id) }))],
  ['4 content type', 'a body of that type is 415', answering(415, synchronizations, () => true)],
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
    'S 401',
    'a challenge for a token, where we have house style',
    told => {
      if (told.headers['www-authenticate']) told.headers['www-authenticate'] = 'Bearer realm="service"'
    },
  ],
  [
    'S create synchronization synchronous',
    'it is not there yet',
    to('GET', /\/mailing-synchronizations\/[^/?]+$/, told => {
      told.status = 404
    }),
  ],
  [
    'S items without links',
    'a test profile with a link',
    inEach('test profile', it => Object.assign(it, { _links: { self: { href: '/there' } } })),
  ],
  [
    'S rate limit headers',
    'the limit alone',
    told => {
      told.headers['x-ratelimit-limit'] = '600'
    },
  ],
  [
    'S target of indeterminate',
    'recipients in the statistics of a sending that shows no target',
    inEach('statistics', ({ sendingStatistics }) => {
      sendingStatistics.recipientsCount ||= 5
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
    '5/1',
    'any password for customers',
    () => {},
    asked => (asked.path.endsWith('/accessible-customers') && withCredentials(asked)) || undefined,
  ],
  ...(['isApproved', 'hasDraft'] as const).map((flag): (typeof lies)[number] => [
    `4.12 ${flag}`,
    'it is ignored beside the other one',
    () => {},
    asked => ({
      ...asked,
      path:
        asked.path.includes('&') && asked.path !== bothFalse
          ? asked.path.replace(new RegExp(`${flag}=\\w+&?`), '')
          : asked.path,
    }),
  ]),
  [
    '4.12 sort order',
    'the filtered mailings in another order',
    to('GET', /^\/mailings\?isApproved=true$/, ({ json }) => json._embedded['svc:mailings'].reverse()),
  ],
  [
    '4.1 transactionId',
    'capitals count as small letters',
    () => {},
    asked => {
      const { transactionId } = asked.body ?? {}
      return (
        transactionId && { ...asked, body: { ...asked.body, transactionId: transactionId.toLowerCase() } }
      )
    },
  ],
  ['4.1 transactionId', 'one sending in all synchronizations', () => {}, inFirstSynchronization()],
  ...['mailingHasDraft', 'mailingIsApproved'].map((name): (typeof lies)[number] => [
    `2.2 ${name}`,
    'another value than that of the mailing',
    inEach('synchronization', it => {
      if (it.id.endsWith('0001')) it[name] = !it[name]
    }),
  ]),
  [
    '4.16 permitAll',
    'permittedLists counts beside permitAll',
    inEach('configuration', ({ permitAll, permittedLists }) => {
      isRestricted = permitAll && permittedLists.length > 0
    }),
    asked =>
      isRestricted && /\/lists$/.test(asked.path)
        ? { ...asked, path: `${asked.path}?pageSize=1` }
        : undefined,
  ],
  [
    '4.3 includeAllStates',
    'no sending at all where one was created',
    to('GET', /\/sendings(\?|$)/, ({ json }) => {
      if (json?._embedded) json._embedded['svc:sendings'] = []
    }),
  ],
  [
    '4.12 sort order',
    'mailings in the order in which their IDs were asked for',
    to('GET', /^\/mailings\?id=/, ({ json }, { path }) =>
      json._embedded['svc:mailings'].sort((a: Json, b: Json) => path.indexOf(a.id) - path.indexOf(b.id)),
    ),
  ],
  [
    '4.1/5',
    'a repeat that shows no transaction ID',
    to('POST', /\/sendings$/, told => {
      if (told.status === 200) told.json.transactionId = null
    }),
  ],
  ...(['mailingId', 'sendingId'] as const).map((name): (typeof lies)[number] => [
    '4.1/5',
    `a repeat with another target.${name}`,
    to('POST', /\/sendings$/, ({ status, json }) => {
      if (status === 200) json.target[name]++
    }),
  ]),
  [
    '4.1 response',
    'another platform mailing when read',
    to('GET', /\/sendings\/[^/?]+$/, ({ json }) => {
      if (json.target) json.target.mailingId++
    }),
  ],
  [
    '4.16',
    'a PUT that is answered with other lists than are kept',
    to('PUT', /\/accessible-lists$/, ({ json }) => {
      if (json?.permittedLists) json.permittedLists = []
    }),
  ],
  [
    'S create synchronization',
    'another customer than asked for',
    to('POST', synchronizations, ({ json }) => {
      if (json?.target) json.target.customer = 'lindenau'
    }),
  ],
  [
    'S preview kind',
    'latest ends otherwise than the draft',
    to('GET', /kind=latest$/, ({ json }) => {
      if (json.htmlContent) json.htmlContent += '<!-- latest -->'
    }),
  ],
  [
    'S preview kind missing',
    'the latest for lastApproved',
    () => {},
    asked => ({ ...asked, path: asked.path.replace('kind=lastApproved', 'kind=latest') }),
  ],
  ...['openingRecipients', 'clickingRecipients'].map((name): (typeof lies)[number] => [
    `2.5 responseStatistics.${name}`,
    'more than there are recipients',
    inEach('statistics', ({ responseStatistics, sendingStatistics }) => {
      responseStatistics[name] = sendingStatistics.recipientsCount + 1
    }),
  ]),
  [
    '4.15 effect',
    'a permitted list is refused where not all are permitted',
    (told, asked) => {
      to('PUT', /\/accessible-lists$/, () => {
        isNarrowed = asked.body.permitAll === false
      })(told, asked)
      to('POST', synchronizations, () => {
        if (isNarrowed) told.status = 403
      })(told, asked)
    },
  ],
  [
    '4.11 latest',
    'the first of two uploads',
    to('POST', /\/mailing-uploads$/, ({ json }) => {
      firstUpload ??= json.id
    }),
    asked => (firstUpload ? { ...asked, path: asked.path.replace(/latest$/, firstUpload) } : undefined),
  ],
]

const isGuess = (clause: string) =>
  ['assumed', 'house style'].includes(clauses.find(({ id }) => id === clause)!.standing)

test.each(lies)('verify finds the lie in clause %s: %s', async (clause, _, lie, twist) => {
  const { fetch } = await mockTarget()
  const told = await verified(lying(fetch, lie, twist), { filter: [clause], allowWrites: true, sendTo })
  const found = [...failures(told), ...choices(told)]
  expect(found.map(it => it.clause)).toEqual([clause])
  expect(told.verdict).toBe(isGuess(clause) || clause === '8 rate limit' ? 'faithful' : 'differs')
})

test('verify does not say that kinds of previews hold where both versions look the same', async () => {
  const { fetch } = await mockTarget()
  const drafts: Twist = asked => ({ ...asked, path: asked.path.replace('kind=lastApproved', 'kind=draft') })
  const told = await verified(
    lying(fetch, () => {}, drafts),
    { filter: ['S preview kind', '4.7'] },
  )
  expect(told.clauses.find(it => it.clause === 'S preview kind')).toMatchObject({
    status: 'not testable',
    reason: 'draft and approved version look the same here',
  })
})

test('verify accepts a page that asks a person to sign in', async () => {
  const { fetch } = await mockTarget()
  const signIn = to('GET', /\/_mock\//, told => {
    told.status = 401
  })
  const { clauses } = await verified(lying(fetch, signIn), { filter: ['S links that open pages'] })
  expect(clauses.find(it => it.clause === 'S links that open pages')!.status).toBe('holds')
})

const afterWrites: typeof lies = [
  [
    '4.3 includeAllStates',
    'a sending that is still PENDING is not listed',
    (...args) => {
      to('POST', /\/sendings$/, ({ status, json }) => {
        if (status === 201) json.state = 'PENDING'
      })(...args)
      to('GET', /\/sendings\?/, ({ json }) => {
        const all = json?._embedded?.['svc:sendings']
        if (all) json._embedded['svc:sendings'] = all.filter((it: Json) => !/^verify/.test(it.transactionId))
      })(...args)
    },
  ],
  [
    '4.3',
    'a sending that was created is not listed',
    to('GET', /\/sendings$/, ({ json }) => {
      const all = json?._embedded?.['svc:sendings']
      if (all) json._embedded['svc:sendings'] = all.filter((it: Json) => !it.transactionId)
    }),
  ],
  ...['sendings', 'mailing-uploads', 'mailing-synchronizations', 'test-sendings', 'accessible-lists'].map(
    (end): (typeof lies)[number] => [
      '4 authentication',
      `a write of ${end} without credentials`,
      () => {},
      asked => (asked.path.endsWith(`/${end}`) && asked.body && withCredentials(asked)) || undefined,
    ],
  ),
]

test.each(afterWrites)(
  'verify finds by what it wrote the lie in clause %s: %s',
  async (clause, _, lie, twist) => {
    const { fetch } = await mockTarget()
    const filter = [clause, '4.1', '4.10', '4.16', 'S test sending']
    const told = await verified(lying(fetch, lie, twist), { filter, allowWrites: true })
    expect(failures(told).map(it => it.clause)).toEqual([clause])
  },
)

/** Checks that no lie shows to fail, and why. */
const cannotFail: Readonly<Record<string, string>> = {
  'S 429':
    'a limit is told by a 429, or by a response with no requests left, after which a run waits: it sees no other answer beyond one',
  'S rate limit': 'a limit of another size is a choice, told once in 8 rate limit: dials.test.ts',
}

test('every check has a lie that it finds, or a dial that it reads', () => {
  const lied = [...liesOfClauses, ...liesOfFields, ...liesOfLinks, ...lies].map(([clause]) => clause)
  const shown = new Set([...lied, ...turned.map(([name]) => readingClause(name))])
  const checks = registry.filter(it => 'look' in it).map(it => it.clause)
  const without = checks.filter(it => !shown.has(it) && !(it in cannotFail))
  expect(
    without,
    'nothing shows that these checks can fail: add a lie of each to lies-of-clauses.ts, or here if other clauses tell it as well',
  ).toEqual([])
  const needless = Object.keys(cannotFail).filter(it => !checks.includes(it) || shown.has(it))
  expect(needless, 'these need no reason in cannotFail any more').toEqual([])
})
