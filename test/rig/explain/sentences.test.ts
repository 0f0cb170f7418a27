import { expect, it } from 'vitest'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import { packagedScenarios, startMock, type TestMock } from '../../mock.ts'
import { acting, onCreate, scenarioOf } from '../stage.ts'
import { explained } from './explained.ts'

/** Explains every request on record, and looks for what no sentence may hold. */
async function expectWholeSentences(mock: TestMock): Promise<void> {
  for (const { number } of mock.rig().journal.entries()) {
    const { summary, ...parts } = await explained(mock, number)
    for (const sentence of [summary, ...Object.values(parts).flat()]) {
      expect(sentence).toMatch(/^(?:[A-Z].*|createSending.*)\.$/)
      expect(sentence).not.toMatch(/undefined|null|NaN|Infinity|\[object| {2}|\.\.$|,\./)
    }
  }
}

it('an explanation is made of whole sentences, whatever was done', async () => {
  const mock = await startMock({ scenario: name => scenarioOf([onCreate(stepsOf[name]!)], name) })
  const act = acting(mock)
  for (const name of Object.keys(stepsOf))
    for (const body of [{ transactionId: name }, { transactionId: name }, {}])
      await act.post(body, { 'x-mock-scenario': name }).catch(() => {})
  expect(mock.rig().journal.count).toBeGreaterThanOrEqual(Object.keys(stepsOf).length * 3)
  await expectWholeSentences(mock)
})

it('so it is for every scenario there is, also while its answer hangs, waits or is held', async () => {
  const library = await packagedScenarios
  const names = [...library.names(), ...lossNames]
  await Promise.all(names.map(name => library.get(name)))
  const mock = await startMock()
  const act = acting(mock)
  const { journal, clock } = mock.rig()
  clock.freeze()
  for (const name of names)
    for (const _ of [1, 2])
      void act.post({ transactionId: name }, { 'x-mock-scenario': name }).catch(() => {})
  const isSettled = () =>
    journal.entries().filter(({ decision, response }) => decision || response).length >= 2 * names.length
  await expect.poll(isSettled, { interval: 5 }).toBe(true)
  await expectWholeSentences(mock)
  await mock.spaces.reset()
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
