import { describe, expect, it } from 'vitest'
import { ruleFrom } from '../../src/rig/scenarios/read.ts'
import { ids, startMock, synchronizationPath, type TestMock, type TestMockOptions } from '../mock.ts'
import { journalCalls } from './requests/journal-calls.ts'
import { acting, onCreate, scenarioOf, staged } from './stage.ts'

interface Explained {
  readonly summary: string
  readonly why: string[]
  readonly done: string[]
  readonly told: string[]
  readonly change: string[]
}

/** The explanation of the latest request, or of the one with this number. */
async function explained(mock: TestMock, number?: number): Promise<Explained> {
  const entry = mock
    .rig()
    .journal.entries()
    .find(it => it.number === number)
  return (await journalCalls(mock).get(entry?.asked.id)).explanation
}

/** A create, with these steps in force. */
async function created(steps: readonly object[], more: object = {}, body: object = { transactionId: 'T' }) {
  const { mock, act } = await staged([onCreate(steps, more)])
  await act.post(body).catch(() => {})
  return { mock, act, ...(await explained(mock)) }
}

describe('an undisturbed answer', () => {
  it('is explained by the clause behind it, and by what could have disturbed it', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T' })
    const { summary, why, done, told, change } = await explained(mock)
    expect(summary).toBe(
      'createSending with transactionId "T": answered 201 with state CREATED; platform sending 500011 went out.',
    )
    expect(why).toEqual([
      'No scenario applied: none is in force for the space, the request names none, and its synchronization is no test synchronization.',
    ])
    expect(done[1]).toMatch(
      /^On the platform mailing 100016 was made, and sending 500011 to \d+ recipients went out at 2026-11-01T10:00:00.000Z\.$/,
    )
    expect(told).toEqual([
      'The answer was 201 with state CREATED, which is the truth.',
      'Everything was set up under a new transactionId: 201 with a Location (4.1/4).',
      'What a client is to do on CREATED: nothing more, it was sent or scheduled (3/4).',
      expect.stringMatching(
        /^It left whole, \d+ bytes; that the client has received it cannot be known from here\.$/,
      ),
    ])
    expect(change).toEqual([
      'To disturb it: the header X-Mock-Scenario: NAME, or a transactionId mock:NAME:ANYTHING, for one request, PUT …/scenario for the space, POST …/faults for one strike; GET /_mock/scenarios lists the names.',
    ])
  })

  it('to a request without a transaction ID is explained by what success means there', async () => {
    const { mock, act } = await staged([])
    await act.post({})
    expect((await explained(mock)).told[1]).toContain('Without a transactionId success means')
  })

  it('that schedules tells when it goes out', async () => {
    const { mock, act } = await staged([])
    await act.post({ scheduleDate: '2026-12-24T18:00:00Z' })
    const { summary, done } = await explained(mock)
    expect(summary).toContain('is scheduled')
    expect(done[1]).toContain('is scheduled for 2026-12-24T18:00:00.000Z')
  })

  it('to a repeat names the first request, whose plan stands', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T', name: 'a' })
    await act.post({ transactionId: 'T', name: 'b' })
    const { done, told } = await explained(mock)
    expect(done[0]).toMatch(
      /^Its transactionId was known: r0-1 made sending .* a repeat makes no second one \(4\.1\/5\)\.$/,
    )
    expect(done).toContain('The payload differs from that of r0-1; what differs was ignored (4.1/9).')
    expect(told[1]).toContain('200 with the state of the sending (4.1/5)')
  })

  it('to a repeat with the same payload, written in another order, says nothing of a difference', async () => {
    const { mock } = await staged([])
    const path = synchronizationPath(ids.ready, '/sendings')
    await mock.as('demo').post(path, '{"transactionId":"T","name":"a","subject":"b"}')
    await mock.as('demo').post(path, '{"subject":"b","name":"a","transactionId":"T"}')
    expect((await explained(mock)).done.join(' ')).not.toContain('differs')
  })

  it('to a read names the section', async () => {
    const mock = await startMock()
    await mock.as('demo').get(synchronizationPath(ids.ready))
    expect(await explained(mock)).toMatchObject({
      done: ['It only read: nothing was changed.'],
      told: [expect.anything(), 'That is the answer of section 4.5, undisturbed.', expect.anything()],
    })
  })
})

