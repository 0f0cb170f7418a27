import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCatalogue } from '../../src/pages/scenario-catalogue.tsx'
import { toYaml } from '../../src/pages/scenario-editor.tsx'
import {
  describeDuration,
  describeExpectation,
  describeScenarioRule,
} from '../../src/pages/scenario-rules.tsx'
import { packagedScenarios, ScenarioLibrary } from '../../src/rig/scenarios/library.ts'
import { lossNames } from '../../src/rig/scenarios/loss-matrix.ts'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import { readYaml } from '../../src/store/yaml-text.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
})
afterEach(() => tester.close())

const scenario = '/spaces/demo/scenario'
const faults = '/spaces/demo/faults'
const page = (search = '') => look(tester, scenario + search)
/** What stands in a live part, up to the live part that follows. */
const words = async (id: string, search = '') =>
  wordsOf(
    from(await page(search), id)
      .split('data-answer')[0]!
      .replace(/^[^>]*>/, ''),
  )
const send = (transactionId: string) =>
  tester.as('demo').post(synchronizationPath(ids.ready, '/sendings'), { transactionId })
const hostile = `"><script>alert(1)</script></textarea><img src=x onerror=alert(1)>`

describe('what is in force', () => {
  it('what is in force is told with rules and steps in words, and what each has fired', async () => {
    expect(await words('in-force')).toMatch(/Undisturbed/)
    await tester.put(scenario, { name: 'pending-then-created' })
    const before = await words('in-force')
    expect(before).toMatch(/pending-then-created never fired/)
    expect(before).toMatch(/on createSending; attempts are counted for each transactionId not yet/)
    expect(before).toMatch(/2 times: the sending is PENDING, the response is true not yet/)
    expect(before).toMatch(/A correct client 1 sending truly goes out, and it reports that it was sent/)
    await send('one')
    const after = await words('in-force')
    expect(after).toMatch(/pending-then-created fired 1×/)
    expect(after).toMatch(/PENDING, the response is true fired 1×.*CREATED, the response is true not yet/)
  })

  it('what is in force is no scenario, but not undisturbed either, while one-shot faults wait', async () => {
    await tester.post(faults, { on: 'createSending', phase: 'before' })
    expect(await words('in-force')).toMatch(
      /^No scenario is in force; 1 one-shot fault waits, below\. Activate a/,
    )
    await tester.post(faults, { on: 'createSending', phase: 'before' })
    expect(await words('in-force')).toContain('2 one-shot faults wait, below.')
    await tester.delete(faults)
    expect(await words('in-force')).toContain('Undisturbed The service answers as its document says.')
  })

  it('a scenario is activated and deactivated, and only a one-shot fault is armed and disarmed', async () => {
    await tester.put(scenario, { name: 'close-after' })
    await tester.post(faults, { on: 'createSending', phase: 'before' })
    expect(await words('in-force')).toContain('Deactivate')
    expect(await words('faults')).toMatch(/ Disarm .* Disarm all/)
    expect(await words('catalogue')).toContain('Activate Edit')
    for (const id of ['in-force', 'catalogue']) expect(await words(id)).not.toMatch(/\b(?:Arm|Disarm)\b/)
    expect((await page()).text).toMatch(/<a href="[^"]*\/docs\/scenarios\.md#keys">/)
  })

  it('what is in force lists what requests chose themselves', async () => {
    await send('mock:error-500-before:x')
    await send('mock:happy-path:x')
    expect(await words('in-force')).toMatch(
      /Chosen by requests themselves error-500-before by transactionId fired 1× happy-path by transactionId disturbs nothing/,
    )
  })

  it('what is in force can begin anew as it was given, by name or whole', async () => {
    await tester.put(scenario, { name: 'close-after' })
    expect(from(await page(), 'in-force')).toContain('data-body="{&quot;name&quot;:&quot;close-after&quot;}"')
    await tester.put(scenario, { rules: [{ on: '*', steps: [{ delay: '1s' }] }] })
    expect(from(await page(), 'in-force')).toContain(
      'data-body="{&quot;rules&quot;:[{&quot;on&quot;:&quot;*&quot;',
    )
  })
})

