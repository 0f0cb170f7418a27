import { keepBegunClock } from './beginnings.ts'
import { route } from './route.ts'

export const resetRoutes = [
  route({
    id: 'resetAll',
    method: 'POST',
    path: '/reset',
    rel: 'reset',
    summary: 'Every space back to its beginning',
    description:
      'Private copies are gone, requests that wait are let go with a 500 problem, counts are at zero.',
    async handle({ tools: { spaces, rigs, sidePorts } }) {
      await spaces.reset()
      await sidePorts.closeUnless(name => spaces.opened(name) !== undefined)
      for (const name of spaces.homes()) await keepBegunClock(await rigs.of(await spaces.space(name)))
      return undefined
    },
  }),
  route({
    id: 'resetSpace',
    method: 'POST',
    path: '/spaces/{space}/reset',
    rel: 'reset-space',
    summary: 'One space back to its beginning',
    description:
      'That of its fixture, or the one that a control call gave it. Requests that wait in it are let go with a 500 problem, the journal is empty, counts are at zero.',
    also: { 404: 'There is no such space' },
    async handle(call) {
      const { space } = await call.rig()
      const { spaces, rigs } = call.tools
      await keepBegunClock(await rigs.of(await spaces.resetOne(space.name)))
      return undefined
    },
  }),
]