describe('a refusal', () => {
  const sendings = synchronizationPath(ids.ready, '/sendings')

  it.each<[string, (mock: TestMock) => Promise<unknown>, RegExp, RegExp]>([
    [
      'of a mailing without an approved version',
      mock => mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), {}),
      /^Not ready for sending: .* What refuses it: 3\/3/,
      new RegExp(
        `have the mailing approved, or use a synchronization whose readyForSending is true, such as ${ids.ready}`,
      ),
    ],
    [
      'of a date in the past',
      mock => mock.as('demo').post(sendings, { scheduleDate: '2020-01-01T00:00:00Z' }),
      /scheduleDate.*not in the future.*What refuses it: 4\.1 and 7\/2/,
      /give a scheduleDate in the future of the space's clock/,
    ],
    [
      'of a date without a time zone',
      mock => mock.as('demo').post(sendings, { scheduleDate: '2030-01-01T00:00:00' }),
      /scheduleDate: .*What refuses it: 4\.1\./,
      /with its time zone, such as 2030-01-31T09:30:00Z/,
    ],
    [
      'of a transaction ID with other characters',
      mock => mock.as('demo').post(sendings, { transactionId: 'a b' }),
      /transactionId: .*What refuses it: 7\/3 and section 8/,
      /1 to 100 letters, digits, dots, colons, hyphens or underscores/,
    ],
    [
      'of what is no JSON',
      mock => mock.as('demo').post(sendings, '{'),
      /^Malformed request body: .*What refuses it: section 4/,
      /\{\} is the least/,
    ],
    [
      'of another media type',
      mock => mock.as('demo').post(sendings, '{}', { 'content-type': 'text/plain' }),
      /^Unsupported media type: /,
      /Content-Type: application\/hal\+json/,
    ],
    [
      'of a change without the right to it',
      mock => mock.as('demo-viewer').post(sendings, {}),
      /^Missing right: .*"write"/,
      /use a user with this right/,
    ],
    [
      'of an ID that there is not',
      mock => mock.as('demo').get(synchronizationPath('22222222-0000-4000-8000-00000000ffff')),
      /^Not found: /,
      /use an ID that there is/,
    ],
    [
      'of both filters being false',
      mock => mock.as('demo').get('/mailings?hasDraft=false&isApproved=false'),
      /What refuses it: 4\.12 and 7\/4/,
      /do not ask for both/,
    ],
    [
      'of a method that there is not',
      mock => mock.as('demo').send('DELETE', '/mailings'),
      /^Method not allowed: /,
      /a method that the Allow header lists/,
    ],
    [
      'of a wrong password',
      mock => mock.as('demo').get('/mailings', { authorization: `Basic ${btoa('demo:wrong')}` }),
      /^Unauthorized: .*What refuses it: 5\/1/,
      /send Authorization: Basic/,
    ],
  ])('%s names the section that refuses it, and what would be accepted', async (_, ask, told, accepted) => {
    const mock = await startMock()
    await ask(mock)
    const explanation = await explained(mock)
    expect(explanation.told[1]).toMatch(told)
    expect(explanation.change[0]).toMatch(/^To be accepted: /)
    expect(explanation.change[0]).toMatch(accepted)
    expect(explanation.done.join(' ')).toMatch(/nothing was changed|Nothing was done/)
  })

  it.each(['full', 'minimal', 'plain-json', 'text', 'empty'] as const)(
    'is explained whatever the body tells the client: %s',
    async form => {
      const mock = await startMock({ dials: { 'error-body': form } })
      await mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), {})
      expect((await explained(mock)).change[0]).toContain('readyForSending')
    },
  )

  it('of a scenario that there is not says so', async () => {
    const { mock, act } = await staged([])
    await act.post({}, { 'x-mock-scenario': 'no-such' })
    const { why, told, change } = await explained(mock)
    expect(why[0]).toContain(
      'names the scenario "no-such" in X-Mock-Scenario, but there is none of that name',
    )
    expect(told[1]).toContain('no scenario "no-such"')
    expect(change[0]).toContain('name a scenario that there is')
  })
})

