import { describe, expect, it } from 'vitest'
import { collectEvidence } from '../../src/judge/evidence.ts'
import { judge } from '../../src/judge/verdict.ts'
import { ruleFrom } from '../../src/rig/scenarios/read.ts'
import { customersPath, ids, synchronizationPath, synchronizationsPath } from '../mock.ts'
import { explained } from './explain/explained.ts'
import { onCreate, staged } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const ours = (headers: Headers) => [...headers.keys()].filter(name => name.startsWith('x-mock-'))
const disturbed = onCreate([{ phase: 'before', answer: { status: 418 } }, {}])

describe('X-Mock-Request-Id', () => {
  it('X-Mock-Request-Id leads to the entry in the journal, on answers of every kind', async () => {
    const { mock, act } = await staged([disturbed], { hints: true })
    const answers = [
      await act.post({ transactionId: 'T' }),
      await act.post({ transactionId: 'T' }),
      await mock.as('demo').get('/mailings'),
      await mock.as('demo').get('/nothing'),
      await mock.as('demo-viewer').post(sendings),
    ]
    for (const [n, { status, headers }] of answers.entries()) {
      const entry = mock.rig().journal.find(headers.get('x-mock-request-id')!)!
      expect([entry.number, entry.response!.status]).toEqual([n + 1, status])
    }
  })
})

describe('X-Mock-Scenario', () => {
  it('X-Mock-Scenario names the scenario that fired, or the one-shot fault, and nothing otherwise', async () => {
    const { mock, act } = await staged([disturbed], { hints: true })
    const named = async () => (await act.post({ transactionId: 'T' })).headers.get('x-mock-scenario')
    expect([await named(), await named(), await named()]).toEqual(['a-test', 'a-test', 'a-test'])
    mock.rig().faults.arm(ruleFrom(mock.rig().scenarios.active!.scenario.rules[0]!.written, 'the test'))
    expect([await named(), await named()]).toEqual(['f1', 'f1'])
    mock.rig().scenarios.arm(undefined)
    expect(await named()).toBeNull()
    expect((await mock.as('demo').get('/mailings')).headers.has('x-mock-scenario')).toBe(false)
  })
})

