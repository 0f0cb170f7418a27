import { expect, test } from 'vitest'
import {
  acceptingEntry,
  type KnownFileContext,
  readKnownFindings,
  rulesAccepted,
} from '../../../src/judge/known/known-findings.ts'

const context: KnownFileContext = {
  source: 'known.yaml',
  today: '2026-03-31',
  cases: ['reset-after', 'reset-before', 'happy-path'],
  clauses: ['4.1/5', '4.1/8'],
}
const read = (text: string, more: Partial<KnownFileContext> = {}) =>
  readKnownFindings(text, { ...context, ...more })

test.each<[what: string, text: string, refusal: string]>([
  [
    'an entry without a reason',
    '- rule: R02',
    'known.yaml:1:3: reason: expected why it is accepted for now, got nothing',
  ],
  [
    'an empty reason',
    '- rule: R02\n  reason: " "',
    'known.yaml:2:11: reason: say why it is accepted for now; " " is no reason',
  ],
  [
    'the reason that --write-known leaves open',
    '- rule: R02\n  reason: To be filled in',
    'known.yaml:2:11: reason: say why it is accepted for now; "To be filled in" is no reason',
  ],
  [
    'an unknown rule',
    '- rule: R18\n  reason: x\n- rule: R2\n  reason: x',
    'known.yaml:3:9: rule: there is no rule "R2"; did you mean "R02"? docs/conduct.md and docs/exam.md list them',
  ],
  [
    'an unknown finding of the exam',
    '- rule: sent-to-often\n  reason: x',
    'known.yaml:1:9: rule: there is no rule "sent-to-often"; did you mean "sent-too-often"? docs/conduct.md and docs/exam.md list them',
  ],
  [
    'an unknown case',
    '- rule: R02\n  case: [reset-after, reset-befor]\n  reason: x',
    'known.yaml:2:23: case[1]: there is no case "reset-befor"; did you mean "reset-before"? exam --list --slow shows all',
  ],
  [
    'a glob that no case has',
    '- rule: R02\n  case: hang-*\n  reason: x',
    'known.yaml:2:9: case: there is no case "hang-*"; exam --list --slow shows all',
  ],
  [
    'an unknown trouble of a plan',
    '- rule: R02\n  plan: told-failed+500-sen\n  reason: x',
    'known.yaml:2:9: plan: there is no trouble "500-sen"; did you mean "500-sent"? docs/exam.md says how plans are named',
  ],
  [
    'an unknown kind of plan',
    '- rule: R02\n  plan: schedule:500-sent\n  reason: x',
    'known.yaml:2:9: plan: there is no trouble "schedule"; did you mean "scheduled"? docs/exam.md says how plans are named',
  ],
  [
    'an unknown clause',
    '- clause: 4.1/55\n  reason: x',
    'known.yaml:1:11: clause: there is no clause "4.1/55"; did you mean "4.1/5"? verify --list shows all',
  ],
  [
    'neither a rule nor a clause',
    '- case: happy-path\n  reason: x',
    'known.yaml:1:3: expected a rule, or a clause of the document, and not both',
  ],
  [
    'a case of a clause',
    '- clause: 4.1/5\n  case: happy-path\n  reason: x',
    'known.yaml:1:3: a clause belongs to no case and no plan',
  ],
  [
    'a case and a plan',
    '- rule: R02\n  case: happy-path\n  plan: undisturbed\n  reason: x',
    'known.yaml:1:3: expected cases or plans, and not both: write an entry for each',
  ],
  [
    'no date',
    '- rule: R02\n  reason: x\n  expires: in May',
    'known.yaml:3:12: expires: expected a date such as 2026-03-31, got "in May"',
  ],
  [
    'an unknown key',
    '- rule: R02\n  raeson: x\n  reason: x',
    'known.yaml:2:3: unknown key "raeson"; did you mean "reason"? Possible: rule, clause, case, plan, reason, expires',
  ],
  ['no list', 'rule: R02', 'known.yaml:1:1: expected a list, got {"rule":"R02"}'],
  ['no YAML', '- rule: R02\n  reason: "x', 'known.yaml:2:'],
])('a known-file with %s is refused with file, line and what is meant', (_, text, refusal) => {
  expect(() => read(text)).toThrow(refusal)
})

