import { careful, clientWith } from '../reference/send.mjs'

/** @import { Send } from '../client.d.ts' */
/** @import { Answer, Next, Policy } from '../reference/policy.d.ts' */

/**
 * What a client sees in an answer, in one word.
 * @param {Answer | undefined} answer
 * @param {ReturnType<Policy['hear']>} heard
 */
function sight(answer, heard) {
  if (!answer) return 'silence'
  if (heard.kind === 'state') return heard.state
  if (answer.status === 200) return /html/.test(answer.headers.get('content-type') ?? '') ? 'page' : 'damaged'
  return answer.status === 201 ? 'damaged' : String(answer.status)
}

/** @type {(pause?: number) => Next} */
const recreate = (pause = 5_000) => ({ do: 'recreate', pause })
/** @type {(pause?: number) => Next} */
const repeat = (pause = 5_000) => ({ do: 'repeat', pause })
/** @type {(outcome: import('../client.d.ts').Outcome) => Next} */
const end = outcome => ({ do: 'end', outcome })

/**
 * Clients that make a mistake only where two troubles meet, one right after the other: each of them alone is handled as
 * the document says. `rule` is what they break, `plan` a plan of an
 * exploration in which they do.
 * @type {readonly { readonly id: string, readonly first: string, readonly second: string, readonly fault: string, readonly rule: string, readonly plan: string, readonly next: Next }[]}
 */
export const pairs = [
  ['429', 'silence', 'takes a new transaction ID', 'R02', 'limited-nothing+reset-nothing', recreate()],
  ['429', 'FAILED', 'repeats the same transaction ID', 'R06', 'limited-nothing+told-failed', repeat()],
  ['429', 'PENDING', 'believes that it is sent', 'R24', 'limited-nothing+told-pending', end('sent')],
  [
    '429',
    'INDETERMINATE_FAILURE',
    'takes a new transaction ID',
    'R04',
    'limited-nothing+told-unsure-sent',
    recreate(),
  ],
  ['page', 'silence', 'takes a new transaction ID', 'R02', 'maintenance-nothing+reset-nothing', recreate()],
  ['page', 'FAILED', 'repeats the same transaction ID', 'R06', 'maintenance-nothing+told-failed', repeat()],
  ['FAILED', 'silence', 'takes a new transaction ID', 'R02', 'told-failed+reset-nothing', recreate()],
  [
    'FAILED',
    '500',
    'gives up and believes that nothing was sent',
    'R11',
    'told-failed+500-nothing',
    end('not-sent'),
  ],
  ['FAILED', 'damaged', 'takes a new transaction ID', 'R02', 'told-failed+json-pending', recreate()],
  ['PENDING', 'silence', 'takes a new transaction ID', 'R03', 'told-pending+reset-nothing', recreate()],
  ['PENDING', '429', 'takes a new transaction ID', 'R03', 'told-pending+limited-nothing', recreate()],
  ['301', 'PENDING', 'believes that it is sent', 'R24', 'redirect-301-nothing+told-pending', end('sent')],
  [
    'silence',
    '400',
    'believes that nothing was sent',
    'wrong-belief',
    'reset-sent+refused-nothing',
    end('not-sent'),
  ],
].map(([first, second, fault, rule, plan, next], at) => ({
  id: `P${at + 1}`,
  first: /** @type {string} */ (first),
  second: /** @type {string} */ (second),
  fault: `After ${first} and then ${second} it ${fault}.`,
  rule: /** @type {string} */ (rule),
  plan: /** @type {string} */ (plan),
  next: /** @type {Next} */ (next),
}))

/**
 * The client with that mistake.
 * @param {(typeof pairs)[number]} pair
 * @returns {Send}
 */
export const clientOfPair =
  ({ first, second, next }) =>
  options => {
    /** @type {string[]} */
    const seen = []
    return clientWith({
      ...careful,
      hear(answer, intent) {
        const heard = careful.hear(answer, intent)
        seen.push(sight(answer, heard))
        return heard
      },
      decide(heard, intent, ...rest) {
        const isMistaken = seen.length === 2 && seen[0] === first && seen[1] === second
        return isMistaken ? next : careful.decide(heard, intent, ...rest)
      },
    })(options)
  }
