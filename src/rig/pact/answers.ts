import { z } from 'zod'
import { params, seconds, status } from './params.ts'
import { providerState } from './provider-state.ts'

/** States of the service itself rather than of what is in it. Nothing is done while they last, unless they say so. */
export const answerStates = [
  providerState({
    name: '',
    description: 'No state: the space as it begins. Verifiers ask for it where an interaction has no given.',
    params: params({}),
    setUp: async () => ({}),
  }),
  providerState({
    name: 'the service answers 503 with Retry-After',
    alsoNamed: ['the service answers 503 with Retry-After {retryAfter}'],
    description: 'Every request is answered 503, and nothing is done.',
    params: params({ retryAfter: seconds.optional().describe('Seconds; 30 unless given') }),
    async setUp(scene, { retryAfter = 30 }) {
      scene.answers('*', { phase: 'before', answer: { status: 503, retryAfter } })
      return {}
    },
  }),
  providerState({
    name: 'the service answers {status}',
    description: 'Every request is answered with this error status, and nothing is done.',
    params: params({
      status: status.describe('400 to 599'),
      retryAfter: seconds.optional().describe('Seconds; no Retry-After unless given'),
    }),
    async setUp(scene, { status: given, retryAfter }) {
      scene.answers('*', {
        phase: 'before',
        answer: { status: given, ...(retryAfter !== undefined && { retryAfter }) },
      })
      return {}
    },
  }),
  providerState({
    name: 'a sending cannot be processed',
    alsoNamed: ['a sending cannot be processed and was {truth}'],
    description: 'Creating one is answered 500 (section 4.1, rule 7).',
    params: params({
      truth: z
        .enum(['sent', 'not-sent'])
        .optional()
        .describe('Whether it went out all the same; not-sent unless given'),
    }),
    async setUp(scene, { truth = 'not-sent' }) {
      const phase = truth === 'sent' ? 'after' : 'before'
      scene.answers('createSending', { phase, answer: { status: 500 } })
      return {}
    },
  }),
]
