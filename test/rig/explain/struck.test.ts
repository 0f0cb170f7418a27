import { describe, expect, it } from 'vitest'
import { ruleFrom } from '../../../src/rig/scenarios/read.ts'
import { ids, startMock, synchronizationPath, type TestMock, type TestMockOptions } from '../../mock.ts'
import { onCreate, type Stage, scenarioOf, staged } from '../stage.ts'
import { explained } from './explained.ts'

/** A create, with these steps in force. */
async function created(steps: readonly object[], more: object = {}, body: object = { transactionId: 'T' }) {
  const { mock, act } = await staged([onCreate(steps, more)])
  await act.post(body).catch(() => {})
  return { mock, act, ...(await explained(mock)) }
}

describe('a response before the one that was meant', () => {
  it.each([
    [102, 'Before it came 102.'],
    [103, 'Before it came 103 with Link: </mailings>; rel=preload.'],
  ])('%d is explained among what the client was told', async (status, sentence) => {
    const { told } = await created([{ answer: { fault: 'early-hints', status } }])
    expect(told).toContain(sentence)
  })
})

describe('a scenario that fired', () => {
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
      'With a transactionId that does not have the form mock:NAME:ANYTHING it would not have been disturbed by it.',
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
        mock
          .rig()
          .scenarios.arm(scenarioOf([onCreate([{ state: 'PENDING' }, { state: 'CREATED' }])], 'armed'))
        return create(mock, ids.ready, { transactionId: 'T' })
      },
      'Scenario "armed", which is in force for the space, applied.',
      'DELETE …/scenario ends it; PUT …/scenario with "armed" starts its counts again.',
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
  ])('a scenario that fired is explained %s', async (_, ask, why, change) => {
    const mock = await startMock(options)
    await ask(mock)
    const explanation = await explained(mock)
    expect(explanation.why).toEqual([
      why,
      'Rule 1 is on createSending; attempts are counted for each transactionId.',
      'This was attempt 1 in step 1 of 2: the sending is PENDING, the response is true.',
    ])
    expect(explanation.change).toContain(
      'A repeat with the same transactionId gets step 2: the sending is CREATED, the response is true.',
    )
    expect(explanation.change).toContain(change)
  })

  it.each<[string, readonly object[], RegExp, RegExp]>([
    [
      'before any work',
      [{ phase: 'before', answer: { status: 502, body: 'gateway-html' } }, { state: 'CREATED' }],
      /^Nothing was done: the step fires before any work\.$/,
      /^The response was 502\.$/,
    ],
    [
      'after the work',
      [{ phase: 'after', answer: { status: 504, body: 'gateway-html' } }, { state: 'CREATED' }],
      /sending 500012 to \d+ recipients was sent/,
      /^The response was 504; the true one was 201 with state CREATED\.$/,
    ],
    [
      'while the work goes on',
      [{ phase: 'bound', for: '1m' }, { state: 'CREATED' }],
      /PENDING; its plan: PENDING for 1m, then CREATED\./,
      /^The response was 500; the true one was 200 with state PENDING\.$/,
    ],
    [
      'between making and sending',
      [{ phase: 'partial' }],
      /mailing 100017 was made at .*, and never sent\.$/,
      /^The response was 500; the true one was 200 with state FAILED\.$/,
    ],
    [
      'by falsifying the answer',
      [{ phase: 'after', answer: { fault: 'html-200' } }],
      /sent/,
      /^The response was 200; the true one was 201 with state CREATED\.$/,
    ],
    [
      'by saying nothing',
      [{ phase: 'after', answer: { fault: 'reset' } }],
      /sent/,
      /^The response was to be 201 with state CREATED, as the service answered it\.$/,
    ],
    [
      'with an uncertain end that was sent',
      [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
      /sent/,
      /^The response was 200 with state INDETERMINATE_FAILURE, as the service answered it\.$/,
    ],
    [
      'with an uncertain end that was not sent',
      [{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }],
      /^On the platform nothing has been made or sent\.$/,
      /^The response was 200 with state INDETERMINATE_FAILURE, as the service answered it\.$/,
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
        'Then comes step 2: the sending is CREATED, the response is true.',
      ],
    ],
    [
      'the time that brings it on',
      [{ state: 'PENDING', for: '4m12s' }, { state: 'FAILED' }],
      {},
      [
        'Advancing the clock by 4m12s makes the sending FAILED.',
        'Then comes step 2: the sending is FAILED, the response is true.',
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
      ['The next createSending gets step 2: the sending is CREATED, the response is true.'],
    ],
    [
      'that a failed sending stays failed',
      [{ state: 'FAILED' }, { state: 'CREATED' }],
      { per: 'client-request' },
      [
        'A request with the same payload, whatever its transactionId, gets step 2: the sending is CREATED, the response is true.',
        'Under this transactionId the sending stays FAILED; another transactionId makes another sending.',
      ],
    ],
  ])('a scenario that fired tells what comes next: %s', async (_, steps, more, sentences) => {
    const { change } = await created(steps, more)
    for (const sentence of sentences) expect(change).toContain(sentence)
  })

  it('on a sending of before says that the first plan stands', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T' })
    mock.rig().scenarios.arm(scenarioOf([onCreate([{ state: 'PENDING' }])]))
    await act.post({ transactionId: 'T' })
    const { done, change } = await explained(mock)
    expect(done[0]).toContain('which keeps the scenario it began with')
    expect(change).toContain(
      'Under this transactionId the sending stays CREATED; another transactionId makes another sending, to which the scenario applies from its beginning.',
    )
  })

  it('a scenario that fired tells by now what the clock has brought about since', async () => {
    const { mock } = await created([{ state: 'PENDING', for: '1m' }, { state: 'CREATED' }])
    mock.clock.advance(60_000)
    const { done } = await explained(mock)
    expect(done).toContain('By now the sending is CREATED.')
    expect(done.join(' ')).toContain('sent at 2026-11-01T10:01:00.000Z')
  })

  it.each<[string, readonly object[], (stage: Stage) => unknown, string[]]>([
    [
      'the clock has moved on',
      [{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }],
      ({ mock }) => mock.clock.advance(60_000),
      [
        'At that moment a repeat with the same transactionId was to get the same step again, until 30s after the step began.',
        'Then was to come step 2: the sending is CREATED, the response is true.',
      ],
    ],
    [
      'another attempt has come',
      [{ state: 'PENDING', times: 2 }, { state: 'CREATED' }],
      ({ act }) => act.post({ transactionId: 'T' }),
      [
        'At that moment a repeat with the same transactionId was to get the same step again, 1 time more.',
        'Then was to come step 2: the sending is CREATED, the response is true.',
      ],
    ],
    [
      'the rule has been used up',
      [
        { phase: 'before', answer: { status: 503 }, times: 1 },
        { state: 'CREATED', times: 1 },
      ],
      ({ act }) => act.post({ transactionId: 'T' }),
      [
        'At that moment a repeat with the same transactionId was to get step 2: the sending is CREATED, the response is true.',
      ],
    ],
  ])(
    'a scenario that fired tells what was to come as of then, once %s',
    async (_, steps, moveOn, sentences) => {
      const stage = await staged([onCreate(steps)])
      await stage.act.post({ transactionId: 'T' })
      await moveOn(stage)
      const { change } = await explained(stage.mock, 1)
      for (const sentence of sentences) expect(change).toContain(sentence)
    },
  )

  it('a scenario that fired tells what comes next of an attempt that only another transaction has followed', async () => {
    const { mock, act } = await staged([onCreate([{ state: 'PENDING', times: 2 }, { state: 'CREATED' }])])
    await act.states('T', 'another')
    expect((await explained(mock, 1)).change).toContain(
      'A repeat with the same transactionId gets the same step again, 1 time more.',
    )
  })

  it('a scenario that fired tells the rest of the time, not the whole', async () => {
    const { mock } = await created([{ state: 'PENDING', for: '5m' }, { state: 'CREATED' }])
    mock.clock.advance(48_000)
    expect((await explained(mock)).change).toContain(
      'Advancing the clock by 4m12s makes the sending CREATED.',
    )
  })

  it('by a fault says what the fault does, and how much left', async () => {
    const { told } = await created([{ phase: 'after', answer: { fault: 'reset' } }])
    expect(told).toContain('Fault "reset": The connection is broken (TCP RST) without a byte of a response.')
    expect(told.at(-1)).toBe('The client received nothing.')
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
    const { done, told } = await explained(mock, 1)
    expect(done.at(-1)).toBe(
      'It was delivered twice: r1-2 is the second delivery, and the client got the response to that one.',
    )
    expect(told[2]).toBe('What a client is to do on CREATED: nothing more, it was sent or scheduled (3/4).')
    expect((await explained(mock, 2)).why).toEqual([
      'It is the second delivery of r0-1, which "deliver: twice" made.',
    ])
  })

  it('that holds a request tells how to let it go on', async () => {
    const { mock, act } = await staged([onCreate([{ hold: 'the-gate' }])])
    const held = act.post({ transactionId: 'T' })
    await expect.poll(() => mock.rig().holds.counts().size, { interval: 1 }).toBe(1)
    const { summary, why, done, told, change } = await explained(mock)
    expect(summary).toContain('no response has left yet')
    expect(why.at(-1)).toBe(
      'This was attempt 1 in step 1 of 1: it is held at "the-gate" until it is released; then the work is done, the response is true.',
    )
    expect(done).toEqual(['Nothing was done yet: it is held at "the-gate".'])
    expect(told).toEqual(['No response has left yet.'])
    expect(change[0]).toBe('POST …/holds/the-gate/release lets it go on.')
    await mock.rig().holds.release('the-gate')
    await held
  })

  it('that keeps an answer waiting tells how far to advance the clock', async () => {
    const { mock, act } = await staged([onCreate([{ deliver: 'late', delay: '2m' }])])
    const late = act.post({ transactionId: 'T' })
    await expect.poll(() => mock.rig().clock.due.length, { interval: 1 }).toBe(1)
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
    mock.rig().scenarios.arm(undefined)
    expect((await explained(mock)).why[1]).toBe(
      'Rule 1 is on createSending; attempts are counted for each transactionId.',
    )
  })

  it.each([
    ['sent', /sent/],
    ['not-sent', /so any other end of it is a 500\.$/],
  ])(
    'without a transaction ID tells why an uncertain end is a 500, and the truth: %s',
    async (truth, last) => {
      const { done } = await created([{ state: 'INDETERMINATE_FAILURE', truth }], {}, {})
      expect(done[0]).toBe(
        'Without a transactionId the state of a sending can only be CREATED (3/1), so any other end of it is a 500.',
      )
      expect(done.at(-1)).toMatch(last)
    },
  )
})

it('an explanation tells a sending under a wrong Content-Type from the true answer', async () => {
  const { told } = await created([{ phase: 'after', answer: { fault: 'wrong-content-type' } }])
  expect(told[0]).toBe(
    'The response was 201 with state CREATED, as the service answered it, but with another Content-Type.',
  )
  expect(told[1]).toMatch(/^A response that .* says nothing about the sending.*\(4\.1\/8\)\.$/)
})
