import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ruleFrom } from '../../src/rig/scenarios/read.ts'
import { RuleState } from '../../src/rig/scenarios/rule-state.ts'
import type { TestMock } from '../mock.ts'
import { acting, onCreate, scenarioOf, staged } from './stage.ts'

const refusal = (status: number) => ({ phase: 'before', answer: { status } })
const arm = (mock: TestMock, steps: readonly object[], more: object = {}) =>
  mock.rig().faults.arm(ruleFrom(onCreate(steps, more), 'the test')).id
const left = (mock: TestMock) =>
  mock
    .rig()
    .faults.all()
    .map(fault => [fault.id, fault.hits.hits, fault.left])

describe('a one-shot fault', () => {
  it('a one-shot fault fires once, and is used up: the repeat is undisturbed', async () => {
    const { mock, act, ledger } = await staged([])
    const id = arm(mock, [refusal(503)])
    expect(left(mock)).toEqual([[id, 0, 1]])
    expect(await act.states('T', 'T')).toEqual([503, 'CREATED'])
    expect(left(mock)).toEqual([[id, 1, 0]])
    expect(mock.rig().scenarios.isAnyArmed).toBe(false)
    expect(ledger().sendings).toHaveLength(1)
  })

  it.each([
    ['with one transaction ID', () => 'T'],
    ['each with its own transaction ID', (n: number) => `T${n}`],
    ['without a transaction ID', () => undefined],
  ])('a one-shot fault fires one of fifty simultaneous requests %s', async (_, idOf) => {
    const { mock, act } = await staged([])
    arm(mock, [refusal(503)])
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => act.post({ transactionId: idOf(n) })),
    )
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200 || status === 201)).toHaveLength(49)
    expect(left(mock)).toEqual([['f1', 1, 0]])
  })

  it.each([
    ['after its body', refusal(503)],
    ['before its body', { phase: 'before', answer: { fault: 'reset-upload' } }],
  ])(
    'a one-shot fault is not used up by a user without the right to make the request, %s',
    async (_, step) => {
      const { mock } = await staged([])
      const id = arm(mock, [step], { per: 'space' })
      expect((await acting(mock, 'demo-viewer').post({ transactionId: 'T' })).status).toBe(403)
      expect(left(mock)).toEqual([[id, 0, 1]])
    },
  )

  it('a one-shot fault fires so many of fifty simultaneous requests as it says', async () => {
    const { mock, act } = await staged([])
    arm(mock, [{ ...refusal(503), times: 7 }], { per: 'space' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => act.post()))
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(7)
    expect(left(mock)).toEqual([['f1', 7, 0]])
  })

  it('about any operation goes in turn with those about one, and takes no part any more when it is disarmed', async () => {
    const { mock, act } = await staged([])
    const about = (on: string | string[], status: number) =>
      mock.rig().faults.arm(ruleFrom({ on, steps: [refusal(status)] }, 'the test')).id
    const [first] = [about('*', 500), about(['getSending', 'createSending'], 501), about('*', 502)]
    about('createSending', 503)
    mock.rig().faults.disarm(first!)
    expect(await act.states('T', 'T', 'T', 'T')).toEqual([501, 502, 503, 'CREATED'])
    about('*', 500)
    mock.rig().faults.clear()
    expect(await act.states('T')).toEqual(['CREATED'])
  })

  it('a one-shot fault is asked only about requests for its operation', async () => {
    const { mock, act } = await staged([])
    for (let n = 0; n < 900; n++) arm(mock, [refusal(503)], { on: 'getSending' })
    arm(mock, [refusal(418)])
    const asked = vi.spyOn(RuleState.prototype, 'claim')
    onTestFinished(() => asked.mockRestore())
    expect(await act.states('T')).toEqual([418])
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('a one-shot fault is refused beyond a thousand that wait for their requests', async () => {
    const { mock, act } = await staged([])
    for (let n = 0; n < 1_000; n++) arm(mock, [refusal(503)])
    expect(() => arm(mock, [refusal(503)])).toThrow('1000 one-shot faults are armed in this space already')
    expect(await act.states('T')).toEqual([503])
    expect(arm(mock, [refusal(503)])).toBe('f1001')
  })

  it('a one-shot fault goes before the scenario of its space, which counts on when it is used up', async () => {
    const { mock, act } = await staged([onCreate([refusal(500), refusal(501), {}])])
    arm(mock, [refusal(418)])
    expect(await act.states('T', 'T', 'T', 'T')).toEqual([418, 500, 501, 'CREATED'])
    expect(mock.rig().scenarios.active!.hits()[0]!.steps).toEqual([1, 1, 1])
  })

  it('a one-shot fault goes before a scenario that the request names', async () => {
    const named = scenarioOf([onCreate([refusal(500), {}])], 'named')
    const { mock, act } = await staged([], { scenario: () => named })
    arm(mock, [refusal(418)])
    const post = async () => (await act.post({ transactionId: 'mock:named:1' })).status
    expect([await post(), await post(), await post()]).toEqual([418, 500, 201])
  })

  it('armed with others strikes in the order in which they were armed', async () => {
    const { mock, act } = await staged([])
    for (const status of [501, 502, 503]) arm(mock, [refusal(status)])
    expect(await act.states('a', 'b', undefined, 'd')).toEqual([501, 502, 503, 'CREATED'])
  })

  it('with several steps follows one request over its repeats; others are not struck by what is used up', async () => {
    const { mock, act } = await staged([])
    arm(mock, [refusal(501), refusal(502)])
    expect(await act.states('T', 'U', 'T', 'T')).toEqual([501, 'CREATED', 502, 'CREATED'])
    expect(left(mock)).toEqual([['f1', 2, 0]])
  })

  it('a one-shot fault waits for a request that it is about', async () => {
    const { mock, act } = await staged([])
    arm(mock, [refusal(503)], { when: { transactionId: 'U' } })
    expect(await act.states('T', 'U', 'U')).toEqual(['CREATED', 503, 'CREATED'])
  })

  it('that never fired says so', async () => {
    const { mock, act } = await staged([])
    mock.rig().faults.arm(ruleFrom({ on: 'getPreview', steps: [refusal(503)] }, 'the test'))
    await act.states('T')
    expect(left(mock)).toEqual([['f1', 0, 1]])
  })

  it('that a duration ends strikes until then', async () => {
    const { mock, act } = await staged([])
    arm(mock, [{ ...refusal(503), for: '10s' }], { per: 'space' })
    expect(await act.states('T', 'U')).toEqual([503, 503])
    await mock.rig().moveClock(it => it + 10_000)
    expect(await act.states('T')).toEqual(['CREATED'])
    expect(left(mock)).toEqual([['f1', 2, 0]])
  })

  it('a one-shot fault can be taken back, before and after it fired', async () => {
    const { mock, act } = await staged([])
    const [first, second] = [arm(mock, [refusal(501)]), arm(mock, [refusal(502)])]
    expect(mock.rig().faults.disarm(first)).toBe(true)
    expect(await act.states('T', 'T')).toEqual([502, 'CREATED'])
    expect(mock.rig().faults.get(second)!.left).toBe(0)
    expect(mock.rig().faults.disarm(second)).toBe(true)
    expect([mock.rig().faults.disarm(second), left(mock)]).toEqual([false, []])
  })

  it('a one-shot fault fires in its own space only', async () => {
    const { mock, act } = await staged([])
    arm(mock, [refusal(503)])
    expect(await acting(mock, 'demo+x').states('T')).toEqual(['CREATED'])
    expect(await act.states('T')).toEqual([503])
  })

  it('a one-shot fault leaves nothing behind that grows without end, however many are used up', async () => {
    const { mock, act } = await staged([])
    for (let n = 0; n < 1_200; n++) {
      arm(mock, [refusal(503)])
      await act.post()
    }
    const kept = mock.rig().faults.all()
    expect([kept.length, kept.at(-1)!.id]).toEqual([1_000, 'f1200'])
    expect((await act.post()).status).toBe(201)
  })
})
