import { expect } from 'vitest'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import { answer } from './fault-server.ts'

/** What a client without an HTTP stack sees of one response. */
export interface Seen {
  readonly bytes: string
  /** `open`: nothing more comes, and the connection stays. */
  readonly ending: 'FIN' | 'RST' | 'open'
  readonly status: number | undefined
  readonly headers: string
  readonly body: string
}

interface Effect {
  /** How it is known, whatever the true answer is. @param truth the body that would have gone out */
  readonly see: (seen: Seen, truth: string) => void
  /**
   * What an HTTP stack sees that notices all that can be noticed: status and length of the body, or an error. Undefined for
   * what stacks do not differ in, or cannot meet.
   */
  readonly stack: string | RegExp | undefined
}

/** What a fault on the wire does to `answer`. */
export interface WireEffect extends Effect {
  /** Settings with which it is over soon. With others, a client waits for long. */
  readonly quick?: object
  /** All that goes out, as a regular expression. */
  readonly bytes: string
  readonly ending: Seen['ending']
  /** Whether the whole answer leaves. */
  readonly isComplete?: true
  /** Whether of a response without a body it cuts the head, so that no client gets hold of a whole answer. */
  readonly cutsHead?: true
}

const body = String(answer.body)
const half = body.slice(0, Math.floor(body.length / 2))
const whole = `201 ${body.length}`

const date = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT'
export const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const start = 'HTTP/1\\.1 201 Created\r\nContent-Type: application/hal\\+json;charset=UTF-8\r\n'
/** The head of `answer`. */
export const head = (framing: string, connection = 'keep-alive') =>
  `${start}Location: ${quoted(answer.headers.Location!)}\r\nDate: ${date}\r\nConnection: ${connection}\r\n${framing}\r\n`
export const length = (bytes = body.length) => `Content-Length: ${bytes}\r\n`
const wholeAtEnd = head(length(), 'close') + quoted(body)
export const chunked = head('Transfer-Encoding: chunked\r\n')
const chunk = `${half.length.toString(16)}\r\n${quoted(half)}\r\n`

const lengthIn = ({ headers }: Seen) => Number(/content-length: (\d+)/i.exec(headers)?.[1])
export const isWhole = (seen: Seen) =>
  seen.status !== undefined && lengthIn(seen) === Buffer.byteLength(seen.body, 'latin1')

const isNothing = ({ bytes }: Seen) => expect(bytes).toBe('')
const hasNoHead = ({ bytes }: Seen) => expect(bytes).not.toContain('\r\n\r\n')
const isCutShort = (seen: Seen) => expect(seen.body.length).toBeLessThan(lengthIn(seen))
const isChunked = ({ headers, body }: Seen) => {
  expect(headers).toMatch(/transfer-encoding: chunked/i)
  expect(body).not.toContain('\r\n0\r\n')
}
const states = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE']
const stateIn = ({ body }: Seen): string => JSON.parse(body).state

const quick = { every: '1ms', bytes: 50 }
const noError = /^201 \d+$/

