import type { Links } from './links.ts'

export const problemType = 'application/problem+json'

export interface InvalidField {
  readonly field: string
  readonly problem: string
}

/** Something that the client is told with an error status. Thrown anywhere, answered in one place. */
export class Problem extends Error {
  override readonly name: ProblemName
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly generalErrors: readonly string[]
  readonly invalidFields: readonly InvalidField[]

  constructor(
    name: ProblemName,
    detail: string,
    more: {
      headers?: Record<string, string>
      generalErrors?: readonly string[]
      invalidFields?: readonly InvalidField[]
    } = {},
  ) {
    super(detail)
    this.name = name
    this.detail = detail
    this.headers = more.headers ?? {}
    this.generalErrors = more.generalErrors ?? []
    this.invalidFields = more.invalidFields ?? []
  }

  get status(): number {
    return problemKinds[this.name].status
  }
}

/**
 * Every problem there is, with its status. The document leaves nearly all of this open (spec section 7, "not
 * shown"): what it does fix is that client errors are 4xx and that 500 means "could not be processed at all".
 */
export const problemKinds = {
  'malformed-body': {
    status: 400,
    title: 'Malformed request body',
    meaning:
      'The body is not JSON in UTF-8, is empty, or is nested too deeply. An empty JSON object {} is the least that an operation with a body takes.',
  },
  'malformed-target': {
    status: 400,
    title: 'Malformed request target',
    meaning:
      'The address in the request line cannot be read: it must be a path, in the form that HTTP allows.',
  },
  validation: {
    status: 400,
    title: 'Validation failed',
    meaning:
      'A parameter or member does not have the form that the operation asks for, or two of them exclude each other. invalidFields names each with what was seen and what is possible.',
  },
  'schedule-date-in-past': {
    status: 400,
    title: 'Schedule date is in the past',
    meaning:
      'The date-time for the sending is not in the future. A repeat of a known transaction ID is exempt.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request carries no valid Basic credentials.',
  },
  'missing-right': {
    status: 403,
    title: 'Missing right',
    meaning: 'The user may not do this: reading needs the right read, everything else the right write.',
  },
  'list-not-permitted': {
    status: 403,
    title: 'List not permitted',
    meaning: 'The accessible-lists configuration of the customer leaves this list out.',
  },
  'foreign-origin': {
    status: 403,
    title: 'Foreign origin',
    meaning: 'A web page of another origin tried to change something through a browser.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    meaning: 'Nothing is known under this address, or it belongs to somebody else.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address exists, but not with this method. The Allow header lists the possible ones.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header leaves out every JSON media type.',
  },
  'not-ready-for-sending': {
    status: 409,
    title: 'Not ready for sending',
    meaning: 'The mailing has no approved version yet. readyForSending of the synchronization tells.',
  },
  gone: {
    status: 410,
    title: 'Cursor or token no longer valid',
    meaning:
      'Cursors and sync tokens are good for a while and for the collection that handed them out. Start again without.',
  },
  'body-too-large': {
    status: 413,
    title: 'Request body too large',
    meaning: 'The body is larger than any sensible request of this service.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The Content-Type is missing or is not one that this operation takes.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The space has used up its requests of this minute. X-RateLimit-Reset tells in how many seconds there are more.',
  },
  'misdirected-request': {
    status: 421,
    title: 'Host not allowed',
    meaning:
      'The request names a host that this server does not answer for; --allow-host or --public-url adds one.',
  },
  'not-processed': {
    status: 500,
    title: 'Request could not be processed',
    meaning:
      'The request was not processed at all. Whether it may be repeated depends on the operation; a sending with a transaction ID may.',
  },
} as const
export type ProblemName = keyof typeof problemKinds

const validation = (invalidFields: readonly InvalidField[], generalErrors: readonly string[] = []) =>
  new Problem(
    'validation',
    [...generalErrors, ...invalidFields.map(({ field, problem }) => `${field}: ${problem}`)].join('; '),
    { generalErrors, invalidFields },
  )

/** A sentence for each thing that can go wrong: what was seen, what is possible. */
export const problems = {
  validation,
  field: (field: string, problem: string) => validation([{ field, problem }]),
  combination: (sentence: string) => validation([], [sentence]),
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
  notAcceptable: (accept: string) =>
    new Problem(
      'not-acceptable',
      `Accept is "${accept}"; answers are application/hal+json and application/problem+json`,
    ),
  notReady: (synchronizationId: string) =>
    new Problem(
      'not-ready-for-sending',
      `The mailing of synchronization ${synchronizationId} has no approved version; approve it before creating a sending`,
    ),
  gone: (what: 'cursor' | 'syncToken') =>
    new Problem('gone', `This ${what} is unknown here or has expired; start again without it`),
  bodyTooLarge: (limit: number) => new Problem('body-too-large', `The request body is over ${limit} bytes`),
  unsupportedMediaType: (seen: string) =>
    new Problem(
      'unsupported-media-type',
      `Content-Type is ${seen}; possible: application/hal+json, application/json`,
    ),
  tooManyRequests: (limit: number, headers: Record<string, string>) =>
    new Problem('too-many-requests', `More than ${limit} requests in a minute`, { headers }),
  unsupportedControlType: (seen: string) =>
    new Problem(
      'unsupported-media-type',
      `Content-Type is ${seen}; a control call that changes something needs application/json`,
    ),
  foreignOrigin: (seen: string) =>
    new Problem(
      'foreign-origin',
      `${seen} is not this server; control calls are for programs and the pages of this server`,
    ),
  misdirected: (sentence: string) => new Problem('misdirected-request', sentence),
  notProcessed: (sentence: string) => new Problem('not-processed', sentence),
}

/** The body of a problem: `detail` in general, the lists of what is wrong for a failed validation. */
export function problemBody({ name, detail, generalErrors, invalidFields }: Problem, type: string): object {
  const validation = generalErrors.length + invalidFields.length > 0
  return {
    type,
    title: problemKinds[name].title,
    ...(validation ? { generalErrors, invalidFields } : { detail }),
    _links: { describedby: { href: type } },
  }
}

/** The answer that tells a client of a problem. */
export function problemResponse(problem: Problem, links: Pick<Links, 'problem'>): Response {
  return new Response(JSON.stringify(problemBody(problem, links.problem(problem.name))), {
    status: problem.status,
    headers: { 'Content-Type': problemType, ...problem.headers },
  })
}
