import { matchesGlob } from '../../store/glob.ts'
import type { ScenarioAttempt } from '../request-facts.ts'
import type { Condition } from './scenario.ts'

export function matchesCondition(condition: Condition, attempt: ScenarioAttempt): boolean {
  const value = subjectValue(condition.subject, attempt)
  const { present, equals, prefix, glob, from, to } = condition
  if (present !== undefined && present !== (value !== undefined && value !== null)) return false
  if (equals !== undefined && !isEqual(value, equals)) return false
  if (prefix !== undefined && !(typeof value === 'string' && value.startsWith(prefix))) return false
  if (glob !== undefined && !(typeof value === 'string' && matchesGlob(glob, value))) return false
  if (from !== undefined && !(compare(value, from) >= 0)) return false
  if (to !== undefined && !(compare(value, to) <= 0)) return false
  return true
}

export function subjectValue(subject: Condition['subject'], attempt: ScenarioAttempt): unknown {
  const { facts } = attempt
  if (subject === 'transactionId') return attempt.transactionId
  if (subject === 'synchronizationId') return facts.synchronizationId
  if (subject === 'user') return attempt.user
  if (subject === 'path') return facts.path
  const name = subject.slice(subject.indexOf(':') + 1)
  if (subject.startsWith('header:')) return attempt.header(name.toLowerCase())
  if (subject.startsWith('query:')) return facts.query(name)
  return facts.member(name)
}

/** Headers and queries are texts. JSON does not keep how a number is written, so it equals each text that stands for it. */
function isEqual(value: unknown, expected: string | number | boolean): boolean {
  if (typeof expected === 'number') return numberOf(value) === expected
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar && String(value) === String(expected)
}

/** Compares numbers as numbers and date-times as times; NaN, which is in no range, for anything else. */
function compare(value: unknown, bound: number | string): number {
  if (typeof bound === 'number') return numberOf(value) - bound
  return timeOf(value) - Date.parse(bound)
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}

/** `Date.parse` accepts nearly anything, even the text "5"; a date-time begins with its date. */
const timeOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