/** Every fault that acts on the connection. */
export const wireEffects: Readonly<Record<string, WireEffect>> = {
  hang: { bytes: '', ending: 'open', see: isNothing, stack: /^error/ },
  close: { bytes: '', ending: 'FIN', see: isNothing, stack: /^error/ },
  reset: { bytes: '', ending: 'RST', see: isNothing, stack: /^error/ },
  'reset-upload': { bytes: '', ending: 'RST', see: isNothing, stack: /^error/ },
  'keepalive-race': { bytes: '', ending: 'RST', see: isNothing, stack: undefined },
  'status-cut': {
    bytes: 'HTTP/1\\.1 201 Cre',
    ending: 'FIN',

    see: ({ bytes }) => expect(bytes).not.toContain('\r\n'),
    stack: /^error/,
  },
  'headers-cut': { bytes: `${start}Loca`, ending: 'FIN', see: hasNoHead, stack: /^error/ },
  'headers-then-reset': {
    bytes: head(length()),
    ending: 'RST',

    cutsHead: true,
    see: seen => expect(seen.body).toBe(''),
    stack: /^error/,
  },
  truncate: {
    bytes: head(length()) + quoted(half),
    ending: 'FIN',

    cutsHead: true,
    see: isCutShort,
    stack: /^error/,
  },
  'truncate-eof': {
    bytes: head('', 'close') + quoted(half),
    ending: 'FIN',

    cutsHead: true,
    see(seen, truth) {
      expect(seen.headers).not.toMatch(/content-length|transfer-encoding/i)
      expect(truth.startsWith(seen.body) && seen.body.length < truth.length).toBe(true)
    },
    stack: `201 ${half.length}`,
  },
  'chunk-cut': {
    bytes: chunked + chunk,
    ending: 'FIN',

    cutsHead: true,
    see: isChunked,
    stack: /^error/,
  },
  'bad-chunk': {
    bytes: `${chunked + chunk}zz\r\n`,
    ending: 'FIN',

    cutsHead: true,
    see: isChunked,
    stack: /^error/,
  },
  'length-short': {
    bytes: head(length(half.length)) + quoted(body),
    ending: 'FIN',

    see: seen => expect(seen.body.length).toBeGreaterThan(lengthIn(seen)),
    stack: `201 ${half.length}`,
  },
  'reset-mid-body': {
    bytes: head(length()) + quoted(half),
    ending: 'RST',

    cutsHead: true,
    see: isCutShort,
    stack: /^error/,
  },
  stall: {
    bytes: head(length()) + quoted(half),
    ending: 'open',

    cutsHead: true,
    see: isCutShort,
    stack: /^error/,
  },
  drip: {
    quick,
    bytes: wholeAtEnd,
    ending: 'FIN',
    isComplete: true,
    see: seen => expect([seen.status !== undefined, isWhole(seen)]).toEqual([true, false]),
    stack: whole,
  },
  'drip-headers': {
    quick,
    bytes: wholeAtEnd,
    ending: 'FIN',
    isComplete: true,
    see: hasNoHead,
    stack: whole,
  },
  garbage: {
    bytes: '\xff\xfe\\x00\\x16.*\r\n',
    ending: 'FIN',

    see: ({ bytes }) => expect(bytes).not.toMatch(/^HTTP\//),
    stack: /^error/,
  },
  'early-hints': {
    bytes: `HTTP/1\\.1 103 Early Hints\r\nLink: [^\r]*\r\n\r\n${wholeAtEnd}`,
    ending: 'FIN',
    isComplete: true,
    see: ({ bytes }) => expect(bytes).toMatch(/^HTTP\/1\.1 103 .*\r\n\r\nHTTP\/1\.1 20\d /s),
    stack: whole,
  },
}

type AnswerEffect = Omit<Effect, 'stack'> & Partial<Effect>

const redirects = [301, 302, 303, 307, 308].map((status): [string, AnswerEffect] => [
  `redirect-${status}`,
  {
    see(seen) {
      expect(seen.status).toBe(status)
      expect(seen.headers).toMatch(/location: /i)
    },
  },
])

/** Every fault with a whole answer in place of the true one. The connection stays. */
export const answerEffects: Readonly<Record<string, AnswerEffect>> = {
  'truncate-gzip': {
    see: ({ headers }) => expect(headers).toMatch(/content-encoding: gzip/i),
    // Most stacks do not unpack: they see as many bytes as Content-Length says. fetch gives out what it can unpack.
    stack: noError,
  },
  'malformed-json': { see: seen => expect(() => JSON.parse(seen.body)).toThrow() },
  'wrong-content-type': {
    see: ({ headers }) => expect(headers).not.toMatch(/content-type: application\/hal\+json/i),
  },
  'html-200': {
    see: ({ status, headers }) =>
      expect([status, /content-type: text\/html/i.test(headers)]).toEqual([200, true]),
  },
  'empty-201': { see: seen => expect([seen.status, seen.body]).toEqual([201, '']), stack: '201 0' },
  ...Object.fromEntries(redirects),
  'foreign-sending': {
    see: (seen, truth) =>
      expect(JSON.parse(seen.body).transactionId).not.toBe(JSON.parse(truth).transactionId),
  },
  'stateless-sending': { see: seen => expect(JSON.parse(seen.body)).not.toHaveProperty('state') },
  'unknown-state': { see: seen => expect(states).not.toContain(stateIn(seen).toUpperCase()) },
  'lower-case-state': { see: seen => expect(stateIn(seen)).toMatch(/^[a-z_]+$/) },
}

/** Holds what was seen of a fault with its default settings against its effect. @param truth the body that would have gone out */
export function expectEffect(name: string, seen: Seen, truth: string): void {
  const wire = wireEffects[name]
  expect(seen.ending).toBe(wire === undefined || wire.quick ? 'open' : wire.ending)
  if (!wire) expect(isWhole(seen)).toBe(true)
  const effect = wire ?? answerEffects[name]!
  effect.see(seen, truth)
}

/** The path at the fault server under which a fault is over soon. */
export const pathOf = (name: string): string => {
  const { quick: settings } = wireEffects[name] ?? {}
  return settings ? `${name}?${JSON.stringify(settings)}` : name
}

/** What the wire says of a fault when it is over. */
export const outcomeOf = (name: string) => (wireEffects[name]!.isComplete ? 'handed' : 'cut')

/** The faults on the wire that are over without the client's help. */
export const endingFaults: readonly string[] = Object.keys(wireEffects).filter(
  name => wireEffects[name]!.ending !== 'open',
)

/** Faults that have no row, or a row of another kind than their own. */
export const withoutEffect = (): string[] =>
  [...faults.values()]
    .filter(fault => !Object.hasOwn('deliver' in fault ? wireEffects : answerEffects, fault.name))
    .map(({ name }) => name)
