import { z } from 'zod'
import { readDials } from '../service/dials.ts'
import type { Fixture } from '../store/rows.ts'
import { defined } from './beginning.ts'
import { earliest, latest } from './clock.ts'

/** Rates that a clock can have, in seconds of the space for each real second; 0 is frozen. */
export const slowestRate = 0.001
export const fastestRate = 1_000_000

const time = z.number().min(earliest).max(latest)
const pace = z.number().min(slowestRate).max(fastestRate)
const clock = z.strictObject({
  space: time.optional(),
  source: time.optional(),
  rate: z.union([z.literal(0), pace]).optional(),
  pace: pace.optional(),
})

/** What a fixture says of scenarios and settings that cannot be so. */
export interface WrongSetting {
  /** Path of the member. */
  readonly path: string
  readonly problem: string
}

/** Finds scenarios: by the list of names, and one by one. */
interface Known {
  readonly has: (name: string) => boolean
  /** @throws an error that lists the names there are */
  readonly get: (name: string) => unknown
}

/**
 * The first thing that is wrong with what a fixture says of scenarios, clock and dials: a setting that is silently without
 * effect would make every test on it worthless.
 */
export async function wrongSetting(fixture: Fixture, scenarios: Known): Promise<WrongSetting | undefined> {
  for (const [at, { scenario }] of (fixture.testSynchronizations ?? []).entries()) {
    // Names are enough: reading the whole catalogue would take longer than everything else.
    const problem = scenarios.has(scenario) ? undefined : await refusal(() => scenarios.get(scenario))
    if (problem !== undefined) return { path: `testSynchronizations[${at}].scenario`, problem }
  }
  for (const [at, { name, value }] of (fixture.settings ?? []).entries()) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    const problem = check
      ? await check(value, scenarios)
      : `"${name}" is no setting; possible: ${Object.keys(checks).join(', ')}`
    if (problem !== undefined) return { path: `settings[${at}]`, problem }
  }
  return undefined
}

type Check = (value: unknown, scenarios: Known) => string | undefined | Promise<string | undefined>

const checks: Readonly<Record<string, Check>> = {
  clock: value => {
    const { error } = clock.safeParse(value)
    const [issue] = error?.issues ?? []
    return issue && `clock${issue.path.length > 0 ? `.${issue.path.join('.')}` : ''}: ${issue.message}`
  },
  scenario: (value, scenarios) => {
    if (value === null) return undefined
    if (typeof value === 'string') return refusal(() => scenarios.get(value))
    if (typeof value === 'object') return refusal(() => defined(value))
    return 'scenario: expected the name of a scenario, its definition, or null'
  },
  dials: value => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) return 'dials: expected an object with the names of dials'
    return refusal(() => readDials(value as Record<string, string>))
  },
  // Read where it is used; it says nothing that could be without effect.
  beginning: () => undefined,
}

async function refusal(read: () => unknown): Promise<string | undefined> {
  try {
    await read()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