describe('the catalogue', () => {
  it('the catalogue is searched by words and tag, names first, and no page holds more than twenty', async () => {
    expect(await words('catalogue')).toMatch(
      /^All \d+ .* 192 loss-matrix 1 to 20 of \d+ reset-after .* mixed-trouble /,
    )
    expect((await page('?tag=lost-answer')).text.match(/<li id="s-/g)).toHaveLength(20)
    expect(await words('catalogue', '?find=pending')).toMatch(
      / 1 to 20 of \d+ pending-then-created .* failed-then-pending .* pending-for-a-while .* collection-trap /,
    )
    expect(await words('catalogue', '?tag=loss-matrix&page=10')).toMatch(/ 181 to 192 of 192/)
    expect(await words('catalogue', '?find=PROXY+twice')).toMatch(/delivered-twice/)
    expect(await words('catalogue', '?find=nothing-like-it')).toMatch(/No scenario is like that/)
    expect(await words('catalogue', '?page=2')).toMatch(/ 21 to 40 of \d{3}/)
  })

  it('the catalogue refuses a query that nobody knows, in words', async () => {
    const { status, text } = await page('?page=0&tga=x')
    expect(status).toBe(400)
    expect(wordsOf(text)).toMatch(/page : expected the number of a page, from 1/)
    expect(wordsOf(text)).toMatch(/did you mean "tag"/)
  })

  it('the catalogue knows all scenarios there are', async () => {
    const library = await ScenarioLibrary.open({ packaged: packagedScenarios })
    const { scenarios, problems, tags } = await readCatalogue({ scenarios: library })
    expect([scenarios.length, problems]).toEqual([library.names().length + lossNames.length, []])
    expect([...tags.keys()]).toEqual(expect.arrayContaining(['pending', 'slow', 'loss-matrix']))
  })

  it('the catalogue gives each as text that means the same, and tells it in words', async () => {
    const library = await ScenarioLibrary.open({ packaged: packagedScenarios })
    const { scenarios } = await readCatalogue({ scenarios: library })
    for (const { name, definition, rules, expect: expected } of scenarios) {
      const read = readYaml(toYaml(definition), 'scenario') as { value: unknown }
      expect(read.value, name).toEqual(definition)
      for (const rule of rules) {
        expect(describeScenarioRule(rule), name).not.toMatch(/undefined|\[object/)
        for (const at of rule.steps.keys()) expect(describeDuration(rule.steps, at), name).toMatch(/\w/)
      }
      if (expected)
        expect(describeExpectation({ expect: expected })).toMatch(/truly goe?s? out, and it reports/)
    }
  })
})

it.each([
  [{ when: { transactionId: 'x', 'header:a': 'absent' } }, /transactionId is "x" and header:a is not there/],
  [
    { when: { user: { glob: 'a*' }, path: { prefix: '/m' } } },
    /user is like "a\*" and path begins with "\/m"/,
  ],
  [{ when: { 'query:n': { from: 1, to: 3 } } }, /query:n is not below 1 and is not above 3/],
  [{ chance: 0.25 }, /on 25 % of them/],
])('says to which requests a rule applies: %j', (given, expected) => {
  const { rules } = scenarioFrom({ rules: [{ on: '*', steps: [{}], ...given }] }, 'x', 'x')
  expect(describeScenarioRule(rules[0]!)).toMatch(expected)
})

it.each([
  [[{}], ['every time']],
  [
    [{}, {}],
    ['once', 'from then on'],
  ],
  [
    [{ times: 3 }, { for: '90s' }, { times: 1 }],
    ['3 times', 'for 1m30s', 'once'],
  ],
  [
    [{ state: 'PENDING', times: 2, for: '5m' }, {}],
    ['2 times, for 5m', 'from then on'],
  ],
])('says how long a step lasts: %j', (given, expected) => {
  const { rules } = scenarioFrom({ rules: [{ on: 'createSending', steps: given }] }, 'x', 'x')
  const { steps } = rules[0]!
  expect(steps.map((_, at) => describeDuration(steps, at))).toEqual(expected)
})

describe('one-shot faults', () => {
  it('one-shot faults are listed with what they do and how often they fired, those armed last first', async () => {
    expect(await words('faults')).toMatch(/^None is armed/)
    await tester.post(faults, { on: 'createSending', phase: 'before', answer: { status: 503 }, times: 2 })
    await tester.post(faults, { on: 'listSendings', hold: 'gate' })
    expect(await words('faults')).toMatch(/^f2 never fired, 1 left .* f1 never fired, 2 left/)
    await send('one')
    expect(await words('faults')).toMatch(/f1 fired 1×, 1 left/)
    await send('two')
    expect(await words('faults')).toMatch(/f1 fired 2×, used up Remove/)
  })

  it('one-shot faults are shown up to fifty, and how many more there are', async () => {
    for (let n = 0; n < 53; n++) await tester.post(faults, { on: '*', answer: { fault: 'hang' } })
    expect(await words('faults')).toMatch(/and 3 earlier ones/)
    expect((await page()).text.match(/<li id="fault-/g)).toHaveLength(50)
  })
})

it('whatever somebody put into a scenario, a fault or a hold is text', async () => {
  await tester.put(scenario, {
    description: hostile,
    tags: ['a'],
    rules: [{ on: 'createSending', when: { transactionId: hostile }, steps: [{ delay: '1s' }] }],
  })
  await tester.post(faults, { on: 'createSending', when: { transactionId: hostile }, hold: 'gate' })
  const { text } = await page()
  expect(text).not.toMatch(/<script>|<img src=x|<\/textarea><img/)
  expect(text.split('&lt;script&gt;alert(1)').length).toBeGreaterThan(4)
  expect((await page(`?find=${encodeURIComponent(hostile)}`)).text).not.toMatch(/<script>|<img src=x/)
})

it('a broken file is told of, and does not keep the others from being listed', async () => {
  const library = await ScenarioLibrary.open()
  const scenarios = {
    names: () => ['close-after', 'gone'],
    problems: () => ['mine.yaml:1:1: wrong'],
    get: (name: string) => library.get(name),
    loaded: (name: string) => library.loaded(name),
    has: (name: string) => library.has(name),
  }
  const read = await readCatalogue({ scenarios })
  expect(read.scenarios).toHaveLength(1 + lossNames.length)
  expect(read.problems).toEqual(['mine.yaml:1:1: wrong', expect.stringMatching(/no scenario "gone"/)])
})
