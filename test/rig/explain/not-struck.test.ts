import { describe, expect, it } from 'vitest'
import { startMock } from '../../mock.ts'
import { acting, onCreate, scenarioOf, staged } from '../stage.ts'
import { explained } from './explained.ts'

describe('a scenario that did not fire', () => {
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
  ])('a scenario that did not fire names %s', async (_, rule, sentence) => {
    const { mock, act } = await staged([rule])
    await act.post({ transactionId: 'T' })
    const { why } = await explained(mock)
    expect(why[0]).toBe(
      'Scenario "a-test", which is in force for the space, did not fire: none of its rules applied.',
    )
    expect(why[1]).toMatch(sentence)
  })

  it('because earlier attempts have used it up says so', async () => {
    const { mock, act } = await staged([onCreate([{ ...step, times: 1 }])])
    await act.states('T', 'T')
    expect((await explained(mock)).why[1]).toBe('Rule 1: earlier attempts have used up its steps.')
  })

  it.each<[string, object, Record<string, string>, string]>([
    [
      'in a header',
      { transactionId: 'T' },
      { 'x-mock-scenario': 'named' },
      'Scenario "named", which the request names in X-Mock-Scenario, was in force, but did not fire: none of its rules applied.',
    ],
    [
      'in its transaction ID',
      { transactionId: 'mock:named:1' },
      {},
      'Scenario "named", which the transactionId "mock:named:1" names, was in force, but did not fire: none of its rules applied.',
    ],
  ])('though the request names it %s says so, and why', async (_, body, headers, sentence) => {
    const rule = onCreate([step], { when: { 'body:scheduleDate': 'present' } })
    const { mock, act } = await staged([], { scenario: name => scenarioOf([rule], name) })
    await act.post(body, headers)
    expect((await explained(mock)).why).toEqual([
      sentence,
      'Rule 1: body:scheduleDate must be there; it is absent.',
    ])
  })

  it('because the body was too long says so, though the request names one', async () => {
    const { mock, act } = await staged([], { scenario: name => scenarioOf([onCreate([step])], name) })
    await act.post({ name: 'x'.repeat(1 << 21) }, { 'x-mock-scenario': 'named' })
    expect((await explained(mock)).why).toEqual([
      expect.stringMatching(/^Request body too large: /),
      'Its body did not come whole, or was too long, so no scenario was asked.',
    ])
  })

  it('because its user may not make it says so, and does not say how to disturb it', async () => {
    const { mock } = await staged([onCreate([step])])
    await acting(mock, 'demo-viewer').post({})
    const { why, change } = await explained(mock)
    expect(why.slice(1)).toEqual(['Its user may not make it, so no scenario was asked.'])
    expect(change.join()).not.toContain('To disturb one')
    expect(mock.rig().scenarios.active!.hasApplied).toBe(false)
  })

  it('because it has no rules says so', async () => {
    const { mock, act } = await staged([])
    mock.rig().scenarios.arm(scenarioOf([]))
    await act.post({})
    expect((await explained(mock)).why).toEqual([
      'Scenario "a-test", which is in force for the space, did not fire: it has no rules.',
      'It says of itself: "a test".',
    ])
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
    expect(summary).toMatch(/^GET of what the service does not have: answered 404\. Not found: There is no /)
    expect(why.slice(1)).toEqual(['The service has no such operation, so no scenario could apply.'])
  })
})
