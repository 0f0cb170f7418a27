import { z } from 'zod'
import { settingRow } from '../rig/space-settings.ts'
import type { RigView } from '../rig/space-view.ts'
import { type DialName, type DialValues, dialNames, dials } from '../service/dials.ts'
import { route, type SpaceCall } from './route.ts'
import { document, members } from './schemas.ts'

const values = (name: DialName) => Object.keys(dials[name].values) as [string, ...string[]]

export const someDials = members(
  Object.fromEntries(
    dialNames.map(name => [name, z.enum(values(name)).optional().describe(dials[name].description)]),
  ),
)

/** The same, typed as a space stores it. */
export const changedDials = someDials.transform(given => given as Partial<DialValues>)

const allDials = z.strictObject(
  Object.fromEntries(dialNames.map(name => [name, z.enum(values(name)).describe(dials[name].description)])),
)

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

export const dialRoutes = [
  route('GET /dials', 'listDials', {
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
  route('GET /spaces/{space}/dials', 'getDials', {
    rel: 'space-dials',
    summary: 'How the dials of a space stand',
    answer: dialsOfSpace,
    handle: async call => toDialsDocument(call, await call.rig()),
  }),
  route('PUT /spaces/{space}/dials', 'putDials', {
    summary: 'Turns the dials of a space; those that are left out go back',
    body: changedDials,
    example: { 'error-body': 'minimal' },
    answer: dialsOfSpace,
    async handle(call) {
      const rig = await call.rig()
      const { data } = rig.space
      data.save({ settings: [settingRow('dials', call.body)] })
      await data.durable
      rig.refreshDials()
      return toDialsDocument(call, rig)
    },
  }),
]

const toDialsDocument = (call: SpaceCall, rig: RigView): z.input<typeof dialsOfSpace> => ({
  turned: rig.settings.dials,
  effective: { ...rig.dials(rig.scenarios.active?.scenario) },
  _links: { ...call.spaceLinks('/dials', 'space'), dials: call.link('/dials') },
})
