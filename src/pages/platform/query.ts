import { z } from 'zod'
import { members } from '../../rig/control/shapes.ts'
import { type PlatformKind, platformKinds } from './rows.ts'

const id = z.string().min(1).max(200, 'expected at most 200 characters')

/** What of the ledger is shown. What the control call at the same address knows is called as there. */
export const query = members({
  only: z.enum(Object.keys(platformKinds) as [PlatformKind, ...PlatformKind[]]).optional(),
  synchronizationId: id.optional(),
  transactionId: id.optional(),
  seeded: z.enum(['true', 'false']).default('false'),
  page: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'expected the number of a page, from 1')
    .transform(Number)
    .prefault('1'),
})

export type PlatformQuery = z.output<typeof query>

const usual: Readonly<Record<string, unknown>> = { seeded: 'false', page: 1 }

/** The query of the same page with some of it otherwise. What is usual is left out. */
export function pairsOf(
  given: PlatformQuery,
  changed: { readonly [Name in keyof PlatformQuery]?: PlatformQuery[Name] | undefined },
): Record<string, string> {
  const pairs = Object.entries({ ...given, ...changed }).flatMap(([name, value]): [string, string][] =>
    value === undefined || usual[name] === value ? [] : [[name, String(value)]],
  )
  return Object.fromEntries(pairs)
}
