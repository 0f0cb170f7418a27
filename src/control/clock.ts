import { z } from 'zod'
import { earliestTime, latestTime } from '../rig/clock.ts'
import { duration } from '../rig/duration.ts'
import { saveClock } from '../rig/rigs.ts'
import { letSocketsRun } from '../rig/sockets.ts'
import { fastestRate, slowestRate } from '../rig/space-settings.ts'
import type { SpaceView } from '../rig/space-view.ts'
import { problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import { route, type SpaceCall } from './route.ts'
import { dateTime, document, members } from './schemas.ts'

const rateForm = `expected a number from ${slowestRate} to ${fastestRate}`
/** Seconds of the space per real second. */
export const rate = z.number({ error: rateForm }).min(slowestRate, rateForm).max(fastestRate, rateForm)

const timeForm = 'expected a date-time with its zone, from year 0001 to 9999, such as 2026-03-01T09:30:00Z'
const isPossible = (text: string) => Date.parse(text) >= earliestTime && Date.parse(text) <= latestTime
/** A date-time, parsed to milliseconds since 1970. */
export const time = z.iso
  .datetime({ offset: true, error: timeForm, abort: true })
  .refine(isPossible, timeForm)
  .transform(text => Date.parse(text))

/** The state of a space's clock, as answers and events show it. */
export const clockState = {
  now: dateTime.describe("The space's time"),
  frozen: z.boolean(),
  rate: z.number().describe('Seconds of the space for each real second, when it is not frozen'),
  epoch: z
    .int()
    .describe(
      'Changes whenever the clock is moved or set by hand. The difference says nothing; it starts again with the space and with the process',
    ),
  due: z.array(dateTime).describe('Times that requests in the space wait for, the next one first'),
}

export const readClockState = ({ clock }: SpaceView) => ({
  now: formatDateTime(clock.now()),
  frozen: clock.isFrozen,
  rate: clock.rate || clock.stored.pace,
  epoch: clock.epoch,
  due: clock.due.map(formatDateTime),
})

const yes = z.literal(true, { error: 'expected true' })

const clockChange = members({
  advance: duration.optional().describe('So far ahead: 5m, 1h30m or PT5M'),
  set: time.optional().describe('To this date-time, which may lie back'),
  freeze: yes.optional().describe('Stands still from now on; may accompany advance and set'),
  resume: yes.optional().describe('Goes on, at the rate that it had'),
  rate: rate.optional().describe('Seconds of the space for each real second'),
}).refine(isOneChange, {
  when: ({ issues }) => issues.length === 0,
  error: ({ input }) =>
    `expected exactly one of advance, set, freeze, resume, rate (freeze may accompany advance or set), got ${Object.keys(input as object).join(', ') || 'nothing'}`,
})

function isOneChange(change: object): boolean {
  const count = Object.keys(change).length
  return count === 1 || (count === 2 && 'freeze' in change && ('advance' in change || 'set' in change))
}

const clock = document(clockState)

export const clockRoutes = [
  route('GET /spaces/{space}/clock', 'getClock', {
    rel: 'clock',
    summary: "A space's time",
    answer: clock,
    handle: async call => toClockDocument(call, await call.rig()),
  }),
  route('POST /spaces/{space}/clock', 'turnClock', {
    summary: "Moves, freezes or paces a space's time",
    description:
      'Everything that falls due on the way is done, in order, before the call answers: delayed and late requests, sendings that become CREATED. Calls follow one another.',
    body: clockChange,
    example: { advance: '5m' },
    answer: clock,
    async handle(call) {
      // What clients have done counts by the time before.
      await letSocketsRun()
      const rig = await call.rig()
      const { clock } = rig
      const { advance, set, freeze, resume, rate } = call.body
      if (advance !== undefined && clock.now() + advance > latestTime)
        throw problems.field(
          'advance',
          `it would lead beyond ${formatDateTime(latestTime)}; it is ${formatDateTime(clock.now())}`,
        )
      const before = clock.stored
      try {
        clock.at(call.changesAt, () => {
          if (freeze) clock.freeze()
          if (resume) clock.resume()
          if (rate !== undefined) clock.setRate(rate)
        })
        if (set !== undefined) await rig.moveClock(set)
        if (advance !== undefined) await rig.moveClock(now => Math.min(latestTime, now + advance))
        await saveClock(rig)
      } catch (error) {
        clock.restore(before)
        throw error
      }
      rig.events.emit({ type: 'clock', data: readClockState(rig) })
      return toClockDocument(call, rig)
    },
  }),
]

const toClockDocument = (call: SpaceCall, rig: SpaceView) => ({
  ...readClockState(rig),
  _links: call.spaceLinks('/clock', 'space'),
})
