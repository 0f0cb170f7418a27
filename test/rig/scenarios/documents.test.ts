import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeScenarioDocs } from '../../../scripts/make-scenario-docs.ts'
import { scenarioJsonSchema } from '../../../src/rig/scenarios/schema.ts'

/** `npm run scenarios` runs this file with SCENARIOS=write: it then writes what it otherwise compares. */
function holdOrWrite(name: string, made: string): void {
  const path = new URL(`../../../${name}`, import.meta.url)
  if (process.env.SCENARIOS === 'write') writeFileSync(path, made)
  expect(readFileSync(path, 'utf8') === made, `${name} is stale: run "npm run scenarios"`).toBe(true)
}

test('docs/scenarios.md tells of the schema, the catalogue, the faults and the loss matrix as they are', async () => {
  holdOrWrite('docs/scenarios.md', await makeScenarioDocs())
})

test('scenarios/scenario.schema.json describes scenarios as the program checks them', () => {
  holdOrWrite('scenarios/scenario.schema.json', `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`)
})
