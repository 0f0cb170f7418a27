import { afterEach, expect, vi } from 'vitest'
import type { AppResponse } from '../../src/http/transport.ts'
import type { RequestContext } from '../../src/rig/request-context.ts'
import type { Answer } from '../../src/service/response.ts'
import { areAnswersWatched, takeUndescribed, tellUndescribed, watchAnswers } from './found.ts'

/**
 * Holds every true answer that a service in this process gives in a test against its OpenAPI document, whoever asked and
 * however: as `fetch`, over a socket, in an exam. What a scenario tells instead of the truth is not looked at.
 */

// Read for each file. These ask for the same answers thousands of times; all of them are watched in other files.
watchAnswers(!/[\\/]test[\\/](?:verify|judge|examples)[\\/]/.test(expect.getState().testPath ?? ''))

afterEach(() => {
  const sentences = takeUndescribed()
  if (sentences.length > 0)
    throw new Error(`the service answered what openapi.yaml does not describe:\n  ${sentences.join('\n  ')}`)
})

const note = (request: Request, target: string, answer: Answer, whats: readonly string[]) => {
  // The mock protects itself; the service has no such answer.
  if (answer.status === 503 && String(answer.body).includes('/problems/no-room')) return
  for (const what of whats) tellUndescribed(`${request.method} ${target} ${answer.status}: ${what}`)
}

vi.mock('../../src/rig/request-context.ts', async original => {
  const real = await original<typeof import('../../src/rig/request-context.ts')>()
  const { descriptionOf } = await import('./description.ts')

  function look(passage: RequestContext, answer: Answer): void {
    if (!areAnswersWatched()) return
    const { incoming, call } = passage
    const { request, target } = incoming
    const description = descriptionOf({ names: call.links.names, dials: call.dials })
    note(request, target, answer, description.undescribed(request.method, target, answer))
  }

  class WatchedContext extends real.RequestContext {
    override recordTrueAnswer(answer: Answer): Answer {
      look(this, answer)
      return super.recordTrueAnswer(answer)
    }

    override setResponse(...args: Parameters<RequestContext['setResponse']>): this {
      super.setResponse(...args)
      const [, isTrue] = args
      if (isTrue) look(this, this.answer)
      return this
    }
  }
  return { ...real, RequestContext: WatchedContext }
})

/** Who is turned away at the door leaves no passage. */
vi.mock('../../src/http/app.ts', async original => {
  const real = await original<typeof import('../../src/http/app.ts')>()
  const { descriptionOf } = await import('./description.ts')
  const { defaultDials } = await import('../../src/service/dials.ts')

  const createApp: typeof real.createApp = options => {
    const app = real.createApp(options)
    const description = () => descriptionOf({ names: options.names, dials: defaultDials })

    async function look(request: Request, out: AppResponse): Promise<void> {
      const target = request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2))
      if (!areAnswersWatched() || 'incoming' in out || isOfTheMock(target, out)) return
      const answer =
        'answer' in out
          ? out.answer
          : { status: out.status, headers: Object.fromEntries(out.headers), body: await out.clone().text() }
      note(request, target, answer, description().undescribed(request.method, target, answer))
    }

    return (request, socket) => {
      const out = app(request, socket)
      if (options.part === 'control') return out
      const note = (response: AppResponse): AppResponse => {
        void look(request, response)
        return response
      }
      return out instanceof Promise ? out.then(note) : note(out)
    }
  }
  return { ...real, createApp }
})

/** Control calls and pages, what browsers and probes find at the bare address, and a browser's request for an icon. */
const isOfTheMock = (target: string, out: AppResponse): boolean =>
  /^\/_mock(?:[/?]|$)/.test(target) ||
  target === '/favicon.ico' ||
  (target === '/' && 'status' in out && [200, 302].includes(out.status))
