import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeDefaultFixture } from '../../../scripts/make-default-fixture.ts'
import { ScenarioLibrary } from '../../../src/rig/scenarios/library.ts'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../../../src/rig/scenarios/scenario.ts'
import { scenarioJsonSchema } from '../../../src/rig/scenarios/schema.ts'
import { readYaml } from '../../../src/store/yaml-text.ts'

const folder = new URL('../../../scenarios/', import.meta.url)
const library = await ScenarioLibrary.open()
const catalogue = await library.all()
const fixture = makeDefaultFixture()
const editorSchema = z.fromJSONSchema(scenarioJsonSchema() as Parameters<typeof z.fromJSONSchema>[0])

const textOf = (name: string) => readFileSync(new URL(`${name}.yaml`, folder), 'utf8')
const lastState = ({ rules }: Scenario) => rules[0]?.steps.at(-1)

test('every file of the folder is in the library', () => {
  const files = readdirSync(folder).filter(name => name.endsWith('.yaml'))
  expect(new Set(catalogue.map(it => `${it.name}.yaml`))).toEqual(new Set(files))
})

describe.each(catalogue.map(it => [it.name, it] as const))('%s', (name, scenario) => {
  test('says what happens, what a correct client reaches, and what kind it is', () => {
    expect(scenario.description).toMatch(/^[A-Z].{30,}[.]$/)
    expect(scenario.expect).toBeDefined()
    expect(scenario.tags.length).toBeGreaterThan(0)
  })

  test('tells editors where its schema is, and satisfies it', () => {
    const text = textOf(name)
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./scenario.schema.json')
    const yaml = readYaml(text, 'scenario')
    if (!('value' in yaml)) throw new Error('this is not YAML')
    expect(editorSchema.safeParse(yaml.value).error).toBeUndefined()
  })

  test('has a test synchronization of the default fixture', () => {
    const [found, ...others] = fixture.testSynchronizations!.filter(it => it.scenario === name)
    const list = 'scripts/default-fixture/test-synchronizations.ts'
    expect(found, `add it at the end of ${list}, then run "npm run generate"`).toBeDefined()
    expect(others).toEqual([])
    const synchronization = fixture.synchronizations.find(it => it.id === found!.id)!
    const { approved } = fixture.mailings.find(it => it.id === synchronization.mailingId)!
    expect(approved === null).toBe(name === 'not-approved')
  })

  test('expects no belief that its truth speaks against', () => {
    const { sent, belief } = scenario.expect!
    // No answer tells a client at once that the platform has stopped what is CREATED.
    if (belief === 'sent') expect(sent).toBe(scenario.tags.includes('stopped') ? 0 : 1)
    if (belief === 'not-sent') expect(sent).toBe(0)
    const end = lastState(scenario)
    if (end?.truth !== undefined && end.state !== 'CREATED')
      expect([sent, belief]).toEqual([end.truth === 'sent' ? 1 : 0, 'unknown'])
  })
})

test('both worlds behind INDETERMINATE_FAILURE are in the catalogue, under the same steps otherwise', () => {
  const steps = (name: string) => catalogue.find(it => it.name === name)!.rules[0]!.steps
  for (const name of ['indeterminate', 'pending-then-indeterminate']) {
    const worlds = ['sent', 'not-sent'].map(truth => steps(`${name}-${truth}`))
    expect(worlds.map(it => it.at(-1)!.truth)).toEqual(['sent', 'not-sent'])
    const without = worlds.map(it => it.map(step => ({ ...step, truth: undefined })))
    expect(without[0]).toEqual(without[1])
  }
})

test('no test synchronization is bound to a scenario that does not exist', () => {
  const names = catalogue.map(it => it.name)
  expect(fixture.testSynchronizations!.filter(it => !names.includes(it.scenario))).toEqual([])
})

describe('the loss matrix', () => {
  test('the loss matrix has each phase, form and attempt once', () => {
    expect(new Set(lossNames).size).toBe(lossNames.length)
    expect(lossNames).toHaveLength(4 * 16 * 3)
  })

  test('the loss matrix is found by name and valid, every cell', async () => {
    const cells = await Promise.all(lossNames.map(name => library.get(name)))
    expect(cells.map(it => it.name)).toEqual(lossNames)
    for (const cell of cells) {
      expect(cell.expect).toEqual({ sent: 1, belief: 'sent' })
      expect(cell.tags).toContain('loss-matrix')
    }
  })

  test('the loss matrix strikes the attempt that its name says, in the phase and form that its name says', async () => {
    for (const name of lossNames) {
      const [, phase, form, digit] = /^loss-(\w+)-(.+)-(\d)$/.exec(name)!
      const attempt = Number(digit)
      const [rule] = (await library.get(name)).rules
      const attempts = rule!.steps.flatMap(step => Array.from({ length: step.times ?? 1 }, () => step))
      const before = attempts.slice(0, attempt - 1)
      expect(before.map(step => [step.phase, step.answer])).toEqual(
        before.map(() => ['before', { status: 500, headers: {}, retryAfter: undefined, body: 'problem' }]),
      )
      const struck = attempts[attempt - 1]!
      expect(struck.phase).toBe(phase)
      expect(struck.answer).toMatchObject(
        /^\d/.test(form!) ? { status: Number(form) } : { fault: { name: form } },
      )
      expect(rule!.steps.at(-1)).toMatchObject({ state: 'CREATED', phase: 'after', answer: undefined })
    }
  })

  test.each([
    'loss-after-reset-0',
    'loss-after-reset-4',
    'loss-after-teapot-1',
    'loss-never-reset-1',
    'loss-',
  ])('the loss matrix has no %s', async name => {
    expect(library.has(name)).toBe(false)
    await expect(library.get(name)).rejects.toThrow(`there is no scenario "${name}"`)
  })
})