describe('a scenario that struck', () => {
  const options: TestMockOptions = {
    scenario: name => scenarioOf([onCreate([{ state: 'PENDING' }, { state: 'CREATED' }])], name),
    fixture: base => ({ ...base, testSynchronizations: [{ id: ids.both, scenario: 'bound-to-it' }] }),
  }
  const create = (mock: TestMock, id: string, body: object, headers = {}) =>
    mock.as('demo').post(synchronizationPath(id, '/sendings'), body, headers)

  it.each<[string, (mock: TestMock) => Promise<unknown>, string, string]>([
    [
      'because a header names it',
      mock => create(mock, ids.ready, { transactionId: 'T' }, { 'x-mock-scenario': 'named' }),
      'Scenario "named", which the request names in X-Mock-Scenario, applied.',
      'Without X-Mock-Scenario it would not have been disturbed by it.',
    ],
    [
      'because its transaction ID names it',
      mock => create(mock, ids.ready, { transactionId: 'mock:named:1' }),
      'Scenario "named", which the transactionId "mock:named:1" names, applied.',
      'With a transactionId that does not begin with "mock:" it would not have been disturbed by it.',
    ],
    [
      'because its synchronization is bound to it',
      mock => create(mock, ids.both, { transactionId: 'T' }),
      `Scenario "bound-to-it", which the test synchronization ${ids.both} is bound to, applied.`,
      'On a synchronization that is no test synchronization it would not have been disturbed by it.',
    ],
    [
      'because it is in force for the space',
      mock => {
        mock.rig().arm(scenarioOf([onCreate([{ state: 'PENDING' }, { state: 'CREATED' }])], 'armed'))
        return create(mock, ids.ready, { transactionId: 'T' })
      },
      'Scenario "armed", which is in force for the space, applied.',
      'DELETE …/scenario ends it; PUT …/scenario with "armed" begins its counts anew.',
    ],
    [
      'because a control call armed a fault',
      mock => {
        mock.rig().faults.arm(ruleFrom(onCreate([{ state: 'PENDING' }, { state: 'CREATED' }]), 'the test'))
        return create(mock, ids.ready, { transactionId: 'T' })
      },
      'One-shot fault f1, which a control call armed and which goes before every scenario, applied.',
      'POST …/faults arms another one.',
    ],
  ])('is explained %s', async (_, ask, why, change) => {
    const mock = await startMock(options)
    await ask(mock)
    const explanation = await explained(mock)
    expect(explanation.why).toEqual([
      why,
      'Rule 1 is on createSending; attempts are counted for each transactionId.',
      'This was attempt 1 in step 1 of 2: the sending is PENDING, the answer is true.',
    ])
    expect(explanation.change).toContain(
      'A repeat with the same transactionId gets step 2: the sending is CREATED, the answer is true.',
    )
    expect(explanation.change).toContain(change)
  })

  it.each<[string, readonly object[], RegExp, RegExp]>([
    [
      'before any work',
      [{ phase: 'before', answer: { status: 502, body: 'gateway-html' } }, { state: 'CREATED' }],
      /^Nothing was done: the step strikes before any work\.$/,
      /^The answer was 502\.$/,
    ],
    [
      'after the work',
      [{ phase: 'after', answer: { status: 504, body: 'gateway-html' } }, { state: 'CREATED' }],
      /sending 500011 to \d+ recipients went out/,
      /^The answer was 504; the true one was 201 with state CREATED\.$/,
    ],
    [
      'while the work goes on',
      [{ phase: 'bound', for: '1m' }, { state: 'CREATED' }],
      /PENDING; its plan: PENDING for 1m, then CREATED\./,
      /^The answer was 500; the true one was 200 with state PENDING\.$/,
    ],
    [
      'between making and sending',
      [{ phase: 'partial' }],
      /mailing 100016 was made at .*, and never sent\.$/,
      /^The answer was 500; the true one was 200 with state FAILED\.$/,
    ],
    [
      'by falsifying the answer',
      [{ phase: 'after', answer: { fault: 'html-200' } }],
      /went out/,
      /^The answer was 200; the true one was 201 with state CREATED\.$/,
    ],
    [
      'by saying nothing',
      [{ phase: 'after', answer: { fault: 'reset' } }],
      /went out/,
      /^The answer was to be 201 with state CREATED, which is the truth\.$/,
    ],
    [
      'with an uncertain end that was sent',
      [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
      /went out/,
      /^The answer was 200 with state INDETERMINATE_FAILURE, which is the truth\.$/,
    ],
    [
      'with an uncertain end that was not sent',
      [{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }],
      /^On the platform nothing has been made or sent\.$/,
      /^The answer was 200 with state INDETERMINATE_FAILURE, which is the truth\.$/,
    ],
  ])('%s: tells the truth apart from what was told', async (_, steps, truth, told) => {
    const explanation = await created(steps)
    expect(explanation.done.filter(it => truth.test(it))).toHaveLength(1)
    expect(explanation.told[0]).toMatch(told)
  })

  it.each<[string, readonly object[], object, string[]]>([
    [
      'more attempts of the same step',
      [{ state: 'PENDING', times: 3 }, { state: 'CREATED' }],
      {},
      [
        'A repeat with the same transactionId gets the same step again, 2 times more.',
        'Then comes step 2: the sending is CREATED, the answer is true.',
      ],
    ],
    [
      'the time that brings it on',
      [{ state: 'PENDING', for: '4m12s' }, { state: 'FAILED' }],
      {},
      [
        'Advancing the clock by 4m12s makes the sending FAILED.',
        'Then comes step 2: the sending is FAILED, the answer is true.',
      ],
    ],
    [
      'a step that stays for ever',
      [{ state: 'PENDING' }],
      {},
      ['A repeat with the same transactionId gets the same step again.'],
    ],
    [
      'a rule that is used up',
      [{ phase: 'before', answer: { status: 503 }, times: 1 }],
      {},
      ['After this the rule is used up, and attempts go on to the next rule or are undisturbed.'],
    ],
    [
      'what counts for the whole space',
      [{ phase: 'before', answer: { status: 503 } }, { state: 'CREATED' }],
      { per: 'space' },
      ['The next createSending gets step 2: the sending is CREATED, the answer is true.'],
    ],
    [
      'that a failed sending stays failed',
      [{ state: 'FAILED' }, { state: 'CREATED' }],
      { per: 'client-request' },
      [
        'A request with the same payload, whatever its transactionId, gets step 2: the sending is CREATED, the answer is true.',
        'Under this transactionId the sending stays FAILED; another transactionId makes another sending.',
      ],
    ],
  ])('tells what comes next: %s', async (_, steps, more, sentences) => {
    const { change } = await created(steps, more)
    for (const sentence of sentences) expect(change).toContain(sentence)
  })

  it('on a sending of before says that the first plan stands', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T' })
    mock.rig().arm(scenarioOf([onCreate([{ state: 'PENDING' }])]))
    await act.post({ transactionId: 'T' })
    const { done, change } = await explained(mock)
    expect(done[0]).toContain('whose plan stands whatever scenario applies now')
    expect(change).toContain(
      'Under this transactionId the sending stays CREATED; another transactionId makes another sending, to which the scenario applies from its beginning.',
    )
  })

  it('tells by now what the clock has brought about since', async () => {
    const { mock } = await created([{ state: 'PENDING', for: '1m' }, { state: 'CREATED' }])
    mock.clock.advance(60_000)
    const { done } = await explained(mock)
    expect(done).toContain('By now the sending is CREATED.')
    expect(done.join(' ')).toContain('went out at 2026-11-01T10:01:00.000Z')
  })

  it('tells the rest of the time, not the whole', async () => {
    const { mock } = await created([{ state: 'PENDING', for: '5m' }, { state: 'CREATED' }])
    mock.clock.advance(48_000)
    expect((await explained(mock)).change).toContain(
      'Advancing the clock by 4m12s makes the sending CREATED.',
    )
  })

  it('by a fault says what the fault does, and how much left', async () => {
    const { told } = await created([{ phase: 'after', answer: { fault: 'reset' } }])
    expect(told).toContain('Fault "reset": The connection is broken (TCP RST) without a byte of an answer.')
    expect(told.at(-1)).toBe('Nothing of it left.')
  })

  it.each([
    ['with', { transactionId: 'T' }, /repeat with the same transactionId, to learn the outcome \(4\.1\/8\)/],
    [
      'without',
      {},
      /Without a transactionId a client cannot safely repeat it: something may have been sent \(4\.1\/3\)/,
    ],
  ])('with 5xx says what a client is to do %s a transaction ID', async (_, body, sentence) => {
    const { told } = await created([{ phase: 'after', answer: { status: 500 } }], {}, body)
    expect(told[1]).toMatch(sentence)
  })

  it('that delivers twice names the second delivery, and that one the first', async () => {
    const { mock } = await created([{ deliver: 'twice' }])
    expect((await explained(mock, 1)).done.at(-1)).toBe(
      'It was delivered twice: r1-2 is the second delivery, and the client got the answer to that one.',
    )
    expect((await explained(mock, 2)).why).toEqual([
      'It is the second delivery of r0-1, which "deliver: twice" made.',
    ])
  })

  it('that holds a request tells how to let it go on', async () => {
    const { mock, act } = await staged([onCreate([{ hold: 'the-gate' }])])
    const held = act.post({ transactionId: 'T' })
    await expect.poll(() => mock.rig().holds.counts().size, { timeout: 5_000, interval: 1 }).toBe(1)
    const { summary, done, told, change } = await explained(mock)
    expect(summary).toContain('still open, no answer has left')
    expect(done).toEqual(['Nothing was done yet: it is held at "the-gate".'])
    expect(told).toEqual(['No answer has left yet.'])
    expect(change[0]).toBe('POST …/holds/the-gate/release lets it go on.')
    await mock.rig().holds.release('the-gate')
    await held
  })

  it('that keeps an answer waiting tells how far to advance the clock', async () => {
    const { mock, act } = await staged([onCreate([{ deliver: 'late', delay: '2m' }])])
    const late = act.post({ transactionId: 'T' })
    await expect.poll(() => mock.rig().clock.due.length, { timeout: 5_000, interval: 1 }).toBe(1)
    expect(await explained(mock)).toMatchObject({
      done: ["Nothing was done yet: it waits on the space's clock."],
      change: [expect.stringContaining('Advancing the clock by 2m '), expect.anything(), expect.anything()],
    })
    await mock.rig().moveClock(now => now + 120_000)
    await late
  })

  it('and has been replaced since is still explained by what was in force then', async () => {
    const { mock, act } = await staged([onCreate([{ state: 'PENDING', times: 2 }, { state: 'CREATED' }])])
    await act.post({ transactionId: 'T' })
    mock.rig().arm(undefined)
    expect((await explained(mock)).why[1]).toBe(
      'Rule 1 is on createSending; attempts are counted for each transactionId.',
    )
  })
})

