import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sentences, startTester, type Tester } from './tester.ts'

let tester: Tester
beforeAll(async () => {
  tester = await startTester()
})
afterAll(() => tester.close())

const check = async (text: string) => (await tester.post('/scenarios/check', { text })).json

describe('checking the text of a scenario', () => {
  it('checking the text of a scenario tells line and column of what is wrong, and what was meant', async () => {
    const { problems, definition } = await check(
      'rules:\n  - on: createSending\n    stepz: []\n    steps:\n      - { state: PENDNG }\n',
    )
    expect(definition).toBeNull()
    expect(problems).toMatchObject([
      {
        line: 3,
        column: 5,
        problem: expect.stringMatching(/unknown key "stepz"; did you mean "steps"\?/),
      },
      { line: 5, column: 18, problem: expect.stringMatching(/did you mean "PENDING"\?/) },
    ])
  })

  it.each([
    ['what is no YAML', 'rules: [', /not YAML that can be read/],
    ['an anchor', 'rules: &all []', /anchors and aliases/],
    ['nothing at all', '', /got null/],
    ['one that says nothing of what is to happen', 'description: only words', /got only description/],
    ['hostile text', '"<script>": 1', /unknown key "<script>"/],
    ['one that is too long', `# ${'x'.repeat(300_000)}`, /longer than 256 KiB/],
  ])('checking the text of a scenario refuses %s in a sentence', async (_, text, sentence) => {
    const { problems, definition } = await check(text)
    expect(definition).toBeNull()
    expect(problems[0].problem).toMatch(sentence)
    expect(problems[0].line).toBeGreaterThan(0)
  })

  it('checking the text of a scenario tells of the first twenty, and how many more there are', async () => {
    const { problems, more } = await check(Array.from({ length: 25 }, (_, n) => `k${n}: 1`).join('\n'))
    expect([problems.length, more]).toEqual([20, 5])
  })

  it('checking the text of a scenario gives a value that a space then takes, and puts nothing in force itself', async () => {
    const { problems, more, definition } = await check(
      readFileSync('scenarios/pending-then-created.yaml', 'utf8'),
    )
    expect([problems, more]).toEqual([[], 0])
    expect((await tester.get('/spaces/demo/scenario')).json.scenario).toBeNull()
    expect((await tester.put('/spaces/demo/scenario', definition)).json.scenario.definition).toEqual(
      definition,
    )
  })

  it('checking the text of a scenario needs a text', async () => {
    const answer = await tester.post('/scenarios/check', { yaml: '' })
    expect(answer.status).toBe(400)
    expect(sentences(answer).join()).toMatch(/text: expected the text of a scenario/)
  })
})

it('arming and removing faults, and turning dials, are told to whoever listens', async () => {
  const stream = (await tester.fetch('/_mock/spaces/demo/events')).body!.pipeThrough(new TextDecoderStream())
  const reader = stream.getReader()
  let heard = ''
  const told = async (count: number) => {
    while (heard.split('event: scenario').length <= count) heard += (await reader.read()).value
  }
  await tester.post('/spaces/demo/faults', { on: 'createSending', answer: { fault: 'reset' } })
  await told(1)
  await tester.delete('/spaces/demo/faults/f1')
  await told(2)
  await tester.put('/spaces/demo/dials', { 'error-body': 'minimal' })
  await told(3)
  await tester.delete('/spaces/demo/faults')
  await told(4)
  await reader.cancel()
})
