import { canonical } from '../rig/request-facts.ts'
import type { Payload } from './evidence.ts'

/** 1 to 100 characters: letters, digits, dots, colons, hyphens and underscores (spec 4.1, 8). */
const idForm = /^[A-Za-z0-9.:_-]{1,100}$/

const known: ReadonlySet<string> = new Set(['transactionId', 'scheduleDate', 'name', 'subject'])

/** What a body asks for. */
export function payloadOf(json: Readonly<Record<string, unknown>>): Payload {
  const { transactionId, scheduleDate, name, subject } = json
  return {
    transactionId: textOf(transactionId),
    isIdWellFormed:
      isNone(transactionId) || (typeof transactionId === 'string' && idForm.test(transactionId)),
    scheduleDate: dateOf(scheduleDate),
    name: textOf(name),
    subject: textOf(subject),
    others: othersIn(json),
  }
}

function othersIn(json: Readonly<Record<string, unknown>>): string {
  for (const member in json)
    if (!known.has(member))
      return safely(Object.fromEntries(Object.entries(json).filter(([name]) => !known.has(name))))
  return ''
}

/** Names of the members in which a payload differs from another, of those that the document knows. */
export function differences(one: Payload, other: Payload): ('scheduleDate' | 'name' | 'subject')[] {
  return (['scheduleDate', 'name', 'subject'] as const).filter(member => one[member] !== other[member])
}

const isNone = (value: unknown) => value === undefined || value === null

const textOf = (value: unknown): string | undefined =>
  isNone(value) ? undefined : typeof value === 'string' ? value : safely(value)

/** `2026-03-01T10:00:00+00:00` and `2026-03-01T10:00:00.000Z` are one time. */
function dateOf(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

/** The JSON object that a text is; undefined for anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    // Some clients put a byte-order mark in front.
    const value: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** As JSON with sorted members; what is nested too deeply to be walked through is told from nothing else. */
function safely(value: unknown): string {
  try {
    return canonical(value)
  } catch {
    return 'nested too deeply'
  }
}