describe('a scenario that did not strike', () => {
  const step = { phase: 'before', answer: { status: 503 } }

  it.each<[string, object, RegExp]>([
    [
      'an operation that it is not for',
      { on: 'getSending', steps: [{ ...step }] },
      /it is for getSending, and this was createSending/,
    ],
    [
      'a condition that did not hold',
      onCreate([step], { when: { transactionId: { prefix: 'order:' } } }),
      /transactionId must begin with "order:"; it is "T"/,
    ],
    [
      'something that is absent',
      onCreate([step], { when: { 'body:name': 'a' } }),
      /body:name must be "a"; it is absent/,
    ],
    [
      'a header, which it does not repeat',
      onCreate([step], { when: { 'header:authorization': 'x' } }),
      /header:authorization must be "x"; it is not/,
    ],
    [
      'a connection that was new',
      onCreate([{ phase: 'after', answer: { fault: 'keepalive-race' } }]),
      /only on a connection that has carried a request before/,
    ],
    [
      'a draw that left it out',
      onCreate([step], { chance: 0.000_001 }),
      /it applies to 0\.0001 % of the attempts, and the draw left this one out/,
    ],
  ])('names %s', async (_, rule, sentence) => {
    const { mock, act } = await staged([rule])
    await act.post({ transactionId: 'T' })
    const { why } = await explained(mock)
    expect(why[0]).toBe(
      'Scenario "a-test", which is in force for the space, was asked, but none of its rules applied.',
    )
    expect(why[1]).toMatch(sentence)
  })

  it('because earlier attempts have used it up says so', async () => {
    const { mock, act } = await staged([onCreate([{ ...step, times: 1 }])])
    await act.states('T', 'T')
    expect((await explained(mock)).why[1]).toBe('Rule 1: earlier attempts have used up its steps.')
  })

  it('because it has no rules says so', async () => {
    const { mock, act } = await staged([])
    mock.rig().arm(scenarioOf([]))
    await act.post({})
    expect((await explained(mock)).why[0]).toContain('has no rules: it leaves everything as it is')
  })

  it('with an earlier rule says why the later one was taken', async () => {
    const { mock, act } = await staged([
      onCreate([step], { when: { transactionId: { prefix: 'order:' } } }),
      onCreate([{ state: 'FAILED' }]),
    ])
    await act.post({ transactionId: 'T' })
    expect((await explained(mock)).why[1]).toBe(
      'Rule 1 did not: transactionId must begin with "order:"; it is "T".',
    )
  })

  it('because there is no such operation says so', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/nothing')
    const { summary, why } = await explained(mock)
    expect(summary).toBe('GET of what the service does not have: answered 404.')
    expect(why).toEqual(['The service has no such operation, so no scenario could apply.'])
  })
})

