import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ids, synchronizationPath } from '../../mock.ts'
import { sentences, startTester, type Tester } from './tester.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

const scenario = '/spaces/demo/scenario'
const faults = '/spaces/demo/faults'
const sendings = synchronizationPath(ids.ready, '/sendings')
const send = (tester: Tester, transactionId?: string, headers = {}) =>
  tester.as('demo').post(sendings, { ...(transactionId && { transactionId }) }, headers)
const twoSteps = {
  description: 'First unavailable, then slow',
  rules: [{ on: 'createSending', steps: [{ phase: 'before', answer: { status: 503 } }, { delay: '0s' }] }],
}

describe("a space's scenario", () => {
  it("a space's scenario is put in force by its name, counts what it fires, and is taken away", async () => {
    const tester = await start()
    expect((await tester.get(scenario)).json.scenario).toBe(null)
    const { json } = await tester.put(scenario, { name: 'error-500-before' })
    expect(json.scenario).toMatchObject({ name: 'error-500-before', struck: false })
    expect((await send(tester, 'a')).status).toBe(500)
    const after = (await tester.get(scenario)).json.scenario
    expect([after.struck, after.rules[0].hits, after.rules[0].steps[0].hits]).toEqual([true, 1, 1])
    expect((await tester.delete(scenario)).status).toBe(204)
    expect((await tester.get(scenario)).json.scenario).toBe(null)
    expect((await send(tester, 'b')).status).toBe(201)
  })

  it("a space's scenario may be given whole, and counts each step", async () => {
    const tester = await start()
    await tester.put(scenario, twoSteps)
    expect([(await send(tester, 'a')).status, (await send(tester, 'a')).status]).toEqual([503, 201])
    const { json } = await tester.get(scenario)
    expect(json.scenario).toMatchObject({ description: 'First unavailable, then slow', struck: true })
    expect(json.scenario.rules[0]).toMatchObject({
      on: 'createSending',
      hits: 2,
      steps: [
        { hits: 1, phase: 'before', answer: { status: 503 } },
        { hits: 1, delay: '0s' },
      ],
    })
  })

  it("a space's scenario is shown as it was written, without what was left out", async () => {
    const tester = await start()
    const [step, ...others] = [
      { state: 'PENDING', for: '1m30s' },
      { answer: { fault: 'drip', every: '20ms' }, delay: { min: '1s', max: '2s' } },
      { answer: { status: 503, retryAfter: { dateIn: '10s' } } },
    ]
    const rules = [{ on: 'createSending', per: 'space', steps: [step, ...others] }]
    const { json } = await tester.put(scenario, { rules })
    expect(json.scenario.definition).toEqual({ rules })
    expect(json.scenario.rules).toEqual([
      { ...rules[0], hits: 0, steps: rules[0]!.steps.map(it => ({ ...it, hits: 0 })) },
    ])
    const fault = await tester.post(faults, { on: 'getSending', answer: { status: 404 }, delay: '1s' })
    expect(fault.json).toMatchObject({ on: 'getSending', steps: [{ answer: { status: 404 }, delay: '1s' }] })
    expect('when' in fault.json).toBe(false)
  })

  it("a space's scenario may be any of the catalogue, given whole as it was shown", async () => {
    const tester = await start()
    const { json } = await tester.get('/scenarios')
    expect(json._embedded.scenarios.length).toBeGreaterThan(70)
    for (const { name, definition, rules } of json._embedded.scenarios) {
      const { scenario: inForce } = (await tester.put(scenario, definition)).json
      expect([inForce.definition, inForce.rules], name).toEqual([definition, rules])
    }
  })

  it("a space's scenario begins to count anew when it is put in force again", async () => {
    const tester = await start()
    await tester.put(scenario, twoSteps)
    await send(tester, 'a')
    expect((await tester.put(scenario, twoSteps)).json.scenario.struck).toBe(false)
    expect((await send(tester, 'a')).status).toBe(503)
  })

  it("a space's scenario shows beside it those that requests chose themselves", async () => {
    const tester = await start()
    await send(tester, 'mock:error-500-before:1')
    await send(tester, 'b', { 'x-mock-scenario': 'error-500-after' })
    const { chosen } = (await tester.get(scenario)).json
    expect(
      chosen.map((it: { by: string; name: string; struck: boolean }) => [it.by, it.name, it.struck]),
    ).toEqual([
      ['transactionId', 'error-500-before', true],
      ['header', 'error-500-after', true],
    ])
  })

  it.each([
    ['by name', { name: 'error-500-before' }, 500],
    ['as a whole', twoSteps, 503],
  ])('that was given %s stays over a restart, and so does that there is none', async (_, body, status) => {
    const data = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-'))
    try {
      let tester = await startTester({ data, scenario: 'happy-path' })
      await tester.put(scenario, body)
      await tester.close()
      tester = await startTester({ data, scenario: 'happy-path' })
      expect((await send(tester, 'a')).status).toBe(status)
      await tester.delete(scenario)
      await tester.close()
      tester = await startTester({ data, scenario: 'error-500-before' })
      expect((await send(tester, 'a')).status).toBe(201)
      await tester.close()
    } finally {
      rmSync(data, { recursive: true })
    }
  })

  it.each([
    [
      'an unknown name',
      { name: 'error-500-befor' },
      /^name: there is no scenario "error-500-befor"; did you mean "error-500-before" or "error-500-after"\? GET \/_mock\/scenarios and docs\/scenarios\.md list all$/,
    ],
    ['__proto__', { name: '__proto__' }, /^name: there is no scenario "__proto__"/],
    ['a name that is none', { name: 5 }, /^name: expected the name of a scenario, got 5$/],
    [
      'a name and rules',
      { name: 'x', rules: [] },
      /^name: a name stands alone, and a definition has none; seen beside it: rules$/,
    ],
    [
      'an unknown fault',
      { rules: [{ on: '*', steps: [{ answer: { fault: 'rest' } }] }] },
      /^rules\[0\]\.steps\[0\]\.answer\.fault: .*"rest".* did you mean "reset"/,
    ],
    ['nothing', {}, /^expected the name of a scenario, or a definition with rules or dials, got nothing$/],
    ['a definition of nothing', { description: 'Trouble' }, /with rules or dials, got only description$/],
    [
      'a name under a misspelt key',
      { nam: 'failed-once' },
      /^unknown key "nam"; did you mean "name"\? Possible: name, \$schema, description, rules,/,
    ],
    [
      'a name under the key of other calls',
      { scenario: 'failed-once' },
      /^unknown key "scenario"; did you mean "name"\? Possible: name, \$schema, description, rules,/,
    ],
    [
      'a fault beside steps',
      { rules: [{ on: '*', fault: 'reset' }] },
      /^rules\[0\]: "fault" belongs to the answer of a step: write it in answer: \{ … \}$/,
    ],
    ['an unknown key', { rule: [] }, /^unknown key "rule"; did you mean "rules"\?/],
    ['a list', [], /^The request body is no JSON object, but \[\]$/],
    [
      'no JSON that speaks of a position',
      '{"position 1": x}',
      /^The request body is not JSON: [^,]*, [^,]*$/,
    ],
    ['no JSON', '{"name": 1,\n  x}', /^The request body is not JSON: .* at line 2, column 3$/],
  ])('%s is refused, and the one in force stays', async (_, body, expected) => {
    const tester = await start()
    await tester.put(scenario, { name: 'error-500-after' })
    const answer = await tester.put(scenario, body)
    expect(answer.status).toBe(400)
    expect(sentences(answer)[0]).toMatch(expected)
    expect((await tester.get(scenario)).json.scenario.name).toBe('error-500-after')
  })
})

