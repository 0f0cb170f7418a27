import { describe, expect, it } from 'vitest'
import { chooseCases } from '../../../src/judge/exam/cases.ts'
import { troubles } from '../../../src/judge/explore/plans.ts'
import { examContent } from '../../../src/lib/run-exam.ts'
import { lossParts } from '../../../src/rig/scenarios/loss-matrix.ts'

const { cases } = await examContent(undefined)
/** Where an exam has the forms of the loss matrix, each after everything was done. */
const twins = {
  500: '500-sent',
  502: '502-sent',
  503: '503-sent',
  504: 'gateway-504-sent',
  hang: 'hang-sent',
  close: 'close-after',
  reset: 'reset-sent',
  'status-cut': 'status-cut',
  'headers-cut': 'headers-cut',
  truncate: 'cut-sent',
  'truncate-eof': 'truncated-eof',
  'chunk-cut': 'truncated-chunks',
  stall: 'stall-sent',
  drip: 'drip-sent',
  'malformed-json': 'json-sent',
  garbage: 'garbage',
}
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)
const usual = namesOf(chooseCases(cases, {}))

describe('the cases of an exam', () => {
  it('the cases of an exam have names of their own', () => {
    expect(new Set(namesOf(cases)).size).toBe(cases.length)
  })

  it('the cases of an exam are the whole catalogue and others, and no cell of the loss matrix', () => {
    expect(namesOf(cases)).toEqual(
      expect.arrayContaining(['reset-after', 'pending-for-ever', 'restart-when-sent']),
    )
    expect(namesOf(cases).filter(name => name.startsWith('loss-'))).toEqual([])
  })

  it('each form in which the loss matrix loses a response is left in a case, or in a plan of one trouble', () => {
    const names = [...namesOf(cases), ...troubles.map(({ name }) => name)]
    for (const [form, name] of Object.entries(twins)) expect(names, form).toContain(name)
    expect(Object.keys(twins)).toEqual(Object.keys(lossParts.forms))
  })

  it('the cases of an exam are each on a test synchronization of their own where there is one', () => {
    const found = cases.find(({ name }) => name === 'reset-after')!
    expect(found.synchronizationId).toMatch(/^55555555-/)
    expect(found.scenario).toBeUndefined()
  })

  it('the cases of an exam say what a client that keeps to the document reaches', () => {
    for (const it of cases) expect(it.expect, it.name).toBeDefined()
  })
})

describe('a choice', () => {
  it('a choice leaves out by itself what takes minutes', () => {
    expect(usual).toContain('reset-after')
    for (const name of ['pending-for-ever', 'hang-after', 'failed-then-pending'])
      expect(usual).not.toContain(name)
  })

  it.each<[what: string, choice: Parameters<typeof chooseCases>[1], names: string[]]>([
    ['a name', { only: ['hang-after'] }, ['hang-after']],
    ['names with stars', { only: ['hang-*', 'happy?path'] }, ['hang-after', 'hang-before', 'happy-path']],
    [
      'a tag',
      { tags: ['restart'] },
      ['restart-when-sent', 'restart-when-not-processed', 'restart-when-pending', 'restart-after-error'],
    ],
    ['a slow tag', { tags: ['fifteen-minutes'] }, ['failed-then-pending', 'errors-for-ever']],
    ['names and a tag', { only: ['hang-*', 'happy-path'], tags: ['lost-answer'] }, ['hang-after']],
  ])('by %s', (_, choice, names) => {
    expect(namesOf(chooseCases(cases, choice))).toEqual(names)
  })

  it.each(['only', 'tags'])('of %s as a text alone is refused as a whole', name => {
    expect(() => chooseCases(cases, { [name]: 'reset-after' } as object)).toThrow(
      `${name}: expected a list of texts, such as ['reset-after']`,
    )
  })

  it('of slow ones as well is of all', () => {
    expect(chooseCases(cases, { slow: true })).toEqual(cases)
  })
})
