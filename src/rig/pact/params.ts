import { z } from 'zod'
import { instant } from '../../service/time.ts'
import { synchronization, truth } from '../../store/rows.ts'
import { strict } from '../../store/unknown-keys.ts'

/** The parameters of a state: those that it does not know are refused by name. */
export const params = strict

/** Verifiers before version 3 of the format, and names with a parameter in them, know texts only. */
const number = (least: number, form: string) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,15}$/)], { error: `expected ${form}` })
    .transform(Number)
    .refine(given => given >= least, `expected ${form}`)

export const seconds = number(0, 'whole seconds')
export const platformId = number(1, 'a whole number from 1').describe('Made up unless given')
export const status = number(400, 'a status from 400 to 599').refine(
  given => given <= 599,
  'expected a status from 400 to 599',
)

export const uuid = synchronization.shape.id.describe('A lower-case UUID; made up unless given')
export const text = z.string({ error: 'expected text' }).min(1, 'expected at least one character').max(200)
export const transactionId = z
  .string({ error: 'expected text' })
  .regex(/^[\w.:-]{1,100}$/, 'expected 1 to 100 letters, digits, dots, colons, hyphens and underscores')
export const sendingTruth = truth.describe('Whether the platform really sent it, whatever the state says')

const dateTimeForm = 'expected a date-time with its zone, such as 2035-03-01T09:30:00Z'
/** Read into UTC with milliseconds. */
export const dateTime = z.iso
  .datetime({ offset: true, error: dateTimeForm })
  .transform(given => instant(Date.parse(given)))
