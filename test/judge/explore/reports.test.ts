import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { type ExamResult, runExam } from '../../../src/index.ts'
import { readySynchronization } from '../../../src/judge/exam/cases.ts'
import { examText, headline, junitReport } from '../../../src/judge/exam/text-reports.ts'
import { explorePlans } from '../../../src/judge/explore/explore.ts'
import { caseOfPlan, countPlans, planOfName, troubles } from '../../../src/judge/explore/plans.ts'
import { inVirtualTime, usualPlace } from '../../../src/lib/virtual-exam.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { explore, explored } from './clients.ts'

const text = (result: ExamResult) => examText(result, { colours: false, isVerbose: false })

it('a real result of an exam with plans is valid by docs/exam.schema.json', async () => {
  const schema = JSON.parse(readFileSync('docs/exam.schema.json', 'utf8'))
  const validate = new Ajv2020({ strict: false }).compile(schema)
  const result = await explore(async () => 'sent', { first: ['two-mailings:500-sent'] })
  expect(result.causes.length).toBeGreaterThan(0)
  for (const report of [text(result), junitReport(result), htmlReport(result)])
    expect(report).toMatch(/Read: docs\/(?:conduct|exam)\.md#/)
  expect(validate(JSON.parse(JSON.stringify(result))) || validate.errors).toBe(true)
  const [cause] = result.causes
  const wrong = { ...result, causes: [{ ...cause, plan: { ...cause!.plan, confirmed: 4 } }] }
  expect(validate(wrong)).toBe(false)
})

it('the picture of plans has a head for each column, a title for each cell, and every mode', async () => {
  const html = htmlReport(await explore(explored(reference), { depth: 1 }))
  const [, picture = ''] = /<svg[^>]*aria-label="Coverage of plans"[^>]*>(.*?)<\/svg>/s.exec(html) ?? []
  for (const head of ['alone', 'with a date', 'two mailings']) expect(picture).toContain(`>${head}</text>`)
  expect(picture.match(/<rect/g)).toHaveLength(3 * troubles.length)
  expect(picture).toContain('The client gets a date to send at. The first attempt is answered 500')
})

it('a report whose budget ended the plans is not called passed, and its numbers add up', async () => {
  const client = explored(reference)
  const result = await runExam({ client, only: ['happy-path'], depth: 1, budget: 300 })
  expect(headline(result)).toMatch(/^Not finished: 1 case passed, \d+ plans? passed; nothing found$/)
  expect(result).toMatchObject({ isPassed: true, isWhole: false, ended: 'the budget is used up' })
  const lines = text(result)
  expect(lines).toMatch(/^It ended early: the budget is used up\.$/m)
  expect(lines).toMatch(/^(\d+) of 193 plans up to depth 1 were played or covered$/m)
  const counts = [...lines.matchAll(/(\d+) (?:distinct|other) runs?/g)].map(([, count]) => Number(count))
  expect(counts.reduce((sum, it) => sum + it, 0)).toBe(result.exploration!.runs)
})

const options = (synchronizationId: string) => ({
  ...{ depth: 1, seed: 1, sample: 1, jobs: 1, speed: 1, first: [], only: undefined, synchronizationId },
  signal: new AbortController().signal,
  onProgress: () => {},
})

it.each([
  [
    'in real time',
    false,
    'the budget is used up, and one run took longer than all of it; a shorter --timeout ',
  ],
  ['in virtual time', true, 'the budget is used up'],
])(
  'plans whose budget is shorter than one run advise a shorter --timeout only %s',
  async (_, isExact, words) => {
    let questions = 0
    const { exploration, ended } = await inVirtualTime(
      async () => explored(reference),
      { seed: 1, scenarios: undefined, place: usualPlace() },
      (player, { contents }) =>
        explorePlans(
          { ...player, isExact },
          { ...options(readySynchronization(contents[0]!)), isOver: () => questions++ > 0 },
        ),
    )
    expect([exploration.runs, ended]).toEqual([1, expect.stringContaining(words)])
    expect(ended!.includes('--timeout')).toBe(!isExact)
  },
)

it.each([
  ['once among others', 1, null],
  ['alone as well', Number.POSITIVE_INFINITY, { plan: 'undisturbed', longer: '500-nothing' }],
])(
  'a client in real time whose longer run begins otherwise %s is called not deterministic only if it shows alone',
  async (_, times, divergence) => {
    let late = 0
    const { exploration } = await inVirtualTime(
      async () => explored(reference),
      { seed: 1, scenarios: undefined, place: usualPlace() },
      (player, { contents }) =>
        explorePlans(
          {
            ...player,
            isExact: false,
            play: async (examCase, speed) => {
              const play = await player.play(examCase, speed)
              if (examCase.name !== '500-nothing' || ++late > times) return play
              const [first] = play.result.attempts
              return { ...play, result: { ...play.result, attempts: [{ ...first!, transactionId: null }] } }
            },
          },
          { ...options(readySynchronization(contents[0]!)), isOver: () => false },
        ),
    )
    expect(exploration.divergence).toEqual(divergence && expect.objectContaining(divergence))
  },
)

it('a client that cannot be killed is played no plan that kills it: its first start would go on beside the next', async () => {
  const played: string[] = []
  const { exploration } = await inVirtualTime(
    async () => explored(reference),
    { seed: 1, scenarios: undefined, place: usualPlace() },
    (player, { contents }) =>
      explorePlans(
        {
          ...player,
          isKillable: false,
          play: (examCase, speed) => {
            played.push(examCase.name)
            return player.play(examCase, speed)
          },
        },
        {
          ...options(readySynchronization(contents[0]!)),
          ...{ first: ['killed-failed', '500-sent'], isOver: () => false },
        },
      ),
  )
  expect(played).toContain('500-sent')
  expect(played.filter(name => name.includes('killed'))).toEqual([])
  expect(exploration.levels[1]).toMatchObject({ plans: countPlans(1, false), isComplete: true })
  const result = await runExam({ client: explored(reference), plans: ['undisturbed'] })
  expect(text({ ...result, exploration })).toContain('Plans that kill the client are not played')
  expect(text({ ...result, exploration: { ...exploration, troubles: troubles.length } })).not.toContain(
    'Plans that kill',
  )
})

it('a function in real time is given no plan that kills it', async () => {
  const exam = runExam({
    client: async () => 'unknown',
    speed: 1_000,
    plans: ['undisturbed', 'killed-failed'],
  })
  await expect(exam).rejects.toThrow(
    'in killed-failed the client has to be killed, which a function in real time cannot be',
  )
})

it('the mock of an exam keeps no record of its run: each play would be judged once more', async () => {
  const { requests, spaces } = await inVirtualTime(
    async () => explored(reference),
    { seed: 1, scenarios: undefined, place: usualPlace() },
    async (player, mock) => {
      const plan = caseOfPlan(planOfName('undisturbed')!, readySynchronization(mock.contents[0]!))
      const { result } = await player.play(plan)
      const report = await mock.fetch('http://localhost/_mock/report')
      const { spaces } = (await report.json()) as { spaces: number }
      return { requests: result.attempts.length, spaces }
    },
  )
  expect(requests).toBeGreaterThan(0)
  expect(spaces).toBe(0)
})

it('what follows from a mistake stands with it, where the run leaves the mistake open', async () => {
  const result = await explore(explored(clientOf(mutants.find(it => it.id === 'M1')!)), {
    plans: ['500-nothing', 'two-mailings:500-sent'],
  })
  expect(result.causes.map(it => [it.rule, it.finding.rule, it.plan!.name])).toEqual([
    ['R02', 'R02', '500-nothing'],
    ['R02', 'sent-too-often', 'two-mailings:500-sent'],
  ])
  expect(headline(result)).toMatch(/; 1 mistake$/)
  const report = text(result)
  expect(report).toContain(
    '  Another smallest plan, of 1 that show what followed (sent-too-often): two-mailings:500-sent\n',
  )
  expect(report).toContain(
    'Expected: sent once, client reports "sent". Got: sent once, client reports "sent" (right by luck: a rule was broken).\n',
  )
  expect(report).not.toMatch(/^error sent-too-often/m)
})