it('several mistakes in a definition are told one by one, each with its member', async () => {
  const tester = await start()
  const steps = [{ state: 'DONE', times: 0 }, { hold: '' }]
  const { json } = await tester.put(scenario, { rules: [{ on: 'createSending', steps }], extra: 1 })
  expect(json.generalErrors).toEqual([expect.stringMatching(/^unknown key "extra"; /)])
  expect(json.invalidFields).toEqual([
    { field: 'rules[0].steps[0].state', problem: expect.stringMatching(/^"DONE" is not possible; /) },
    { field: 'rules[0].steps[0].times', problem: 'expected a number of at least 1, got 0' },
    { field: 'rules[0].steps[1].hold', problem: expect.stringMatching(/^expected a name of letters/) },
  ])
})

describe('one-shot faults', () => {
  it('strike once, and tell that they have', async () => {
    const tester = await start()
    const armed = await tester.post(faults, { on: 'createSending', phase: 'before', answer: { status: 503 } })
    expect([armed.status, armed.headers.get('location')]).toEqual([
      201,
      `http://localhost/_mock${faults}/${armed.json.id}`,
    ])
    expect(armed.json).toMatchObject({ on: 'createSending', per: 'space', hits: 0, left: 1 })
    expect((await tester.get(faults)).json).toMatchObject({ armed: 1, neverStruck: 1 })
    expect([(await send(tester, 'a')).status, (await send(tester, 'a')).status]).toEqual([503, 201])
    expect((await tester.get(`${faults}/${armed.json.id}`)).json).toMatchObject({ hits: 1, left: 0 })
    expect((await tester.get(faults)).json).toMatchObject({ armed: 0, neverStruck: 0 })
  })

  it('one-shot faults may have several steps, and count what each struck', async () => {
    const tester = await start()
    const { json } = await tester.post(faults, {
      on: 'createSending',
      steps: [{ phase: 'before', answer: { status: 503 }, times: 2 }, { phase: 'before' }],
    })
    expect(json.left).toBe(3)
    const seen = []
    for (const id of ['a', 'b', 'c', 'd']) seen.push((await send(tester, id)).status)
    expect(seen).toEqual([503, 503, 500, 201])
    const { steps } = (await tester.get(`${faults}/${json.id}`)).json
    expect(steps.map(({ hits }: { hits: number }) => hits)).toEqual([2, 1])
  })

  it.each<[string, object]>([
    ['one step that changes nothing beside others', { steps: [{}, { phase: 'before' }] }],
    ['the usual state, which spares a request the scenario', { state: 'CREATED' }],
    ['a delay', { delay: '1s' }],
    ['a hold', { hold: 'gate' }],
    ['a second delivery', { deliver: 'twice' }],
  ])('one-shot faults may have %s', async (_, step) => {
    expect((await (await start()).post(faults, { on: 'createSending', ...step })).status).toBe(201)
  })

  it('one-shot faults go before the scenario in force, one after the other', async () => {
    const tester = await start()
    await tester.put(scenario, { name: 'error-500-before' })
    for (const status of [502, 504])
      await tester.post(faults, { on: '*', phase: 'before', answer: { status } })
    const seen = []
    for (const id of ['a', 'b', 'c']) seen.push((await send(tester, id)).status)
    expect(seen).toEqual([502, 504, 500])
  })

  it('one-shot faults are disarmed one by one, or all at once', async () => {
    const tester = await start()
    const arm = async () => (await tester.post(faults, { on: '*', phase: 'before' })).json.id
    const [first] = [await arm(), await arm(), await arm()]
    expect((await tester.delete(`${faults}/${first}`)).status).toBe(204)
    expect((await tester.get(faults)).json.armed).toBe(2)
    expect((await tester.delete(faults)).status).toBe(204)
    expect((await send(tester, 'a')).status).toBe(201)
    const missing = await tester.delete(`${faults}/${first}`)
    expect([missing.status, missing.json.detail]).toEqual([
      404,
      `There is no fault "${first}"; none is armed`,
    ])
  })

  it.each([
    ['nothing', {}, /^on: /],
    [
      'an unknown operation',
      { on: 'createSnding' },
      /^on: "createSnding" is not possible; did you mean "createSending"\?/,
    ],
    ['an unknown member', { on: '*', fase: 'before' }, /^unknown key "fase"; did you mean "phase"\?/],
    [
      'a wrong phase',
      { on: '*', phase: 'befor' },
      /^phase: "befor" is not possible; did you mean "before"\?/,
    ],
    ['a step beside steps', { on: '*', phase: 'before', steps: [{}] }, /^unknown key "phase"; /],
    ['an operation alone', { on: 'createSending' }, /^this changes nothing: in phase after, /],
    [
      'a step that waits no time',
      { on: '*', phase: 'after', delay: '0s', times: 3 },
      /^this changes nothing: .*; expected an answer, an earlier phase, /,
    ],
    [
      'steps without anything in them',
      { on: '*', steps: [{ times: 2 }, {}] },
      /^steps: this changes nothing: /,
    ],
    [
      'a key that is like none',
      { zoo: 1, on: '*', phase: 'before' },
      /^unknown key "zoo"; possible: on, when, per, chance, answer, state, truth, times, for, /,
    ],
    [
      'a misspelt operation',
      { onn: '*', phase: 'before' },
      /^unknown key "onn"; did you mean "on"\? Possible: on, when, /,
    ],
    [
      'a fault that is not in an answer',
      { on: '*', fault: 'truncate', bytes: 5 },
      /^"fault" belongs to the answer of a step: /,
    ],
    [
      'a status that is not in an answer',
      { on: '*', status: 500 },
      /^"status" belongs to the answer of a step: write it in answer: \{ … \}$/,
    ],
    [
      'a duration without its unit, shown once',
      { on: '*', delay: '5' },
      /^delay: expected a duration such as 500ms, [^"]*, got "5"$/,
    ],
    ['a wrong step', { on: '*', steps: [{ delay: 5 }] }, /^steps\[0\]\.delay: /],
  ])('%s arms nothing', async (_, body, expected) => {
    const tester = await start()
    const answer = await tester.post(faults, body)
    expect(answer.status).toBe(400)
    expect(sentences(answer)[0]).toMatch(expected)
    expect((await tester.get(faults)).json._embedded.faults).toEqual([])
  })
})

describe('the catalogue', () => {
  it('the catalogue lists the scenarios there are, with the test synchronizations on which they are in force', async () => {
    const tester = await start()
    const { json } = await tester.get('/scenarios')
    expect(json.problems).toEqual([])
    const listed = json._embedded.scenarios.find((it: { name: string }) => it.name === 'reset-after')
    expect(listed.testSynchronizations).toHaveLength(1)
    expect((await tester.get('/scenarios/reset-after')).json).toEqual(listed)
    const path = synchronizationPath(listed.testSynchronizations[0].id)
    expect((await tester.as('demo').get(path)).status).toBe(200)
  })

  it('the catalogue knows the loss matrix by name, and tells what there is for a name that nothing has', async () => {
    const tester = await start()
    const { lossNames } = await import('../../../src/rig/scenarios/loss-matrix.ts')
    expect((await tester.get(`/scenarios/${lossNames[0]}`)).status).toBe(200)
    const { status, json } = await tester.get('/scenarios/toString')
    expect([status, json.detail]).toEqual([
      404,
      expect.stringMatching(
        /^There is no scenario "toString"; GET \/_mock\/scenarios and docs\/scenarios\.md list all/,
      ),
    ])
  })

  it('the catalogue lists the faults with what a client sees and what can be set', async () => {
    const { json } = await (await start()).get('/faults')
    const { faults: registry } = await import('../../../src/rig/faults/fault-registry.ts')
    expect(json._embedded.faults.map((it: { name: string }) => it.name)).toEqual([...registry.keys()])
    const drip = json._embedded.faults.find((it: { name: string }) => it.name === 'drip')
    expect(drip).toMatchObject({ group: 'slow', settings: { properties: { every: { type: 'string' } } } })
  })
})