describe('X-Mock-Hint', () => {
  it.each([
    [
      'an unknown synchronization, with some that there are',
      'GET',
      synchronizationPath('x'),
      undefined,
      404,
      ids.ready,
    ],
    ['an unknown customer', 'GET', `${customersPath}/nobody`, undefined, 404, 'Maison%20Orane'],
    [
      'an unknown sending, with those of its synchronization',
      'GET',
      synchronizationPath(ids.failedTwice, '/sendings/x'),
      undefined,
      404,
      'Sendings of this synchronization there are: ',
    ],
    [
      'an unknown test profile',
      'GET',
      synchronizationPath(ids.ready, '/preview?testProfileId=1'),
      undefined,
      404,
      'Test profiles of this synchronization there are: 7001',
    ],
    ['an unknown mailing', 'GET', '/mailings/x', undefined, 404, 'Mailings there are: '],
    ['a wrong member', 'POST', sendings, { transactionId: 'ä b' }, 400, 'transactionId: '],
    ['a date that has passed', 'POST', sendings, { scheduleDate: '2020-01-01T00:00:00Z' }, 400, '2020'],
    [
      'a mailing that is not approved',
      'POST',
      synchronizationPath(ids.draftOnly, '/sendings'),
      {},
      409,
      ids.draftOnly,
    ],
  ])('X-Mock-Hint says of %s what was expected', async (_, method, path, body, status, part) => {
    const { mock } = await staged([], { hints: true })
    const user = mock.as('demo')
    const answer = method === 'GET' ? await user.get(path) : await user.post(path, body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-mock-hint')).toContain(part)
  })

  it.each([
    ['a success', 200, {}],
    ['an error of the service', 500, { 'X-Mock-Scenario': 'error-500-before' }],
  ])('X-Mock-Hint is not on %s', async (_, status, headers) => {
    const { act } = await staged([], { hints: true })
    await act.post({ transactionId: 'T' })
    const answer = await act.post({ transactionId: 'T' }, headers)
    expect([answer.status, answer.headers.has('x-mock-hint')]).toEqual([status, false])
  })

  it.each([
    ['transactionID', `The body's member "transactionID" is ignored; did you mean "transactionId"?`],
    ['transaction_id', `The body's member "transaction_id" is ignored; did you mean "transactionId"?`],
    ['reference', 'No transactionId: if this request is repeated, the mailing is sent again (section 4.1/3)'],
    ['transactionId', null],
  ])(
    'X-Mock-Hint says of a creation without a transaction ID what its client misspelt: %s',
    async (name, hint) => {
      const { act, mock } = await staged([], { hints: true })
      const { status, headers } = await act.post({ [name]: 'T' })
      expect([status, headers.get('x-mock-hint')]).toEqual([201, hint])
      const { summary } = await explained(mock)
      expect(summary.split(/(?<=was sent\.) /)[1] ?? null).toBe(hint)
    },
  )

  it.each([
    ['pagesize=3', 'The parameter "pagesize" is ignored; did you mean "pageSize"?'],
    ['pageSize=3', null],
    ['_=1730456', null],
  ])('X-Mock-Hint says of a read which parameter its client misspelt: %s', async (query, hint) => {
    const { mock } = await staged([], { hints: true })
    const { status, headers } = await mock.as('demo').get(`/mailings?${query}`)
    expect([status, headers.get('x-mock-hint')]).toEqual([200, hint])
  })

  it.each([
    ['X-Mock-Scenarios', 'The header "x-mock-scenarios" is ignored; did you mean "X-Mock-Scenario"?'],
    ['X-Mock-Scenerio', 'The header "x-mock-scenerio" is ignored; did you mean "X-Mock-Scenario"?'],
    ['X-Mock-Request-Id', null],
    ['X-Scenario', null],
  ])('X-Mock-Hint says of any request which header its client misspelt: %s', async (name, hint) => {
    const { act, mock } = await staged([], { hints: true })
    const created = await act.post({ transactionId: 'T' }, { [name]: 'reset-after' })
    const { summary } = await explained(mock)
    expect(summary.split(/(?<=was sent\.) /)[1] ?? null).toBe(hint)
    const read = await mock.as('demo').send('GET', '/mailings', { headers: { [name]: 'reset-after' } })
    const hints = [created, read].map(({ headers }) => headers.get('x-mock-hint'))
    expect(hints).toEqual([hint, hint])
  })

  it.each([
    ['/mailings/', '/mailings'],
    ['//mailings', '/mailings'],
    [`${sendings}/`, sendings],
    [`/${synchronizationPath(ids.ready, '//sendings/')}`, sendings],
    [sendings.replace('mailing-platform', 'other'), sendings],
  ])(
    'X-Mock-Hint names the path that was meant, for slashes too many and another segment: %s',
    async (path, plain) => {
      const { mock } = await staged([], { hints: true })
      const { status, headers } = await mock.as('demo').get(path)
      expect([status, headers.get('x-mock-hint')]).toEqual([
        404,
        `There is no resource at ${path}. Did you mean ${plain}?`,
      ])
    },
  )

  it('X-Mock-Hint names the control call for a path that begins nearly like one', async () => {
    const { mock } = await staged([], { hints: true })
    const { status, headers } = await mock.as('demo').post('/_mok/reset', {})
    expect([status, headers.get('x-mock-hint')]).toEqual([
      404,
      expect.stringContaining('Did you mean /_mock/reset?'),
    ])
  })

  it.each([
    ['line breaks', 'a\r\nX-Injected: 1'],
    ['letters that no header takes', 'größer als 😀'],
    ['a text of any length', 'x'.repeat(50_000)],
    ['control characters', '\u0000\u007f\u2028'],
  ])('X-Mock-Hint stays one short line of ASCII whatever a client sends: %s', async (_, odd) => {
    const { act } = await staged([], { hints: true })
    const { status, headers } = await act.post({ transactionId: odd, scheduleDate: odd, name: 5 })
    expect(status).toBe(400)
    expect(headers.get('x-mock-hint')).toMatch(/^[\x20-\x7e]{1,300}$/)
    expect(headers.has('x-injected')).toBe(false)
  })

  it.each(['full', 'minimal', 'plain-json', 'text', 'empty'] as const)(
    'X-Mock-Hint says the same, whatever the body tells: %s',
    async form => {
      const { mock } = await staged([], { hints: true, dials: { 'error-body': form } })
      const { headers } = await mock.as('demo').get(synchronizationPath('x'))
      expect(headers.get('x-mock-hint')).toMatch(
        /^There is no mailing synchronization x\. Mailing synchronizations there are: /,
      )
    },
  )

  const customerPath = (name: string) => `${customersPath}/${encodeURIComponent(name)}`
  it.each([
    ['capitals', customerPath('LINDENAU'), 'lindenau'],
    ['other small letters', customerPath('maison orane'), 'Maison%20Orane'],
    ['other joints', customerPath('harbour_group'), 'harbour-group'],
    ['braces', synchronizationPath(`%7B${ids.ready}%7D`), ids.ready],
    ['the prefix of a URN', synchronizationPath(`urn:uuid:${ids.ready}`), ids.ready],
    ['no hyphens', synchronizationPath(ids.ready.replaceAll('-', '')), ids.ready],
    ['a blank behind it', `${synchronizationPath(ids.ready)}%20`, ids.ready],
    [
      'quotation marks',
      '/mailings/%2211111111-0000-4000-8000-000000000001%22',
      '11111111-0000-4000-8000-000000000001',
    ],
  ])('X-Mock-Hint names the one that was meant by a name with %s', async (_, path, meant) => {
    const { mock } = await staged([], { hints: true })
    const { status, headers } = await mock.as('demo').get(path)
    expect(status).toBe(404)
    expect(headers.get('x-mock-hint')).toMatch(new RegExp(`^There is no .*\\. Did you mean ${meant}\\?$`))
  })

  it('X-Mock-Hint names things of its own space only', async () => {
    const { mock } = await staged([], { hints: true })
    const created = await mock
      .as('demo+other')
      .post(synchronizationsPath, { customer: 'lindenau', listId: 2001 })
    expect(created.status).toBe(201)
    const { headers } = await mock.as('demo').get(synchronizationPath('x'))
    expect(headers.get('x-mock-hint')).not.toContain(created.json.id)
  })

  it('X-Mock-Hint says the status where a scenario gives a response that says nothing', async () => {
    const answer = { status: 404, body: 'gateway-html' }
    const { act } = await staged([onCreate([{ phase: 'before', answer }])], { hints: true })
    expect((await act.post()).headers.get('x-mock-hint')).toMatch(/^Status 404/)
  })
})

describe('without hints', () => {
  it('nothing of ours is in an answer, and its bytes are the same', async () => {
    const run = async (hints: boolean) => {
      const { mock, act } = await staged([disturbed], { hints })
      return [
        await act.post({ transactionId: 'T' }),
        await act.post({ transactionId: 'T' }),
        await mock.as('demo').get(synchronizationPath('x')),
        await mock.as('demo').get('/mailings'),
      ]
    }
    const [bare, hinted] = [await run(false), await run(true)]
    expect(bare.flatMap(({ headers }) => ours(headers))).toEqual([])
    expect(new Set(hinted.flatMap(({ headers }) => ours(headers))).size).toBe(3)
    const bytes = (answers: typeof bare) =>
      answers.map(({ status, headers, text }) => [
        status,
        [...headers].filter(([name]) => !name.startsWith('x-mock-')),
        text,
      ])
    expect(bytes(hinted)).toEqual(bytes(bare))
  })
})

it.each([
  ['has none', {}, true],
  ['has null', { transactionId: null }, true],
  ['has one', { transactionId: 'T' }, false],
])(
  '4.1/3: a sending whose request %s is answered with the hint that a repeat sends again: %s',
  async (_, body, isTold) => {
    const { act } = await staged([], { hints: true })
    const { status, headers } = await act.post(body)
    expect(Math.floor(status / 100)).toBe(2)
    expect(headers.get('x-mock-hint')?.includes('the mailing is sent again') ?? false).toBe(isTold)
  },
)

describe('dates without milliseconds', () => {
  it('a misspelt transactionId beside one is told first: each repeat sends again', async () => {
    const { act } = await staged([], { hints: true })
    const { headers } = await act.post({ transactionID: 'T', scheduleDate: '2030-05-17T09:30:00Z' })
    expect(headers.get('x-mock-hint')).toContain('did you mean "transactionId"')
  })

  it.each([
    ['2030-05-17T09:30:00Z', true],
    ['2030-05-17T09:30:00.5+02:00', true],
    ['2030-05-17T09:30:00.000Z', false],
    ['2030-05-17T09:30:00.000+02:00', false],
  ])(
    'S date-time in: %s is taken, with a hint and a note in the verdict if it lacks them: %s',
    async (scheduleDate, isShort) => {
      const { mock, act } = await staged([], { hints: true })
      const { status, headers } = await act.post({ transactionId: 'T', scheduleDate })
      expect(status).toBe(201)
      expect(headers.get('x-mock-hint')?.startsWith('scheduleDate has no milliseconds') ?? false).toBe(
        isShort,
      )
      const { outcome, note, findings } = judge(await collectEvidence(mock.rig()))
      expect([
        outcome,
        findings,
        note?.startsWith('1 request has a scheduleDate without milliseconds') ?? false,
      ]).toEqual(['innocent', [], isShort])
    },
  )
})
