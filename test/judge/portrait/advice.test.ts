import { expect, it } from 'vitest'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { portraitLines } from '../../../src/judge/portrait/portrait-text.ts'
import { runExam } from '../../../src/lib/run-exam.ts'
import { explored } from '../explore/clients.ts'

const mutant = (id: string) => explored(clientOf(mutants.find(it => it.id === id)!))

it('advice names the row that mends the failed plans, and beside a smallest plan stands one that passes', async () => {
  const plans = ['undisturbed', 'told-failed', 'failed-5-times', '500-failed', '500-nothing', 'told-pending']
  const { portrait, causes } = await runExam({ client: mutant('M7'), depth: 0, plans })
  expect(portrait!.advice[0]).toMatchObject({ situation: 'FAILED', mends: 3, replayed: 3, met: 3, failed: 3 })
  expect(portraitLines(portrait!).join('\n')).toContain('explains 3 of the 3 failed plans')
  expect(causes.find(it => it.plan!.name === 'told-failed')!.plan!.passing).toEqual({
    name: 'told-pending',
    words: 'the same, but the first attempt is told PENDING',
  })
})

it('runExam of the library compares with an earlier portrait', async () => {
  const { runExam: runPublicly } = await import('../../../src/index.ts')
  const wish = { depth: 0, plans: ['undisturbed', 'told-failed', '500-nothing'] }
  const { portrait } = await runPublicly({ client: mutant('M7'), ...wish })
  const { portrait: later } = await runPublicly({ client: mutant('M7'), ...wish, portraitOf: portrait! })
  expect(later!.changes).toEqual([])
  expect(later!.predicted).toMatchObject({ right: 1 })
})
