import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeScenarioDocs } from '../../../scripts/make-scenario-docs.ts'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import { scenarioJsonSchema } from '../../../src/rig/scenarios/schema.ts'

const page = makeScenarioDocs()

/** `npm run scenarios` runs this file with SCENARIOS=write: it then writes what it otherwise compares. */
function holdOrWrite(name: string, made: string): void {
  const path = new URL(`../../../${name}`, import.meta.url)
  if (process.env.SCENARIOS === 'write') writeFileSync(path, made)
  expect(readFileSync(path, 'utf8') === made, `${name} is stale: run "npm run scenarios"`).toBe(true)
}

test('docs/scenarios.md tells of the schema, the catalogue, the faults and the loss matrix as they are', async () => {
  holdOrWrite('docs/scenarios.md', await page)
})

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

test('scenarios/scenario.schema.json describes scenarios as the program checks them', () => {
  holdOrWrite('scenarios/scenario.schema.json', `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`)
})
