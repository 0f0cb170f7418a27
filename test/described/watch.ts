import { afterEach, vi } from 'vitest'
import type { Outgoing } from '../../src/app.ts'
import type { Passage } from '../../src/rig/passage.ts'
import type { Answer } from '../../src/service/answer.ts'
import { takeUndescribed, tellUndescribed } from './found.ts'

/**
 * Holds every true answer that a service in this process gives in a test against its OpenAPI document, whoever asked and
 * however: as `fetch`, over a socket, in an exam. What a scenario tells instead of the truth is not looked at.
 */

afterEach(() => {
  const sentences = takeUndescribed()
  if (sentences.length > 0)
    throw new Error(`the service answered what openapi.yaml does not describe:\n  ${sentences.join('\n  ')}`)
})

const note = (request: Request, target: string, answer: Answer, whats: readonly string[]) => {
  for (const what of whats) tellUndescribed(`${request.method} ${target} ${answer.status}: ${what}`)
}

vi.mock('../../src/rig/passage.ts', async original => {
  const real = await original<typeof import('../../src/rig/passage.ts')>()
  const { descriptionOf } = await import('./description.ts')

  function look(passage: Passage, answer: Answer): void {
    const { visit, call } = passage
    const { request, target } = visit
    const description = descriptionOf({ names: call.links.names, dials: call.dials })
    note(request, target, answer, description.undescribed(request.method, target, answer))
  }

  class WatchedPassage extends real.Passage {
    override answered(answer: Answer): void {
      super.answered(answer)
      look(this, answer)
    }

    override tell(...args: Parameters<Passage['tell']>): this {
      super.tell(...args)
      const [, isTrue] = args
      if (isTrue) look(this, this.answer)
      return this
    }
  }
  return { ...real, Passage: WatchedPassage }
})

/** Who is turned away at the door leaves no passage. */
vi.mock('../../src/app.ts', async original => {
  const real = await original<typeof import('../../src/app.ts')>()
  const { descriptionOf } = await import('./description.ts')
  const { defaultDials } = await import('../../src/service/dials.ts')
  const { answerOf } = await import('../../src/service/answer.ts')

  const createApp: typeof real.createApp = options => {
    const app = real.createApp(options)
    const description = () => descriptionOf({ names: options.names, dials: defaultDials })

    async function look(request: Request, out: Outgoing): Promise<void> {
      const target = request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2))
      if ('visit' in out || isOfTheMock(target, out)) return
      const answer = 'answer' in out ? out.answer : await answerOf(out.clone())
      note(request, target, answer, description().undescribed(request.method, target, answer))
    }

    return (request, socket) => {
      const out = app(request, socket)
      if (options.part === 'control') return out
      if (!(out instanceof Promise)) return looked(request, out)
      return out.then(it => looked(request, it))
    }

    function looked(request: Request, out: Outgoing): Outgoing {
      void look(request, out)
      return out
    }
  }
  return { ...real, createApp }
})

/** Control calls and pages, and the way to them for a browser at the bare address. */
const isOfTheMock = (target: string, out: Outgoing): boolean =>
  /^\/_mock(?:[/?]|$)/.test(target) || (target === '/' && 'status' in out && out.status === 302)
