import { z } from 'zod'
import { dialNames, dials } from '../../service/dials.ts'
import { setting } from '../settings.ts'
import type { SpaceRig } from '../space-rig.ts'
import { allDials, someDials, turnedDials } from './dial-shapes.ts'
import { type Incoming, route } from './route.ts'
import { document } from './shapes.ts'

const dial = z.strictObject({
  name: z.string(),
  description: z.string(),
  clause: z.string().describe('Of the fidelity register'),
  default: z.string(),
  values: z.record(z.string(), z.string()).describe('What it can be turned to, each with what it means'),
})

const dialsOfSpace = document({
  turned: someDials.describe('By this space itself'),
  effective: allDials.describe('What holds now, with those of all spaces and of the scenario in force'),
})

const also = { 404: 'There is no such space' }

export const dialRoutes = [
  route({
    id: 'listDials',
    method: 'GET',
    path: '/dials',
    rel: 'dials',
    summary: 'The points where the document is silent, and what can be chosen there',
    answer: document({ _embedded: z.strictObject({ dials: z.array(dial) }) }),
    handle: call => ({
      _embedded: {
        dials: dialNames.map(name => ({ name, ...dials[name], values: { ...dials[name].values } })),
      },
      _links: { self: call.link('/dials') },
    }),
  }),
  route({
    id: 'getDials',
    method: 'GET',
    path: '/spaces/{space}/dials',
    rel: 'space-dials',
    summary: 'How the dials of a space stand',
    answer: dialsOfSpace,
    also,
    handle: async call => shown(call, await call.rig()),
  }),
  route({
    id: 'putDials',
    method: 'PUT',
    path: '/spaces/{space}/dials',
    summary: 'Turns the dials of a space; those that are left out go back',
    body: turnedDials,
    example: { 'error-body': 'minimal' },
    answer: dialsOfSpace,
    also,
    async handle(call) {
      const rig = await call.rig()
      await rig.space.data.save({ settings: [setting('dials', call.body)] })
      rig.dialsTurned()
      return shown(call, rig)
    },
  }),
]

const shown = (call: Incoming, rig: SpaceRig): z.input<typeof dialsOfSpace> => ({
  turned: rig.settings.dials,
  effective: { ...rig.dials(rig.armed?.scenario) },
  _links: {
    self: call.spaceLink(rig.space.name, '/dials'),
    space: call.spaceLink(rig.space.name),
    dials: call.link('/dials'),
  },
})
