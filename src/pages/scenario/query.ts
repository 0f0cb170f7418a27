import { z } from 'zod'
import { members } from '../../rig/control/shapes.ts'

/** What of the catalogue is shown. */
export const scenarioQuery = members({
  find: z.string().max(200, 'expected at most 200 characters').optional(),
  tag: z.string().max(200, 'expected at most 200 characters').optional(),
  page: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'expected the number of a page, from 1')
    .transform(Number)
    .prefault('1'),
})

export type ScenarioQuery = z.output<typeof scenarioQuery>
