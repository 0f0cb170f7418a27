import { z } from 'zod'
import { type DialValues, readDials } from '../service/dials.ts'
import type { Tables } from '../store/content.ts'
import type { FixtureProblem } from '../store/fixtures.ts'
import type { Fixture, Setting } from '../store/rows.ts'
import { earliestTime, latestTime, type StoredClock } from './clock.ts'
import type { Scenarios } from './scenarios/library.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** Settings of a space that survive a restart: rows of the table `settings`. */
export interface SpaceSettings {
  readonly clock: Partial<StoredClock> | undefined
  /** Name or definition of the scenario in force; null for none; undefined if nothing is set. */
  readonly scenario: string | object | null | undefined
  readonly dials: Partial<DialValues>
}

/** Reads the stored settings. Invalid ones count as missing, since only the mock itself writes them. */
export function readSettings({ settings }: Tables): SpaceSettings {
  const value = (name: keyof SpaceSettings): unknown => settings.get(name)?.value
  const scenario = value('scenario')
  return {
    clock: clockSchema.safeParse(value('clock')).data as Partial<StoredClock> | undefined,
    scenario: typeof scenario === 'string' || typeof scenario === 'object' ? scenario : undefined,
    dials: (value('dials') ?? {}) as Partial<DialValues>,
  }
}

/** The row that stores a setting; null removes it. */
export const settingRow = (name: keyof SpaceSettings, value: unknown): Setting => ({
  name,
  value: value as Setting['value'],
})

/** The scenario of a complete definition given by a control call. */
export async function scenarioFromDefinition(definition: object): Promise<Scenario> {
  const { scenarioFrom } = await import('./scenarios/read.ts')
  return scenarioFrom(definition, 'own-definition', 'the definition given for this space')
}

/** Limits for the rate of a clock, in seconds of the space per real second; 0 is frozen. */
export const slowestRate = 0.001
export const fastestRate = 1_000_000

const timeSchema = z.number().min(earliestTime).max(latestTime)
const rateSchema = z.number().min(slowestRate).max(fastestRate)
const clockSchema = z.strictObject({
  space: timeSchema.optional(),
  source: timeSchema.optional(),
  rate: z.union([z.literal(0), rateSchema]).optional(),
  pace: rateSchema.optional(),
})

/**
 * The first invalid scenario, clock or dial in a fixture. A setting without effect would make every test that relies on
 * it worthless.
 */
export async function findWrongSetting(
  fixture: Fixture,
  scenarios: Pick<Scenarios, 'get' | 'has'>,
): Promise<FixtureProblem | undefined> {
  for (const [at, { scenario }] of (fixture.testSynchronizations ?? []).entries()) {
    // Names are enough; reading the whole catalogue would be slow.
    const problem = scenarios.has(scenario) ? undefined : await refusal(() => scenarios.get(scenario))
    if (problem !== undefined) return { path: `testSynchronizations[${at}].scenario`, problem }
  }
  for (const [at, { name, value }] of (fixture.settings ?? []).entries()) {
    const check = Object.hasOwn(settingChecks, name) ? settingChecks[name] : undefined
    const problem = check
      ? await check(value, scenarios)
      : `"${name}" is no setting; possible: ${Object.keys(settingChecks).join(', ')}`
    if (problem !== undefined) return { path: `settings[${at}]`, problem }
  }
  return undefined
}

type SettingCheck = (value: unknown, scenarios: Pick<Scenarios, 'get' | 'has'>) => Promise<string | undefined>

const settingChecks: Readonly<Record<string, SettingCheck>> = {
  async clock(value) {
    const { error } = clockSchema.safeParse(value)
    const [issue] = error?.issues ?? []
    return issue && `clock${issue.path.length > 0 ? `.${issue.path.join('.')}` : ''}: ${issue.message}`
  },
  async scenario(value, scenarios) {
    if (value === null) return undefined
    if (typeof value === 'string') return refusal(() => scenarios.get(value))
    if (typeof value === 'object') return refusal(() => scenarioFromDefinition(value))
    return 'scenario: expected the name of a scenario, its definition, or null'
  },
  async dials(value) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) return 'dials: expected an object with the names of dials'
    return refusal(() => readDials(value as Record<string, string>))
  },
  // Checked where it is used.
  beginning: async () => undefined,
}

async function refusal(read: () => unknown): Promise<string | undefined> {
  try {
    await read()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
