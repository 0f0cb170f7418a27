import { MemoryFullError } from '../store/memory-budget.ts'
import type { DialName, DialValues } from './dials.ts'

export interface ProblemKind {
  readonly status: number
  /** The clause that gives the status. Undefined for problems that protect the mock itself. */
  readonly clause: string | undefined
  /** The dial that sets the status. */
  readonly dial?: DialName
  /** If it is sent before the space and its dials and limits are known: also before the base URL is, so that links are paths. */
  readonly before?: 'space' | 'base'
  /** Headers that it has of its own. Optional: in some cases only. */
  readonly headers?: { readonly [Name in ProblemHeader]?: 'always' | 'optional' }
  /** Whether it has lists of what is wrong in place of a detail. */
  readonly isValidation?: true
  readonly title: string
  readonly meaning: string
}

type ProblemHeader = 'WWW-Authenticate' | 'Allow' | 'Accept-Encoding'

/**
 * All problems with their statuses. The document leaves nearly all of this open (spec section 7, "not
 * shown"). It only says that client errors are 4xx and that 500 means "could not be processed at all".
 */
export const problemKinds = {
  'malformed-body': {
    status: 400,
    clause: 'S 400',
    title: 'Malformed request body',
    meaning:
      'The body is not JSON in UTF-8, is empty, has a member twice in one object, or is nested too deeply. An empty JSON object {} is the least that an operation with a body takes.',
  },
  'malformed-target': {
    status: 400,
    clause: '7 other failures',
    before: 'base',
    title: 'Malformed request target',
    meaning:
      'The address in the request line cannot be read: it must be a path, in the form that HTTP allows.',
  },
  'malformed-request': {
    status: 400,
    clause: undefined,
    title: 'Malformed request',
    meaning: 'What came over the connection is not a request as HTTP/1.1 has it. The connection is closed.',
  },
  validation: {
    status: 400,
    clause: 'S validation members',
    dial: 'invalid-input-status',
    isValidation: true,
    title: 'Validation failed',
    meaning:
      'A parameter or member does not have the form that the operation asks for, or two of them exclude each other. invalidFields names each with what was seen and what is possible.',
  },
  'schedule-date-in-past': {
    status: 400,
    clause: '7/2',
    dial: 'invalid-input-status',
    isValidation: true,
    title: 'Schedule date is in the past',
    meaning:
      'The date-time for the sending is not in the future. A repeat of a known transaction ID is exempt.',
  },
  unauthorized: {
    status: 401,
    clause: 'S 401',
    before: 'space',
    headers: { 'WWW-Authenticate': 'always' },
    title: 'Unauthorized',
    meaning: 'The request carries no valid Basic credentials.',
  },
  'token-required': {
    status: 401,
    clause: undefined,
    title: 'Token required',
    meaning:
      'Control calls of this mock need the token that it was started with, in Authorization: Bearer or X-Mock-Token.',
  },
  'missing-right': {
    status: 403,
    clause: 'S missing right',
    title: 'Missing right',
    meaning: 'The user may not do this: reading needs the right read, everything else the right write.',
  },
  'list-not-permitted': {
    status: 403,
    clause: 'S 403',
    dial: 'list-not-permitted-status',
    title: 'List not permitted',
    meaning: 'The accessible-lists configuration of the customer leaves this list out.',
  },
  'foreign-origin': {
    status: 403,
    clause: undefined,
    title: 'Foreign origin',
    meaning: 'A web page of another origin tried to change something through a browser.',
  },
  'not-found': {
    status: 404,
    clause: 'S 404',
    title: 'Not found',
    meaning: 'Nothing is known under this address, or it belongs to somebody else.',
  },
  'method-not-allowed': {
    status: 405,
    clause: 'S 405',
    headers: { Allow: 'always' },
    title: 'Method not allowed',
    meaning: 'The address exists, but not with this method. The Allow header lists the possible ones.',
  },
  'not-acceptable': {
    status: 406,
    clause: 'S accept',
    title: 'Not acceptable',
    meaning: 'The Accept header leaves out every JSON media type.',
  },
  'not-ready-for-sending': {
    status: 409,
    clause: 'S 409',
    dial: 'not-ready-status',
    title: 'Not ready for sending',
    meaning:
      'The mailing has no approved version yet, or the mailing or the list is gone. readyForSending of the synchronization tells.',
  },
  'not-possible-here': {
    status: 409,
    clause: undefined,
    title: 'Not possible here',
    meaning: 'The control call is right in itself, but this space cannot do it as things stand.',
  },
  'request-too-slow': {
    status: 408,
    clause: undefined,
    title: 'Request too slow',
    meaning:
      'The request, or its headers, did not come whole in the time that --request-timeout and --header-timeout allow. Nothing was done.',
  },
  gone: {
    status: 410,
    clause: 'S 410',
    dial: 'stale-cursor-status',
    title: 'Cursor or token no longer valid',
    meaning:
      'Cursors and sync tokens are good for a while and for the collection that handed them out. Start again without.',
  },
  'body-too-large': {
    status: 413,
    clause: 'S 413',
    title: 'Request body too large',
    meaning: 'The body is larger than any sensible request of this service.',
  },
  'unsupported-media-type': {
    status: 415,
    clause: 'S 415',
    headers: { 'Accept-Encoding': 'optional' },
    title: 'Unsupported media type',
    meaning:
      'The Content-Type is missing, is not one that this operation takes, or names another charset than UTF-8, or the body is compressed.',
  },
  'too-many-requests': {
    status: 429,
    clause: 'S 429',
    title: 'Too many requests',
    meaning:
      'The space has used up its requests of this minute. X-RateLimit-Reset tells in how many seconds there are more.',
  },
  'headers-too-large': {
    status: 431,
    clause: undefined,
    title: 'Headers too large',
    meaning: 'The request line and the headers are longer than --header-limit allows.',
  },
  'misdirected-request': {
    status: 421,
    clause: undefined,
    before: 'base',
    title: 'Host not allowed',
    meaning:
      'The request names a host that this server does not answer for; --allow-host or --public-url adds one.',
  },
  'not-processed': {
    status: 500,
    clause: 'S 500',
    title: 'Request could not be processed',
    meaning:
      'The request was not processed at all. Whether it may be repeated depends on the operation; a sending with a transaction ID may.',
  },
  'no-room': {
    status: 503,
    clause: undefined,
    title: 'No room',
    meaning:
      'As many connections stand, or as many requests of the space are held or delayed, or as much memory is used, as --connection-limit, --hold-limit and --memory-limit allow. Nothing was done.',
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemName = keyof typeof problemKinds

export const problemKindOf = (name: ProblemName): ProblemKind => problemKinds[name]

/** Problems of the service. The others belong to the control API or to the mock as a server. */
export type ServiceProblem = Exclude<
  ProblemName,
  'token-required' | 'foreign-origin' | 'not-possible-here' | (typeof serverProblems)[number]
>

/** Sent by the mock as a server that protects itself, before an operation is known. The service has no such answers. */
const serverProblems = ['malformed-request', 'request-too-slow', 'headers-too-large', 'no-room'] as const

/** Whether the problem belongs to the service. The others protect the mock itself. */
export const isOfService = (name: ProblemName): boolean => !serverProblems.some(it => it === name)

export function statusOf(name: ProblemName, dials: DialValues): number {
  const kind = problemKindOf(name)
  return kind.dial === undefined ? kind.status : Number(dials[kind.dial])
}

export interface InvalidField {
  readonly field: string
  readonly problem: string
}

/** What went wrong, independent of the dial `error-body`. */
export type Refusal = Pick<Problem, 'name' | 'detail' | 'generalErrors' | 'invalidFields' | 'hint'>

/** An error that the client gets as an error status. Thrown anywhere, answered in one place. */
export class Problem extends Error {
  override readonly name: ProblemName
  /** Everything that is wrong, in one line. */
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly generalErrors: readonly string[]
  readonly invalidFields: readonly InvalidField[]
  /** What went wrong inside the mock, for the developer; not a part of the problem. */
  readonly hint: string | undefined
  readonly #status: number | undefined

  /** @param more `status` has priority over the dials */
  constructor(
    name: ProblemName,
    detail: string,
    more: Partial<Pick<Problem, 'headers' | 'generalErrors' | 'invalidFields' | 'hint'>> & {
      status?: number
    } = {},
  ) {
    // The stack of a refusal is never read, and recording it takes a tenth of the time of the answer.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail)
    Error.stackTraceLimit = stackTraceLimit
    this.name = name
    this.detail = detail
    this.headers = more.headers ?? {}
    this.generalErrors = more.generalErrors ?? []
    this.invalidFields = more.invalidFields ?? []
    this.hint = more.hint
    this.#status = more.status
  }

  status(dials: DialValues): number {
    return this.#status ?? statusOf(this.name, dials)
  }
}

export const maxComplaints = 50

/** @param count of all complaints, if not all of them are given */
function validation(
  fields: readonly InvalidField[],
  general: readonly string[] = [],
  count = fields.length + general.length,
): Problem {
  const generalErrors = general.slice(0, maxComplaints)
  const invalidFields = fields.slice(0, maxComplaints - generalErrors.length)
  const more = count - generalErrors.length - invalidFields.length
  if (more > 0) generalErrors.push(`and ${more} more`)
  const sentences = [...generalErrors, ...invalidFields.map(({ field, problem }) => `${field}: ${problem}`)]
  return new Problem('validation', sentences.join('; '), { generalErrors, invalidFields })
}

/** The sentence for each problem: what was seen, and what is possible. */
export const problems = {
  validation,
  field: (field: string, problem: string) => validation([{ field, problem }]),
  malformedTarget: (sentence: string) => new Problem('malformed-target', sentence),
  malformedBody: (sentence: string) => new Problem('malformed-body', sentence),
  scheduleDateInPast: (given: string, now: string) =>
    new Problem('schedule-date-in-past', `scheduleDate ${given} is not in the future; it is ${now}`, {
      invalidFields: [{ field: 'scheduleDate', problem: `${given} is not in the future; it is ${now}` }],
    }),
  unauthorized: (sentence: string) =>
    new Problem('unauthorized', sentence, {
      headers: { 'WWW-Authenticate': 'Basic realm="Mailing Synchronization Service", charset="UTF-8"' },
    }),
  missingRight: (right: string) =>
    new Problem('missing-right', `This operation needs the right "${right}", which this user does not have`),
  listNotPermitted: (listId: number, customer: string) =>
    new Problem(
      'list-not-permitted',
      `List ${listId} of customer "${customer}" is not permitted for this space`,
    ),
  notFound: (what: string) => new Problem('not-found', `There is no ${what}`),
  methodNotAllowed: (method: string, allow: string) =>
    new Problem('method-not-allowed', `${method} is not possible here; possible: ${allow}`, {
      headers: { Allow: allow },
    }),
  noTunnel: () =>
    new Problem(
      'method-not-allowed',
      'CONNECT asks for a tunnel, but this is no proxy: a proxy setting of the client, such as HTTPS_PROXY, names this address',
      { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' } },
    ),
  notAcceptable: (accept: string) =>
    new Problem(
      'not-acceptable',
      `Accept is "${accept}"; responses are application/hal+json and application/problem+json`,
    ),
  notReady: (synchronizationId: string) =>
    new Problem(
      'not-ready-for-sending',
      `The mailing of synchronization ${synchronizationId} has no approved version; approve it before creating a sending`,
    ),
  withoutPart: (synchronizationId: string, part: string) =>
    new Problem(
      'not-ready-for-sending',
      `The ${part} of synchronization ${synchronizationId} is gone: it was deleted; create a synchronization with another one`,
    ),
  gone: (what: 'cursor' | 'syncToken') =>
    new Problem('gone', `This ${what} is unknown here or has expired; start again without it`),
  bodyTooLarge: (limit: number) => new Problem('body-too-large', `The request body is over ${limit} bytes`),
  unsupportedMediaType: (seen: string) =>
    new Problem(
      'unsupported-media-type',
      `Content-Type is ${seen}; possible: application/hal+json, application/json`,
    ),
  unsupportedCharset: (charset: string) =>
    new Problem('unsupported-media-type', `Content-Type names the charset "${charset}"; a body is UTF-8`),
  unsupportedEncoding: (coding: string) =>
    new Problem(
      'unsupported-media-type',
      `Content-Encoding is "${coding}"; possible: identity (a body that is not compressed)`,
      { headers: { 'Accept-Encoding': 'identity' } },
    ),
  tooManyRequests: (limit: number, headers: Record<string, string>) =>
    new Problem('too-many-requests', `More than ${limit} requests in a minute`, { headers }),
  unsupportedControlType: (seen: string) =>
    new Problem(
      'unsupported-media-type',
      `Content-Type is ${seen}; a control call that changes something needs application/json (curl: -H 'Content-Type: application/json')`,
    ),
  foreignOrigin: (seen: string) =>
    new Problem(
      'foreign-origin',
      `${seen} is not this server; control calls are for programs and the pages of this server`,
    ),
  tokenRequired: (sentence: string) =>
    new Problem('token-required', sentence, { headers: { 'WWW-Authenticate': 'Bearer realm="/_mock"' } }),
  malformedRequest: (why: string) => new Problem('malformed-request', `The request is not HTTP: ${why}`),
  needsTls: () => new Problem('malformed-request', 'This port speaks TLS: use https:// instead of http://'),
  unknownExpectation: () =>
    new Problem('malformed-request', 'Expect is possible with 100-continue only', { status: 417 }),
  headersTooLarge: (limit: number) =>
    new Problem('headers-too-large', `The request line and its headers are over ${limit} bytes`),
  requestTooSlow: (sentence: string) => new Problem('request-too-slow', sentence),
  noRoom: (sentence: string) => new Problem('no-room', sentence, { headers: { 'Retry-After': '1' } }),
  notPossibleHere: (sentence: string) => new Problem('not-possible-here', sentence),
  misdirected: (sentence: string) => new Problem('misdirected-request', sentence),
  notProcessed: (sentence: string, hint?: string) => new Problem('not-processed', sentence, { hint }),
}

/** The problem that an error stands for; undefined for a defect of the mock. */
export function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof MemoryFullError) return problems.noRoom(error.message)
  // Most of the program is loaded when it is needed first.
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND'
    ? problems.notProcessed('The files of this mock were replaced while it ran; start it again')
    : undefined
}
