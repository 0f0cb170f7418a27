import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { earliest, latest } from '../clock.ts'
import { duration } from '../duration.ts'
import { setting } from '../settings.ts'
import type { SpaceRig } from '../space-rig.ts'
import { type Incoming, route } from './route.ts'
import { dateTime, document, members } from './shapes.ts'

const slowest = 0.001
const fastest = 1_000_000
export const rate = z
  .number({ error: `expected a number from ${slowest} to ${fastest}` })
  .min(slowest, `expected a number from ${slowest} to ${fastest}`)
  .max(fastest, `expected a number from ${slowest} to ${fastest}`)

const timeForm = 'expected a date-time with its zone, from year 0001 to 9999, such as 2026-03-01T09:30:00Z'
/** A date-time read into milliseconds since 1970. */
export const time = z
  .string({ error: timeForm })
  .pipe(z.iso.datetime({ offset: true, error: timeForm }))
  .refine(text => inRange(Date.parse(text)), timeForm)
  .transform(text => Date.parse(text))

function inRange(time: number): boolean {
  return time >= earliest && time <= latest
}

const yes = z.literal(true, { error: 'expected true' })

const turn = members({
  advance: duration.optional().describe('So far ahead: 5m, 1h30m or PT5M'),
  set: time.optional().describe('To this date-time, which may lie back'),
  freeze: yes.optional().describe('Stands still from now on; may accompany advance and set'),
  resume: yes.optional().describe('Goes on, at the rate that it had'),
  rate: rate.optional().describe('Seconds of the space for each real second'),
}).refine(isOneTurn, {
  error: ({ input }) =>
    `expected exactly one of advance, set, freeze, resume, rate (freeze may accompany advance or set); seen: ${Object.keys(input as object).join(', ') || 'none'}`,
})

type Turn = z.output<typeof turn>

function isOneTurn({ freeze, advance, set, resume, rate }: Readonly<Record<string, unknown>>): boolean {
  const others = [advance, set, resume, rate].filter(it => it !== undefined).length
  if (freeze === undefined) return others === 1
  return others === 0 || (others === 1 && (advance !== undefined || set !== undefined))
}

const clock = document({
  now: dateTime.describe("The space's time"),
  frozen: z.boolean(),
  rate: z.number().describe('Seconds of the space for each real second, when it is not frozen'),
  epoch: z.int().describe('How often it was moved by hand since the space began or the mock started'),
  due: z.array(dateTime).describe('Times that requests in the space wait for, the next one first'),
})

export const clockRoutes = [
  route({
    id: 'getClock',
    method: 'GET',
    path: '/spaces/{space}/clock',
    rel: 'clock',
    summary: "A space's time",
    answer: clock,
    also: { 404: 'There is no such space' },
    handle: async call => shown(call, await call.rig()),
  }),
  route({
    id: 'turnClock',
    method: 'POST',
    path: '/spaces/{space}/clock',
    summary: "Moves, freezes or paces a space's time",
    description:
      'Everything that falls due on the way is done, in order, before the call answers: delayed and late requests, sendings that become CREATED. Calls follow one another.',
    body: turn,
    example: { advance: '5m' },
    answer: clock,
    also: { 404: 'There is no such space' },
    async handle(call) {
      const rig = await call.rig()
      await turned(rig, call.body)
      await keepClock(rig)
      rig.events.tell({ type: 'clock', data: state(rig) })
      return shown(call, rig)
    },
  }),
]

async function turned(rig: SpaceRig, { advance, set, freeze, resume, rate }: Turn): Promise<void> {
  if (freeze) rig.clock.freeze()
  if (resume) rig.clock.resume()
  if (rate !== undefined) rig.clock.setRate(rate)
  if (set !== undefined) await rig.moveClock(set)
  if (advance !== undefined) {
    const end = rig.clock.now() + advance
    if (end > latest)
      throw problems.field('advance', `it would lead beyond ${text(latest)}; it is ${text(rig.clock.now())}`)
    await rig.moveClock(now => Math.min(latest, now + advance))
  }
}

/** On record before anybody is told, so that a restart goes on from there. */
export const keepClock = ({ space, clock }: SpaceRig): Promise<void> =>
  space.data.save({ settings: [setting('clock', clock.kept)] })

const text = (time: number) => new Date(time).toISOString()

export const state = ({ clock }: SpaceRig) => ({
  now: text(clock.now()),
  frozen: clock.isFrozen,
  rate: clock.kept.rate || clock.kept.pace,
  epoch: clock.epoch,
  due: clock.due.map(text),
})

const shown = (call: Incoming, rig: SpaceRig) => ({
  ...state(rig),
  _links: {
    self: call.spaceLink(rig.space.name, '/clock'),
    space: call.spaceLink(rig.space.name),
  },
})
