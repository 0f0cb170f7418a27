import { expect, test } from 'vitest'
import { examFindings } from '../../src/judge/exam/exam-result.ts'
import { rules } from '../../src/judge/rules/registry.ts'

test('each rule and each finding of the exam says in one sentence what to do about it', () => {
  const remedies = [...rules, ...Object.values(examFindings)].map(({ remedy }) => remedy)
  expect(remedies.filter(remedy => !/^[A-Z](?:[^.]|\.\d)*\.$/.test(remedy))).toEqual([])
})

test('the rules are numbered from R01 on, each once', () => {
  const ids = Array.from(rules, (_, at) => `R${String(at + 1).padStart(2, '0')}`)
  expect(rules.map(({ id }) => id).sort()).toEqual(ids)
})
