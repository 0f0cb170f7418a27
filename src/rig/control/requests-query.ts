import { z } from 'zod'
import { operationIds } from '../../service/operations.ts'
import { problems } from '../../service/problem.ts'
import { duration } from '../duration.ts'
import type { Journal } from '../journal.ts'
import { members } from './shapes.ts'

/** Longest page. */
const most = 1_000

/** A number as a query has it. */
export const wholeNumber = (least: number, greatest: number) => {
  const expected = `expected a whole number from ${least} to ${greatest}`
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number)
    .refine(given => given >= least && given <= greatest, expected)
}

const position = z
  .string()
  .regex(
    /^(?:\d{1,9}|r\d{1,12}-\d{1,12})$/,
    'expected a number of a request, such as 12, or its id, such as r0-12',
  )

const filters = {
  operation: z.enum(operationIds).optional(),
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, 'expected a status such as 201, or a class of them such as 5xx')
    .optional()
    .describe(
      'Of an answer that left whole: 201, or a class such as 5xx. One that was withheld or cut has none',
    ),
  transactionId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('That a sending was to be created with; a star at the end makes it a prefix'),
  synchronizationId: z.string().min(1).max(200).optional(),
  delivered: z.enum(['open', 'handed', 'cut', 'none', 'aborted', 'server-stopped']).optional(),
  scenario: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the scenario, or ID of the one-shot fault, that struck'),
  since: position.optional().describe('Only requests after this one: its number or id'),
}

export const listQuery = members({
  ...filters,
  before: position.optional().describe('Only requests before this one: its number or id'),
  limit: wholeNumber(1, most).prefault('100').describe(`How many at most: 1 to ${most}, 100 unless given`),
  order: z.enum(['oldest', 'newest']).default('oldest').describe('Which come first'),
})

const longestWait = 60_000

export const waitQuery = members({
  ...filters,
  count: wholeNumber(1, most).prefault('1').describe(`For how many: 1 to ${most}, 1 unless given`),
  timeout: duration
    .prefault('5s')
    .refine(length => length <= longestWait, 'expected a duration of at most 60s')
    .describe('For how long, in real time: at most 60s, 5s unless given'),
  state: z
    .enum(['closed', 'opened'])
    .default('closed')
    .describe('Whether they must have ended, or need only have come'),
})

/**
 * The number that a position stands for.
 * @throws Problem 400 for an ID that is not kept
 */
export function numberOf(journal: Journal, field: 'since' | 'before', position: string): number {
  if (/^\d/.test(position)) return Number(position)
  const entry = journal.find(position)
  if (entry) return entry.number
  throw problems.field(
    field,
    `there is no request ${position} here, or it had to make room; its number is possible even then`,
  )
}
