import { describe, expect, it } from 'vitest'
import { ids, startMock, synchronizationPath, type TestMockOptions } from '../../mock.ts'
import { onCreate, scenarioOf, staged } from '../stage.ts'
import { explained } from './explained.ts'

const rulesOf: Record<string, readonly object[]> = {
  pending: [onCreate([{ state: 'PENDING' }])],
  failing: [onCreate([{ state: 'FAILED' }])],
  lost: [onCreate([{ phase: 'before', answer: { status: 503 } }])],
}
const options: TestMockOptions = {
  scenario: name => scenarioOf(rulesOf[name]!, name),
  fixture: base => ({ ...base, testSynchronizations: [{ id: ids.both, scenario: 'failing' }] }),
}
const named = (name: string) => ({ 'x-mock-scenario': name })
const T = { transactionId: 'T' }

describe('the plan of an earlier request', () => {
  it('the plan of an earlier request is why a repeat that meets no scenario is told PENDING', async () => {
    const { mock, act } = await staged([], options)
    await act.post(T, named('pending'))
    await act.post(T)
    const { why } = await explained(mock)
    expect(why[0]).toMatch(/^No scenario applied: /)
    expect(why.slice(1)).toEqual([
      'The sending is PENDING because r0-1 made it under scenario "pending", and its plan stands: PENDING.',
    ])
  })

  it('the plan of an earlier request is why a look at the sending is told PENDING', async () => {
    const { mock, act } = await staged([], options)
    const { json } = await act.post(T, named('pending'))
    await mock.as('demo').get(synchronizationPath(ids.ready, `/sendings/${json.id}`))
    expect((await explained(mock)).why.at(-1)).toContain('because r0-1 made it under scenario "pending"')
  })

  it('the plan of an earlier request is named where a one-shot fault made it', async () => {
    const { mock, act } = await staged([])
    const [rule] = scenarioOf([onCreate([{ state: 'FAILED', times: 1 }])]).rules
    mock.rig().faults.arm(rule!)
    await act.post(T)
    await act.post(T)
    expect((await explained(mock)).why.at(-1)).toContain('because r0-1 made it under one-shot fault f1')
  })

  it('the plan of an earlier request is told also where the request that made it is no longer on record', async () => {
    const { mock, act } = await staged([], options)
    await act.post(T, named('pending'))
    mock.rig().journal.clear()
    await act.post(T)
    expect((await explained(mock)).why.at(-1)).toBe(
      'The sending is PENDING by the plan that it was made with: PENDING; the request that made it is not on record.',
    )
  })

  it('the plan of an earlier request is why a repeat under another scenario is told otherwise than that says', async () => {
    const { mock, act } = await staged([], options)
    await act.post(T)
    await act.post(T, named('failing'))
    expect((await explained(mock)).why.at(-1)).toBe(
      'The sending is CREATED because r0-1 made it undisturbed, and its plan stands: CREATED.',
    )
  })

  it('the plan of an earlier request needs no words where the same scenario goes on, or all is undisturbed', async () => {
    const { mock, act } = await staged([], options)
    await act.post(T, named('pending'))
    await act.post(T, named('pending'))
    expect((await explained(mock)).why.join(' ')).not.toContain('plan')
    await act.states('other', 'other')
    expect((await explained(mock)).why).toHaveLength(1)
  })

  it('the plan of an earlier request is not that of a later request, after the first was lost', async () => {
    const { mock, act } = await staged([], options)
    await act.post(T, named('lost'))
    await act.post(T, named('pending'))
    const { why, change } = await explained(mock, 1)
    expect(why.join(' ')).not.toContain('plan')
    expect(change).toContain('Without X-Mock-Scenario it would not have been disturbed by it.')
  })

  it.each(['pending', 'lost'])(
    'the plan of an earlier request would have been met without the header, too, so nothing else is claimed: %s',
    async name => {
      const { mock, act } = await staged([], options)
      await act.post(T, named('failing'))
      await act.post(T, named(name))
      const { change } = await explained(mock)
      expect(change).toContain(
        'Without X-Mock-Scenario it would still have met the plan that the sending was made with: FAILED.',
      )
      expect(change.join(' ')).not.toContain('not have been disturbed')
    },
  )

  it.each<[string, string, object, string]>([
    [
      'transaction ID',
      ids.ready,
      { transactionId: 'mock:failing:1' },
      'With a transactionId that does not have the form mock:NAME:ANYTHING it would have been about another sending; this one keeps the plan that it was made with: FAILED.',
    ],
    [
      'synchronization',
      ids.both,
      T,
      'On a synchronization that is no test synchronization it would have been about another sending; this one keeps the plan that it was made with: FAILED.',
    ],
  ])(
    'the plan of an earlier request stays whatever another %s would bring',
    async (_, id, body, sentence) => {
      const mock = await startMock(options)
      const path = synchronizationPath(id, '/sendings')
      await mock.as('demo').post(path, body)
      await mock.as('demo').post(path, body)
      expect((await explained(mock)).change).toContain(sentence)
    },
  )
})
