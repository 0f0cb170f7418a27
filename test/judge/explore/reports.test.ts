import { readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { explore } from '../../../src/index.ts'
import { explorationJsonSchema } from '../../../src/judge/explore/explore.ts'

const path = 'docs/explore.schema.json'

it('docs/explore.schema.json describes what --json writes; EXPLORE=write writes it', () => {
  const schema = `${JSON.stringify(explorationJsonSchema(), null, 2)}\n`
  if (process.env.EXPLORE === 'write') writeFileSync(path, schema)
  expect(readFileSync(path, 'utf8')).toBe(schema)
})

it('a real result of an exploration is valid by docs/explore.schema.json', async () => {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(path, 'utf8')))
  const result = await explore({ client: () => 'sent', first: ['two-mailings:500-sent'] })
  expect(result.groups.length).toBeGreaterThan(0)
  expect(validate(JSON.parse(JSON.stringify(result))) || validate.errors).toBe(true)
  expect(validate({ ...result, groups: [{ ...result.groups[0], confirmed: 4 }] })).toBe(false)
})
