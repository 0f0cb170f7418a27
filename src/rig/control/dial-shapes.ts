import { z } from 'zod'
import { type DialName, type DialValues, dialNames, dials } from '../../service/dials.ts'
import { members } from './shapes.ts'

const values = (name: DialName) => Object.keys(dials[name].values) as [string, ...string[]]

/** Some dials with what they are turned to. */
export const someDials = members(
  Object.fromEntries(
    dialNames.map(name => [name, z.enum(values(name)).optional().describe(dials[name].description)]),
  ),
)

/** The same, as a space keeps it. */
export const turnedDials = someDials.transform(given => given as Partial<DialValues>)

/** All dials with what they stand at. */
export const allDials = z.strictObject(
  Object.fromEntries(dialNames.map(name => [name, z.enum(values(name)).describe(dials[name].description)])),
)
