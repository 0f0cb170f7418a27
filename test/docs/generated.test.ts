import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedFiles } from '../../scripts/generated-files.ts'
import { makeLlmsTxt } from '../../scripts/make-llms-txt.ts'
import { makeSettingsSchema } from '../../scripts/make-settings-schema.ts'
import { readCommandLine, readSettings } from '../../src/cli/command-line.ts'
import { settings } from '../../src/lib/settings.ts'
import { temporaryDirectory } from '../process.ts'

it.each(Object.entries(generatedFiles))('%s is what its sources make of it', async (path, make) => {
  const text = await make()
  const isFresh = existsSync(path) && readFileSync(path, 'utf8') === text
  expect(isFresh, `${path} is stale: run "npm run generate"`).toBe(true)
})

describe('llms.txt', () => {
  it('llms.txt names files that exist', () => {
    const paths = [...makeLlmsTxt().matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!)
    expect(paths.length).toBeGreaterThan(25)
    expect(paths.filter(path => !existsSync(path))).toEqual([])
  })
})

it.each([
  ['docs/settings.md', /^`health` takes the same .*flags:$/ms],
  ['docs/internals/architecture.md', /^\| `src\/main\.ts`.*$/m],
])('%s names every command of the program', async (path, place) => {
  const refusal = await readCommandLine(['start'], {}, '1.0.0').then(String, String)
  const commands = /possible: (.*), or none/.exec(refusal)![1]!.split(', ')
  expect(commands).toContain('exam')
  const named = place.exec(readFileSync(path, 'utf8'))![0]
  expect(commands.filter(it => !named.includes(`\`${it}\``))).toEqual([])
})

describe('docs/settings.schema.json', () => {
  const schema = JSON.parse(makeSettingsSchema())
  const isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema)

  it('docs/settings.schema.json has every setting with its help', () => {
    for (const { name, help } of Object.values(settings))
      expect(schema.properties[name].description).toContain(help)
  })

  const taken = [
    '$schema: ./settings.schema.json\nport: 5000\nin-memory: true',
    'dial:\n  error-body: minimal\n  replaced-configuration-status: 204',
    'dial:\n  bare-flags: true\n  approved-name-of-draft: null',
    'dial: error-body=minimal',
    'allow-host: [mock.example, other.example]\nlog-level: info\ndurability: fsync',
    'space-idle: 30m\nrate-limit: 0\nno-hints: true',
    '{}',
  ]
  it.each(taken)('docs/settings.schema.json takes what the program takes: %j', async text => {
    using folder = temporaryDirectory()
    writeFileSync(folder.at('settings.yaml'), text)
    await expect(readSettings(folder.at('settings.yaml'))).resolves.toBeTypeOf('object')
    expect([isValid(parse(text)), isValid.errors]).toEqual([true, null])
  })

  const refused = [
    'prot: 5000',
    'port: 70000',
    'port: many',
    'log-level: loud',
    'dial:\n  error-body: huge',
    'dial:\n  eror-body: minimal',
    'in-memory: perhaps',
  ]
  it.each(refused)('docs/settings.schema.json refuses what the program refuses: %j', async text => {
    using folder = temporaryDirectory()
    writeFileSync(folder.at('settings.yaml'), text)
    await expect(readSettings(folder.at('settings.yaml'))).rejects.toThrow()
    expect(isValid(parse(text))).toBe(false)
  })
})
