import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { explore } from '../../../src/index.ts'
import { explorePlans } from '../../../src/judge/explore/explore.ts'
import { explorationJunit, explorationText } from '../../../src/judge/explore/reports.ts'
import { inVirtualTime } from '../../../src/lib/explore.ts'
import { explorationHtml } from '../../../src/pages/exploration-report.tsx'
import { explored } from './clients.ts'

const path = 'docs/explore.schema.json'

it('a real result of an exploration is valid by docs/explore.schema.json', async () => {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(path, 'utf8')))
  const result = await explore({ client: async () => 'sent', first: ['two-mailings:500-sent'] })
  expect(result.groups.length).toBeGreaterThan(0)
  for (const report of [
    explorationText(result, { colours: false }),
    explorationJunit(result),
    explorationHtml(result),
  ])
    expect(report).toMatch(/Read: docs\/(?:conduct|exam)\.md#/)
  expect(validate(JSON.parse(JSON.stringify(result))) || validate.errors).toBe(true)
  expect(validate({ ...result, groups: [{ ...result.groups[0], confirmed: 4 }] })).toBe(false)
})

it('a report of an exploration that its budget ended is not called passed, and its numbers add up', async () => {
  const result = await explore({ client: explored(reference), depth: 1, budget: 100 })
  const text = explorationText(result, { colours: false })
  expect(text).toMatch(/^Not finished: \d+ runs?, nothing found/m)
  expect(text).toMatch(
    /^It ended early: the budget is used up\. (\d+) of 193 plans up to depth 1 were played/m,
  )
  const counts = [...text.matchAll(/(\d+) (?:distinct|other) runs?/g)].map(([, count]) => Number(count))
  expect(counts.reduce((sum, it) => sum + it, 0)).toBe(result.runs)
  expect(explorationHtml(result)).toContain('Not finished: ')
})

it.each([
  [
    'in real time',
    false,
    'the budget is used up, and one run took longer than all of it; a shorter --timeout ',
  ],
  ['in virtual time', true, 'the budget is used up'],
])(
  'an exploration whose budget is shorter than one run advises a shorter --timeout only %s',
  async (_, isExact, ended) => {
    let questions = 0
    const result = await inVirtualTime(
      async () => explored(reference),
      {},
      player =>
        explorePlans(
          { isExact, play: plan => player.play(plan) },
          {
            client: 'a client',
            depth: 1,
            seed: 1,
            sample: 1,
            jobs: 1,
            isStrict: false,
            signal: new AbortController().signal,
            isOver: () => questions++ > 0,
            first: [],
            only: undefined,
            reproduce: undefined,
            onProgress: undefined,
          },
        ),
    )
    expect([result.runs, result.ended]).toEqual([1, expect.stringContaining(ended)])
    expect(result.ended!.includes('--timeout')).toBe(!isExact)
  },
)
