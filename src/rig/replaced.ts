import { STATUS_CODES } from 'node:http'
import type { Answer } from '../service/answer.ts'
import type { Links } from '../service/links.ts'
import { Problem, problemAnswer } from '../service/problem.ts'
import { isOfService, type ProblemName, problemKinds } from '../service/problem-kinds.ts'
import { realClock } from './clock.ts'
import type { AnswerSpec } from './scenarios/scenario.ts'

/** The 500 of spec 4.1/7: what a client is told where the work did not come to its end. */
export const notProcessed = (links: Links): Answer =>
  problem(500, 'The request could not be processed', links)

/**
 * The answer that a step puts in place of the true one.
 * @param isShifted whether the space's clock shows another time than the client's: then Retry-After is told in seconds
 */
export function replaced(spec: AnswerSpec, links: Links, isShifted: boolean): Answer {
  const { status, headers, body } = spec
  const whole = bodied(status, body, links)
  if (spec.retryAfter === undefined && Object.keys(headers).length === 0) return whole
  const retryAfter = retryAfterOf(spec.retryAfter, isShifted)
  return {
    ...whole,
    headers: { ...whole.headers, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }), ...headers },
  }
}

function bodied(status: number, body: AnswerSpec['body'], links: Links): Answer {
  if (body === 'empty')
    return { status, headers: status === 204 || status === 304 ? {} : { 'Content-Length': '0' }, body: '' }
  if (body === 'problem') return problem(status, `A scenario answers ${status}`, links)
  if (body === 'gateway-html')
    return { status, headers: { 'Content-Type': 'text/html' }, body: gatewayPage(status) }
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body: body.text }
}

/** Problems that scenarios answer, by their detail: there are few, and making one costs as much as the rest of a fault. */
const known = new WeakMap<Links, Map<string, Answer>>()

function problem(status: number, detail: string, links: Links): Answer {
  let ofLinks = known.get(links)
  if (!ofLinks) {
    ofLinks = new Map()
    known.set(links, ofLinks)
  }
  let answer = ofLinks.get(detail)
  if (!answer) {
    answer = newProblem(status, detail, links)
    ofLinks.set(detail, answer)
  }
  return answer
}

function newProblem(status: number, detail: string, links: Links): Answer {
  const names = Object.keys(problemKinds) as ProblemName[]
  const name = names.find(it => problemKinds[it].status === status && isOfService(it))
  if (name) return problemAnswer(new Problem(name, detail, { status }), links)
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Unknown', detail }),
  }
}

/** What a gateway in front of the service says when it gets no answer in time, or none that it understands. */
function gatewayPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>gateway</center>\r\n</body>\r\n</html>\r\n`
}

function retryAfterOf(given: AnswerSpec['retryAfter'], isShifted: boolean): string | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'number') return String(given)
  if ('text' in given) return given.text
  if (isShifted) return String(Math.max(0, Math.ceil(given.dateIn / 1000)))
  return new Date(realClock.now() + given.dateIn).toUTCString()
}
