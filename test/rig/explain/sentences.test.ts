import { expect, it } from 'vitest'
import { startMock } from '../../mock.ts'
import { acting, onCreate, scenarioOf } from '../stage.ts'
import { explained } from './explained.ts'

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
