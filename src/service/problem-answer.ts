import { type DialValues, defaultDials } from './dials.ts'
import type { Links } from './links.ts'
import { type Problem, type ProblemName, problemKinds } from './problem.ts'
import { type Answer, toResponse } from './response.ts'

const problemMediaType = 'application/problem+json'

/** The type of a problem, by the dial. @param address of its documentation */
const problemTypes: Record<DialValues['problem-type'], (name: ProblemName, address: string) => string> = {
  path: (_, address) => address.replace(/^https?:\/\/[^/]+/, ''),
  address: (_, address) => address,
  urn: name => `urn:mailing-sync:problem:${name}`,
  blank: () => 'about:blank',
}

/** JSON that no browser takes for markup, under whatever type a fault sends it: a problem repeats what a client sent. */
const toJsonWithoutMarkup = (body: object): string => JSON.stringify(body).replaceAll('<', '\\u003c')

const errorTypes: Record<DialValues['error-body'], string | undefined> = {
  full: problemMediaType,
  minimal: problemMediaType,
  'plain-json': 'application/json',
  text: 'text/plain;charset=UTF-8',
  empty: undefined,
}

function errorBody(problem: Problem, status: number, address: string, dials: DialValues): string {
  const { name, detail, generalErrors, invalidFields } = problem
  const { title } = problemKinds[name]
  switch (dials['error-body']) {
    case 'full':
      return toJsonWithoutMarkup({
        type: problemTypes[dials['problem-type']](name, address),
        title,
        status,
        // `detail` says the same as the lists of a failed validation.
        ...(generalErrors.length + invalidFields.length > 0 ? { generalErrors, invalidFields } : { detail }),
        _links: { describedby: { href: address } },
      })
    case 'minimal':
      return JSON.stringify({ title, status })
    case 'plain-json':
      return toJsonWithoutMarkup({ status, error: title, message: detail })
    case 'text':
      return `${status} ${title}\n`
    case 'empty':
      return ''
  }
}

/** The answer for a problem. @param dials their defaults while the space is not known */
export function problemAnswer(
  problem: Problem,
  links: Pick<Links, 'problem'>,
  dials: DialValues = defaultDials,
): Answer {
  const status = problem.status(dials)
  const type = errorTypes[dials['error-body']]
  const headers = type === undefined ? problem.headers : { 'Content-Type': type, ...problem.headers }
  const { name, detail, generalErrors, invalidFields, hint } = problem
  const body = errorBody(problem, status, links.problem(name), dials)
  return { status, headers, body, problem: { name, detail, generalErrors, invalidFields, hint } }
}

/** As `problemAnswer`, as a web `Response`. */
export const problemResponse = (...of: Parameters<typeof problemAnswer>): Response =>
  toResponse(problemAnswer(...of))