test('a known-file tells all its problems at once, up to twenty', () => {
  const text = '- rule: R2\n  reason: x\n'.repeat(30)
  const lines = (() => {
    try {
      read(text)
    } catch (error) {
      return (error as Error).message.split('\n')
    }
  })()
  expect(lines).toHaveLength(21)
  expect(lines![20]).toBe('and 10 more problems')
})

test('a known-file tells of malformed values and of unknown names at once, in the order of its lines', () => {
  const text = `- rule: R2
  reason: x
- rule: R02
  case: reset-befor
  expires: in May
- clause: 4.1/55
  case: [1]
  raeson: x`
  expect(() => read(text)).toThrow(
    [
      'known.yaml:1:9: rule: there is no rule "R2"; did you mean "R02"? docs/conduct.md and docs/exam.md list them',
      'known.yaml:3:3: reason: expected why it is accepted for now, got nothing',
      'known.yaml:4:9: case: there is no case "reset-befor"; did you mean "reset-before"? exam --list --slow shows all',
      'known.yaml:5:12: expires: expected a date such as 2026-03-31, got "in May"',
      'known.yaml:6:3: reason: expected why it is accepted for now, got nothing',
      'known.yaml:6:3: a clause belongs to no case and no plan',
      'known.yaml:6:11: clause: there is no clause "4.1/55"; did you mean "4.1/5"? verify --list shows all',
      'known.yaml:7:10: case[0]: expected a text, got 1',
      'known.yaml:8:3: unknown key "raeson"; did you mean "reason"? Possible: rule, clause, case, plan, reason, expires',
    ].join('\n'),
  )
})

test('a known-file with nothing but comments accepts nothing', () => {
  expect(read('# all mended\n').entries).toEqual([])
})

test('names that only another command knows are not checked', () => {
  const { entries } = readKnownFindings('- clause: 9/99\n  reason: x\n- {rule: R02, case: own, reason: x}', {
    source: 'known.yaml',
    today: '2026-03-31',
  })
  expect(entries).toHaveLength(2)
})

test.each([
  ['reset-after', true],
  ['reset-before', true],
  ['happy-path', false],
])('the glob reset-* accepts a rule in %s: %s', (name, isAccepted) => {
  const known = read('- {rule: R02, case: reset-*, reason: x}')
  expect(acceptingEntry(known, 'R02', { kind: 'case', name }) !== undefined).toBe(isAccepted)
})

test('an entry of cases accepts nothing in a plan, and one of plans nothing in a case', () => {
  const known = read('- {rule: R02, case: "*", reason: x}\n- {rule: R18, plan: "*", reason: x}')
  expect(acceptingEntry(known, 'R02', { kind: 'plan', name: '500-sent' })).toBe(undefined)
  expect(acceptingEntry(known, 'R18', { kind: 'case', name: 'happy-path' })).toBe(undefined)
  expect(acceptingEntry(known, 'R18', { kind: 'plan', name: 'scheduled:500-sent' })).toMatchObject({
    line: 2,
  })
})

test.each([
  ['2026-03-30', false],
  ['2026-03-31', true],
  ['2026-04-01', true],
])('an entry that expires on %s counts on 2026-03-31: %s', (expires, counts) => {
  const known = read(`- {rule: R02, reason: x, expires: ${expires}}`)
  expect(rulesAccepted(known).has('R02')).toBe(counts)
  expect(acceptingEntry(known, 'R02', { kind: 'case', name: 'happy-path' }) !== undefined).toBe(counts)
})

test('in a test, which is no case, only entries without cases and plans count', () => {
  const known = read('- {rule: R02, case: "*", reason: a}\n- {rule: R18, reason: b}')
  expect([...rulesAccepted(known)]).toEqual([['R18', 'b']])
})
