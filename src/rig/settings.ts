import { z } from 'zod'
import type { DialValues } from '../service/dials.ts'
import type { Tables } from '../store/content.ts'
import type { Setting } from '../store/rows.ts'
import type { KeptClock } from './clock.ts'

/** What a tester has set in a space and what outlives a restart: rows of the table `settings`. */
export interface RigSettings {
  readonly clock: Partial<KeptClock> | undefined
  /** Name of the scenario in force, or its definition as it was given; null for none; undefined where nothing is set. */
  readonly scenario: string | object | null | undefined
  readonly dials: Partial<DialValues>
}

const clock = z
  .object({ space: z.number(), source: z.number(), rate: z.number(), pace: z.number() })
  .partial()

/** Reads what is kept. What cannot be read counts as not there: it is ours, not a client's. */
export function keptSettings({ settings }: Tables): RigSettings {
  const value = (name: keyof RigSettings): unknown => settings.get(name)?.value
  const scenario = value('scenario')
  return {
    clock: clock.safeParse(value('clock')).data as Partial<KeptClock> | undefined,
    scenario: typeof scenario === 'string' || typeof scenario === 'object' ? scenario : undefined,
    dials: (value('dials') ?? {}) as Partial<DialValues>,
  }
}

/** The row that keeps a setting; null takes it back. */
export const setting = (name: keyof RigSettings, value: unknown): Setting => ({
  name,
  value: value as Setting['value'],
})
