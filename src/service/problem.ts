import { type Answer, respond } from './answer.ts'
import { type DialValues, defaultDials } from './dials.ts'
import type { Links } from './links.ts'
import { type ProblemName, problemKinds, statusOf } from './problem-kinds.ts'

const problemType = 'application/problem+json'

export interface InvalidField {
  readonly field: string
  readonly problem: string
}

/** What went wrong, whatever form the dial `error-body` gives it. */
export interface Refusal {
  readonly name: ProblemName
  /** In one line, with all that is wrong. */
  readonly detail: string
  readonly generalErrors: readonly string[]
  readonly invalidFields: readonly InvalidField[]
}

/** Something that the client is told with an error status. Thrown anywhere, answered in one place. */
export class Problem extends Error implements Refusal {
  override readonly name: ProblemName
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly generalErrors: readonly string[]
  readonly invalidFields: readonly InvalidField[]
  readonly #status: number | undefined

  /** @param more `status` holds whatever the dials say */
  constructor(
    name: ProblemName,
    detail: string,
    more: {
      headers?: Record<string, string>
      generalErrors?: readonly string[]
      invalidFields?: readonly InvalidField[]
      status?: number
    } = {},
  ) {
    // Nobody asks a refusal where in the code it was made, and noting that is a tenth of answering it.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail)
    Error.stackTraceLimit = stackTraceLimit
    this.name = name
    this.detail = detail
    this.headers = more.headers ?? {}
    this.generalErrors = more.generalErrors ?? []
    this.invalidFields = more.invalidFields ?? []
    this.#status = more.status
  }

  status(dials: DialValues): number {
    return this.#status ?? statusOf(this.name, dials)
  }
}

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
  tokenRequired: (sentence: string) =>
    new Problem('token-required', sentence, { headers: { 'WWW-Authenticate': 'Bearer realm="/_mock"' } }),
  malformedRequest: (why: string) => new Problem('malformed-request', `The request is not HTTP: ${why}`),
  unknownExpectation: () =>
    new Problem('malformed-request', 'Expect is possible with 100-continue only', { status: 417 }),
  headersTooLarge: (limit: number) =>
    new Problem('headers-too-large', `The request line and its headers are over ${limit} bytes`),
  requestTooSlow: (sentence: string) => new Problem('request-too-slow', sentence),
  noRoom: (sentence: string) => new Problem('no-room', sentence, { headers: { 'Retry-After': '1' } }),
  notPossibleHere: (sentence: string) => new Problem('not-possible-here', sentence),
  misdirected: (sentence: string) => new Problem('misdirected-request', sentence),
  notProcessed: (sentence: string) => new Problem('not-processed', sentence),
}

/** The body of a problem: `detail` in general, the lists of what is wrong for a failed validation. */
function problemBody({ name, detail, generalErrors, invalidFields }: Problem, type: string): object {
  const validation = generalErrors.length + invalidFields.length > 0
  return {
    type,
    title: problemKinds[name].title,
    ...(validation ? { generalErrors, invalidFields } : { detail }),
    _links: { describedby: { href: type } },
  }
}

type Told = (
  problem: Problem,
  status: number,
  links: Pick<Links, 'problem'>,
) => { type?: string; body: string }

/** How a problem is told, by the dial `error-body`. */
const tellings: Record<DialValues['error-body'], Told> = {
  full: (problem, _, links) => ({
    type: problemType,
    body: JSON.stringify(problemBody(problem, links.problem(problem.name))),
  }),
  minimal: ({ name }, status) => ({
    type: problemType,
    body: JSON.stringify({ title: problemKinds[name].title, status }),
  }),
  'plain-json': ({ name, detail }, status) => ({
    type: 'application/json',
    body: JSON.stringify({ status, error: problemKinds[name].title, message: detail }),
  }),
  text: ({ name }, status) => ({
    type: 'text/plain;charset=UTF-8',
    body: `${status} ${problemKinds[name].title}\n`,
  }),
  empty: () => ({ body: '' }),
}

/** What a problem says, without the trace that an error holds on to. */
export const refusalOf = ({ name, detail, generalErrors, invalidFields }: Problem): Refusal => ({
  name,
  detail,
  generalErrors,
  invalidFields,
})

/** What a client is told of a problem. */
export function problemText(
  problem: Problem,
  links: Pick<Links, 'problem'>,
  dials: DialValues = defaultDials,
): { status: number; headers: Readonly<Record<string, string>>; body: string } {
  const status = problem.status(dials)
  const { type, body } = tellings[dials['error-body']](problem, status, links)
  const headers = type === undefined ? problem.headers : { 'Content-Type': type, ...problem.headers }
  return { status, headers, body }
}

/** The answer that tells a client of a problem. Where no space is known yet, the dials stand at their defaults. */
export const problemAnswer = (
  problem: Problem,
  links: Pick<Links, 'problem'> & Partial<Pick<Links, 'dials'>>,
  dials: DialValues = links.dials ?? defaultDials,
): Answer => ({ ...problemText(problem, links, dials), problem: refusalOf(problem) })

/** As `problemAnswer`, for the framework. */
export const problemResponse = (...of: Parameters<typeof problemAnswer>): Response =>
  respond(problemAnswer(...of))
