import { z } from 'zod'
import type { Answer } from '../../service/response.ts'
import { bodyBytes, type Fault, faultDefiner, withBody } from './fault.ts'

const define = faultDefiner('wrong')

const states: readonly string[] = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE']

const identities = ['id', 'transactionId', 'mailingSynchronizationId'] as const

type Json = Readonly<Record<string, unknown>>

function parseBody(answer: Answer): unknown {
  try {
    return JSON.parse(bodyBytes(answer).toString())
  } catch {
    return undefined
  }
}

function isSending(value: unknown): value is Json & { readonly state: string } {
  if (typeof value !== 'object' || value === null) return false
  const { state, mailingSynchronizationId } = value as Json
  return typeof mailingSynchronizationId === 'string' && states.includes(state as string)
}

/** Another ID of the same form: the last digits are changed. */
function otherId(own: string, fraction: number): string {
  const digits = Math.floor(fraction * 16 ** 12)
    .toString(16)
    .padStart(12, '0')
  const start = own.slice(0, -digits.length)
  return start + digits === own ? `${start}${'f'.repeat(digits.length)}` : start + digits
}

/** The answer with the state changed, or removed, in the sending or in each sending of the collection. */
function withState(answer: Answer, change: (state: string) => string | undefined): Answer {
  const whole = parseBody(answer)
  if (whole === undefined) return answer
  const body = JSON.stringify(whole, (_, value) =>
    isSending(value) ? { ...value, state: change(value.state) } : value,
  )
  return withBody(answer, body)
}

/** Sendings in an answer are not what they should be. */
export const sendingFaults: readonly Fault[] = [
  define({
    name: 'foreign-sending',
    description:
      'A sending that is not the one asked for, as after a mix-up in a cache: its IDs, in body, links and Location, are others. Other responses are not changed.',
    settings: z.strictObject({
      change: z
        .array(z.enum(identities))
        .min(1)
        .default([...identities])
        .describe('Which of its IDs are others'),
    }),
    falsify(answer, { change }, context) {
      const sending = parseBody(answer)
      if (!isSending(sending)) return answer
      const location = Object.entries(answer.headers).find(([name]) => /^location$/i.test(name))?.[1]
      const others = new Map(
        change.flatMap(name => {
          const own = sending[name]
          return typeof own === 'string'
            ? [[own, otherId(own, context.fraction(`foreign ${name}`))] as const]
            : []
        }),
      )
      const inPath = (text: string) => {
        const segments = text.split('/')
        return segments.map(segment => others.get(segment) ?? segment).join('/')
      }
      const body = JSON.stringify(sending, (_, value) => (typeof value === 'string' ? inPath(value) : value))
      return withBody(answer, body, location === undefined ? {} : { Location: inPath(location) })
    },
  }),
  define({
    name: 'stateless-sending',
    description: 'Sendings without the member "state". Other responses are not changed.',
    falsify: answer => withState(answer, () => undefined),
  }),
  define({
    name: 'unknown-state',
    description: 'Sendings in a state that the document does not know. Other responses are not changed.',
    settings: z.strictObject({
      state: z
        .string()
        .regex(/^\w{1,50}$/, 'expected a word of letters, digits and underscores')
        .refine(state => !states.includes(state), {
          error: `expected a state that does not exist; ${states.join(', ')} do`,
        })
        .default('ACCEPTED')
        .describe('What "state" says'),
    }),
    falsify: (answer, { state }) => withState(answer, () => state),
  }),
  define({
    name: 'lower-case-state',
    description: 'Sendings whose state is written in small letters. Other responses are not changed.',
    falsify: answer => withState(answer, state => state.toLowerCase()),
  }),
]
