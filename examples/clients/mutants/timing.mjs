import { ask } from '../reference/exchange.mjs'
import { retryAfter } from '../reference/retry-after.mjs'
import { careful } from '../reference/send.mjs'

/** @import { Mutant } from './mutant.d.ts' */

/**
 * Faults in when and how often it asks.
 * @type {readonly Mutant[]}
 */
export const timingMutants = [
  {
    id: 'M9',
    fault: 'Doubles its pauses ten times, without a limit in time: about 17 minutes also for PENDING.',
    rules: ['R09'],
    scenario: 'pending-for-ever',
    policy: {
      decide(heard, intent, options, policy) {
        const isFinal = heard.kind === 'refused' || (heard.kind === 'state' && heard.state !== 'PENDING')
        if (isFinal) return careful.decide(heard, intent, options, policy)
        if (intent.attempts > 10) return { do: 'end', outcome: 'unknown' }
        return { do: 'repeat', pause: Math.max(heard.notBefore, 1000 * 2 ** (intent.attempts - 1)) }
      },
    },
  },
  {
    id: 'M10',
    fault: 'Stops after three attempts, and takes that for "not sent".',
    rules: ['R10', 'R11'],
    scenario: 'pending-for-ever',
    policy: {
      decide(heard, intent, options, policy) {
        const isOpen = heard.kind === 'nothing' || (heard.kind === 'state' && heard.state === 'PENDING')
        return isOpen && intent.attempts >= 3
          ? { do: 'end', outcome: 'not-sent' }
          : careful.decide(heard, intent, options, policy)
      },
    },
  },
  {
    id: 'M13',
    fault: 'Always pauses five seconds.',
    rules: ['R16'],
    scenario: 'error-500-seven-times',
    policy: { pause: (_, heard) => Math.max(heard.notBefore, 5000) },
  },
  {
    id: 'M14',
    fault: 'Does not pause after timeouts and 5xx.',
    rules: ['R15'],
    scenario: 'error-500-seven-times',
    policy: {
      pause: (nth, heard, options) =>
        heard.kind === 'nothing' ? heard.notBefore : careful.pause(nth, heard, options),
    },
  },
  {
    id: 'M15',
    fault: 'Sends a second request when the first one has not been answered after a second.',
    rules: ['R17'],
    scenario: 'slow-but-fine-29s',
    policy: {
      async exchange(asking, options) {
        const answered = new AbortController()
        const first = careful.exchange(asking, options)
        const second = options
          .sleep(1000, answered.signal)
          .then(() => (answered.signal.aborted ? first : careful.exchange(asking, options)))
        return Promise.race([first, second]).finally(() => answered.abort())
      },
    },
  },
  {
    id: 'M24',
    fault: 'Does not look at Retry-After.',
    rules: ['R18'],
    scenario: 'unavailable-retry-after-two-minutes',
    policy: {
      decide: (heard, ...rest) => careful.decide({ ...heard, notBefore: 0 }, ...rest),
    },
  },
  {
    id: 'M26',
    fault: 'Has a time limit for the headers only: a body that stops halfway holds it for ever.',
    rules: [],
    scenario: 'stalled-body',
    policy: {
      async exchange(asking, options) {
        const leaving = new AbortController()
        const headers = new AbortController()
        void options.sleep(30_000, headers.signal).then(() => headers.signal.aborted || leaving.abort())
        /** @type {typeof options.fetch} */
        const fetch = async (url, init) => options.fetch(url, init).finally(() => headers.abort())
        return ask(asking, { ...options, fetch }, { signal: leaving.signal }).catch(() => undefined)
      },
    },
  },
  {
    id: 'M27',
    fault: 'Retries at two layers: three quick tries below each of its attempts.',
    rules: ['R27'],
    scenario: 'error-500-seven-times',
    policy: {
      async exchange(asking, options) {
        for (let nth = 1; ; nth++) {
          const answer = await careful.exchange(asking, options)
          const isLost = !answer || (answer.status >= 500 && retryAfter(answer.headers) === 0)
          if (!isLost || nth === 3) return answer
          await options.sleep(200)
        }
      },
    },
  },
]
