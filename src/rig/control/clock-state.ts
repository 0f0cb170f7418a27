import { z } from 'zod'
import { instant } from '../../service/time.ts'
import { earliest, latest } from '../clock.ts'
import { setting } from '../settings.ts'
import { fastestRate, slowestRate } from '../settings-check.ts'
import type { SpaceRig } from '../space-rig.ts'
import { dateTime } from './shapes.ts'

const rateForm = `expected a number from ${slowestRate} to ${fastestRate}`
/** Seconds of the space for each real second. */
export const rate = z.number({ error: rateForm }).min(slowestRate, rateForm).max(fastestRate, rateForm)

const timeForm = 'expected a date-time with its zone, from year 0001 to 9999, such as 2026-03-01T09:30:00Z'
const isPossible = (text: string) => Date.parse(text) >= earliest && Date.parse(text) <= latest
/** A date-time, read into milliseconds since 1970. */
export const time = z.iso
  .datetime({ offset: true, error: timeForm })
  .refine(isPossible, timeForm)
  .transform(text => Date.parse(text))

/** How a space's clock stands, as answers and events show it. */
export const clockState = {
  now: dateTime.describe("The space's time"),
  frozen: z.boolean(),
  rate: z.number().describe('Seconds of the space for each real second, when it is not frozen'),
  epoch: z
    .int()
    .describe(
      'Another number whenever it was moved or turned by hand. By how much it grows says nothing; it begins anew with the space and with the process',
    ),
  due: z.array(dateTime).describe('Times that requests in the space wait for, the next one first'),
}

export const stateOfClock = ({ clock }: SpaceRig) => ({
  now: instant(clock.now()),
  frozen: clock.isFrozen,
  rate: clock.rate || clock.kept.pace,
  epoch: clock.epoch,
  due: clock.due.map(instant),
})

/** On record before anybody is told, so that a restart goes on from there. */
export const keepClock = ({ space, clock }: SpaceRig): Promise<void> | undefined =>
  space.data.save({ settings: [setting('clock', clock.kept)] })
