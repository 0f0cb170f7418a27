import type { DialName, DialValues } from './dials.ts'

interface Kind {
  readonly status: number
  /** The dial that turns the status. */
  readonly dial?: DialName
  readonly title: string
  readonly meaning: string
  /** Told by the mock as a server that protects itself; the service has no such answer. */
  readonly protects?: true
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
  'malformed-request': {
    status: 400,
    protects: true,
    title: 'Malformed request',
    meaning: 'What came over the connection is not a request as HTTP/1.1 has it. The connection is closed.',
  },
  validation: {
    status: 400,
    dial: 'invalid-input-status',
    title: 'Validation failed',
    meaning:
      'A parameter or member does not have the form that the operation asks for, or two of them exclude each other. invalidFields names each with what was seen and what is possible.',
  },
  'schedule-date-in-past': {
    status: 400,
    dial: 'invalid-input-status',
    title: 'Schedule date is in the past',
    meaning:
      'The date-time for the sending is not in the future. A repeat of a known transaction ID is exempt.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request carries no valid Basic credentials.',
  },
  'token-required': {
    status: 401,
    title: 'Token required',
    meaning:
      'Control calls of this mock need the token that it was started with, in Authorization: Bearer or X-Mock-Token.',
  },
  'missing-right': {
    status: 403,
    title: 'Missing right',
    meaning: 'The user may not do this: reading needs the right read, everything else the right write.',
  },
  'list-not-permitted': {
    status: 403,
    dial: 'list-not-permitted-status',
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
    dial: 'not-ready-status',
    title: 'Not ready for sending',
    meaning: 'The mailing has no approved version yet. readyForSending of the synchronization tells.',
  },
  'not-possible-here': {
    status: 409,
    title: 'Not possible here',
    meaning: 'The control call is right in itself, but this space cannot do it as things stand.',
  },
  'request-too-slow': {
    status: 408,
    protects: true,
    title: 'Request too slow',
    meaning:
      'The request, or its headers, did not come whole in the time that --request-timeout and --header-timeout allow. Nothing was done.',
  },
  gone: {
    status: 410,
    dial: 'stale-cursor-status',
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
  'headers-too-large': {
    status: 431,
    protects: true,
    title: 'Headers too large',
    meaning: 'The request line and the headers are longer than --header-limit allows.',
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
  'no-room': {
    status: 503,
    protects: true,
    title: 'No room',
    meaning:
      'As many connections stand, or as many requests of the space are held or delayed, as --connection-limit and --hold-limit allow. Nothing was done.',
  },
} as const satisfies Record<string, Kind>

/** Problems that the service has, as opposed to those that the mock protects itself with. */
export const isOfService = (name: ProblemName): boolean => !('protects' in problemKinds[name])

export type ProblemName = keyof typeof problemKinds

/** The status of a problem where the dials stand so. */
export function statusOf(name: ProblemName, dials: DialValues): number {
  const kind: Kind = problemKinds[name]
  return kind.dial === undefined ? kind.status : Number(dials[kind.dial])
}