it('no explanation holds what looks unfinished, whatever was done', async () => {
  const mock = await startMock({ scenario: name => scenarioOf([onCreate(stepsOf[name]!)], name) })
  const act = acting(mock)
  for (const name of Object.keys(stepsOf))
    for (const body of [{ transactionId: name }, { transactionId: name }, {}])
      await act.post(body, { 'x-mock-scenario': name }).catch(() => {})
  for (const { number } of mock.rig().journal.entries()) {
    const { summary, ...parts } = await explained(mock, number)
    for (const sentence of [summary, ...Object.values(parts).flat()]) {
      expect(sentence).toMatch(/^(?:[A-Z].*|createSending.*)\.$/)
      expect(sentence).not.toMatch(/undefined|null|NaN|Infinity|\[object| {2}|\.\.$|,\./)
    }
  }
  expect(mock.rig().journal.count).toBeGreaterThanOrEqual(Object.keys(stepsOf).length * 3)
})

const stepsOf: Record<string, readonly object[]> = {
  pending: [{ state: 'PENDING', times: 2 }, { state: 'PENDING', for: '1m' }, { state: 'CREATED' }],
  failed: [{ state: 'FAILED' }],
  uncertain: [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  partial: [{ phase: 'partial' }],
  bound: [{ phase: 'bound', answer: { fault: 'close' } }, { state: 'CREATED' }],
  before: [{ phase: 'before', answer: { status: 429, retryAfter: 5 }, times: 1 }],
  truncated: [{ phase: 'after', answer: { fault: 'truncate' } }],
  empty: [{ phase: 'after', answer: { fault: 'empty-201' } }],
  foreign: [{ phase: 'after', answer: { fault: 'foreign-sending' } }],
  twice: [{ deliver: 'twice' }],
}
