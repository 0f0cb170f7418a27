import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { instant } from '../../service/time.ts'
import { latest } from '../clock.ts'
import { duration } from '../duration.ts'
import type { SpaceRig } from '../space-rig.ts'
import { clockState, keepClock, rate, stateOfClock, time } from './clock-state.ts'
import { type Incoming, route } from './route.ts'
import { document, members } from './shapes.ts'

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

const clock = document(clockState)

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
      rig.events.tell({ type: 'clock', data: stateOfClock(rig) })
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
      throw problems.field(
        'advance',
        `it would lead beyond ${instant(latest)}; it is ${instant(rig.clock.now())}`,
      )
    await rig.moveClock(now => Math.min(latest, now + advance))
  }
}

const shown = (call: Incoming, rig: SpaceRig) => ({
  ...stateOfClock(rig),
  _links: {
    self: call.spaceLink(rig.space.name, '/clock'),
    space: call.spaceLink(rig.space.name),
  },
})
