import { z } from 'zod'
import { members } from '../../rig/control/shapes.ts'
import { endQuery } from '../../rig/control/verdict.ts'
import { type Kind, kinds } from './lanes-selected.ts'

/** Which sendings are shown, and how. */
export const query = members({
  only: z.enum(Object.keys(kinds) as [Kind, ...Kind[]]).optional(),
  request: z.string().max(60, 'expected the ID of a request').optional(),
  as: z.enum(['lanes', 'rows']).default('lanes'),
  page: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'expected the number of a page, from 1')
    .transform(Number)
    .prefault('1'),
  ...endQuery,
})

export type SendingsQuery = z.output<typeof query>

/** The address of the same page with some of it otherwise. What is usual is left out. */
export function search(
  given: SendingsQuery,
  changed: Partial<Record<keyof SendingsQuery, string | number | undefined>>,
): string {
  const { believes, expected, workers } = given
  const all = {
    ...given,
    expected: believes && expected !== 1 ? expected : undefined,
    workers: believes && workers !== 1 ? workers : undefined,
    ...changed,
  }
  const pairs = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined || usual[name] === value ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const usual: Readonly<Record<string, unknown>> = { as: 'lanes', page: 1 }
