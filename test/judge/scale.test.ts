import { describe, expect, test } from 'vitest'
import type { Attempt, IntendedResponse } from '../../src/judge/attempt.ts'
import type { Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import type { ShownSending } from '../../src/service/operation.ts'
import { onCreate } from '../rig/stage.ts'
import { sendingsPath, trial } from './stage.ts'

const client = await trial([onCreate([{ state: 'PENDING' }], { when: { transactionId: 'one' } })])
await client.post({ transactionId: 'one' })
const { id } = await client.post({ transactionId: 'two' })
await client.get(`${sendingsPath}/${id}`)
const evidence = await client.evidence()
const untimed = evidence.attempts.map(({ ended, ...rest }): Omit<Attempt, 'ended'> => rest)
const [pending, created, read] = [untimed[0]!, untimed[1]!, untimed[2]!]

const told = (status: number, state?: 'FAILED' | 'PENDING'): IntendedResponse => ({
  ...pending.response!,
  status,
  state,
  stateText: state,
})
const error = { response: told(500), truth: { status: 500, state: undefined } }
const refused = { response: told(400), truth: { status: 400, state: undefined } }
const failed = { response: told(200, 'FAILED') }
const redirected = { response: told(301), truth: undefined }
const lost = { response: undefined, truth: undefined, delivered: 'cut' as const }
const anew = (nth: number) => ({ transactionId: `nth-${nth}` })
const sighting: ShownSending = { sendingId: id, transactionId: 'one', state: 'PENDING' }
const look = { ...read, response: { ...read.response!, sightings: [sighting] } }
const list = { ...look, operation: 'listSendings' as const }
const even = (nth: number) => nth % 2 === 0
/** Each a second after the one before. */
const at = (nth: number, took = 0) => ({
  real: pending.arrived.real + nth * 1_000 + took,
  clock: pending.arrived.clock + nth * 1_000 + took,
})
/** So long that nobody knows whether its answer was received. */
const slow = (nth: number) => ({ ended: at(nth, 900) })

/** What each of any number of requests is like: on a connection of its own, and answered at once. */
const shapes: Record<string, (nth: number) => Partial<Attempt>> = {
  'one transaction that is PENDING': () => ({}),
  'one transaction that is CREATED': () => created,
  'one transaction that gets errors': () => error,
  'one transaction that is refused': () => refused,
  'one transaction whose payload changes': nth => ({
    ...created,
    request: { ...created.request, payload: { ...created.request.payload!, content: { subject: `${nth}` } } },
  }),
  'one transaction that gets errors, then is CREATED': nth =>
    nth < 150 ? { ...created, ...error } : created,
  'requests that never end': () => ({ ended: undefined, response: undefined, delivered: 'open' }),
  'requests that all overlap': () => ({ ended: { real: 1e15, clock: 1e15 } }),
  'new transactions while PENDING': anew,
  'new transactions after FAILED': nth => ({ ...anew(nth), ...failed }),
  'new transactions after silence': nth => ({ ...anew(nth), ...lost }),
  'new transactions after a refusal': nth => ({ ...anew(nth), ...refused }),
  'an old transaction and new ones by turns': nth => ({ ...(even(nth) ? {} : anew(nth)), ...error }),
  'an old transaction that is refused and new ones by turns': nth => ({
    ...(even(nth) ? {} : anew(nth)),
    ...refused,
  }),
  'an old transaction and new ones by turns, in doubt': nth => ({
    ...slow(nth),
    ...(even(nth) ? {} : anew(nth)),
  }),
  'requests without a transactionId': () => ({ ...created, transactionId: undefined }),
  'requests of another mailing each': nth => ({
    ...anew(nth),
    ...error,
    request: { ...pending.request, payload: { ...pending.request.payload!, content: { subject: `${nth}` } } },
  }),
  'reads of one sending': nth => (nth % 3 === 0 ? created : look),
  'reads of a sending that nobody made': nth =>
    nth === 0 ? created : { ...look, target: `${sendingsPath}/x` },
  'reads between new transactions': nth => (even(nth) ? { ...anew(nth), ...lost } : look),
  'reads of the old transaction between new ones': nth =>
    [error, look, { ...anew(nth), ...error }, list][nth % 4]!,
  'redirects that were followed': nth => (even(nth) ? redirected : { ...look, method: 'GET' }),
  'refusals of different requests by turns': nth => ({
    ...refused,
    transactionId: `nth-${nth % 100}`,
    request: { ...pending.request, bytes: `${nth % 100}` },
  }),
  'refusals because nothing is approved': nth => ({
    ...anew(nth),
    response: { ...told(409), problem: 'not-ready-for-sending' },
    truth: { status: 409, state: undefined },
  }),
}

const ends: Record<string, ClientEnd | undefined> = {
  'nobody says what was meant': undefined,
  'one mailing was meant': { believes: 'unknown' },
  'so many mailings were meant that each may be one': { believes: 'sent', expected: 100_000 },
}

/** How often anything of the requests is looked at in a verdict on so many of them. */
function looksAt(
  count: number,
  shape: (nth: number) => Partial<Attempt>,
  end: ClientEnd | undefined,
): number {
  let looks = 0
  const counted = (attempt: Attempt): Attempt =>
    new Proxy(attempt, {
      get(target, member) {
        looks++
        return target[member as keyof Attempt]
      },
    })
  const attempts = Array.from({ length: count }, (_, nth) => {
    const number = nth + 1
    // The first one made the sending.
    const own = { id: nth === 0 ? created.id : `r${nth}`, number, connection: number, arrived: at(nth) }
    return counted({ ...pending, ended: at(nth, 1), ...shape(nth), ...own })
  })
  judge({ ...evidence, attempts } satisfies Evidence, end)
  return looks
}

describe.each(Object.entries(ends))(
  'where %s, each request is looked at as often, however many there are',
  (_, end) => {
    test.each(Object.entries(shapes))('%s', (_, shape) => {
      expect(looksAt(800, shape, end) / looksAt(200, shape, end)).toBeLessThan(4.6)
    })
  },
)
