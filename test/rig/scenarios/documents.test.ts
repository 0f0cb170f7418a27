import { expect, test } from 'vitest'
import { makeScenarioDocs } from '../../../scripts/make-scenario-docs.ts'
import { faults } from '../../../src/rig/faults/fault-registry.ts'

const page = makeScenarioDocs()

const withDefaults = [...faults.values()].filter(
  ({ settings }) => Object.keys(settings.parse({}) as object).length > 0,
)

test.each(withDefaults.map(fault => [fault.name, fault] as const))(
  'docs/scenarios.md tells what the settings of %s are when they are left out',
  async (name, { settings }) => {
    const row = (await page)
      .split('\n')
      .find(line => /^\| `[\w-]+` \| (?:no|cut|slow|wrong)/.test(line) && line.startsWith(`| \`${name}\` |`))!
    for (const [key, value] of Object.entries(settings.parse({}) as object))
      expect(row).toMatch(
        new RegExp(`\`${key}\`: [^;]*\\(\`${[value].flat()[0]}(?:ms)?\`[^)]* unless given\\)`),
      )
  },
)
