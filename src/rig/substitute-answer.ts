import { STATUS_CODES } from 'node:http'
import { applyDials } from '../service/answer-form.ts'
import type { ServiceCall } from '../service/operation.ts'
import { isOfService, Problem, type ProblemName, problemKinds } from '../service/problem.ts'
import { problemAnswer } from '../service/problem-answer.ts'
import type { Answer } from '../service/response.ts'
import type { SpaceClock } from './clock.ts'
import type { AnswerSpec } from './scenarios/scenario.ts'

/** The 500 of spec 4.1/7: the answer when the work was not completed. */
export const notProcessedAnswer = (call: ServiceCall): Answer =>
  applyDials(call, scenarioProblem(500, 'The request could not be processed', call))

/**
 * The answer that a step gives instead of the true one.
 * @param clock of the space; where it differs from the client's, Retry-After is given in seconds
 */
export function substituteAnswer(
  spec: AnswerSpec,
  call: ServiceCall,
  clock: Pick<SpaceClock, 'isShifted' | 'machine'>,
): Answer {
  const { status, headers, body } = spec
  const whole = answerWithBody(status, body, call)
  if (spec.retryAfter === undefined && Object.keys(headers).length === 0) return whole
  const retryAfter = retryAfterHeader(spec.retryAfter, clock)
  return {
    ...whole,
    headers: { ...whole.headers, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }), ...headers },
  }
}

function answerWithBody(status: number, body: AnswerSpec['body'], call: ServiceCall): Answer {
  if (body === 'empty')
    return { status, headers: status === 204 || status === 304 ? {} : { 'Content-Length': '0' }, body: '' }
  if (body === 'problem') return scenarioProblem(status, `A scenario answers ${status}`, call)
  if (body === 'gateway-html')
    return { status, headers: { 'Content-Type': 'text/html' }, body: gatewayPage(status) }
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body: body.text }
}

/** Kept: there are few, and creating one takes as long as the rest of a fault. */
const scenarioProblem = (status: number, detail: string, { rendered, links, dials }: ServiceCall): Answer =>
  rendered.answer(detail, () => {
    const names = Object.keys(problemKinds) as ProblemName[]
    const name = names.find(it => problemKinds[it].status === status && isOfService(it))
    if (name) return problemAnswer(new Problem(name, detail, { status }), links, dials)
    return {
      status,
      headers: { 'Content-Type': 'application/problem+json' },
      body: JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Unknown', detail }),
    }
  })

/** The page of a gateway in front of the service that gets no valid answer in time. */
function gatewayPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>gateway</center>\r\n</body>\r\n</html>\r\n`
}

function retryAfterHeader(
  delay: AnswerSpec['retryAfter'],
  { isShifted, machine }: Pick<SpaceClock, 'isShifted' | 'machine'>,
): string | undefined {
  if (delay === undefined) return undefined
  if (typeof delay === 'number') return String(delay)
  if ('text' in delay) return delay.text
  if (isShifted) return String(Math.max(0, Math.ceil(delay.dateIn / 1000)))
  return new Date(machine + delay.dateIn).toUTCString()
}
