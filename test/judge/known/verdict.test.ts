import { writeFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { createMock } from '../../../src/index.ts'
import { type AcceptedRules, judge } from '../../../src/judge/verdict.ts'
import { asText, resultOf } from '../../../src/judge/verdict-text.ts'
import { matchers } from '../../../src/lib/matchers.ts'
import { basic, halType, ids, synchronizationPath } from '../../mock.ts'
import { temporaryDirectory } from '../../process.ts'
import { trial } from '../stage.ts'

const reset = { phase: 'after', answer: { fault: 'reset' } } as const
const resetOnce = { on: 'createSending', per: 'space', steps: [reset, { state: 'CREATED' }] } as const

/** A client that takes a new transactionId after a reset, so that its mailing is sent twice. */
async function evidenceOfRepeat() {
  const client = await trial([resetOnce])
  for (const transactionId of ['a', 'b']) {
    await client.post({ transactionId })
    client.wait(5_000)
  }
  return await client.evidence()
}

const accepting = (...rules: string[]): AcceptedRules => new Map(rules.map(it => [it, 'mended in May']))
const sent = { believes: 'sent', expected: 1 } as const

describe('a verdict on a client whose mistake is known', () => {
  it.each<[string, string[], boolean]>([
    ['nothing', [], true],
    ['another rule', ['R18'], true],
    ['the rule alone, from which the harm follows', ['R02'], false],
    ['the harm alone', ['sent-too-often'], true],
    ['the rule and what came of it', ['R02', 'sent-too-often'], false],
  ])('accepting %s, its failure stands: %#', async (_, rules, isFailure) => {
    const evidence = await evidenceOfRepeat()
    const verdicts = [
      judge(evidence, undefined, undefined, accepting(...rules)),
      judge(evidence, sent, undefined, accepting(...rules)),
      judge(evidence, undefined, { expected: 1, workers: 1 }, accepting(...rules)),
    ]
    expect(verdicts.map(({ failure }) => failure !== null)).toEqual([isFailure, isFailure, isFailure])
    expect(verdicts.map(({ outcome }) => outcome === 'innocent')).toEqual([
      !isFailure,
      !isFailure,
      !isFailure,
    ])
  })

  it('still lists the finding, with the reason, and the harm', async () => {
    const verdict = judge(await evidenceOfRepeat(), sent, undefined, accepting('R02', 'sent-too-often'))
    expect(verdict.findings).toMatchObject([{ rule: 'R02', status: 'guilty', known: 'mended in May' }])
    expect(verdict.harm.findings).toMatchObject([{ kind: 'DOUBLE', status: 'certain' }])
    expect(resultOf(verdict)).toMatchObject({ word: 'harm' })
    expect(asText(verdict)).toContain('\n      Known: mended in May\n')
  })

  it('fails for what is not known beside what is', async () => {
    const client = await trial([resetOnce])
    await client.post({ transactionId: 'a b' })
    client.wait(5_000)
    const verdict = judge(await client.evidence(), undefined, undefined, accepting('R02', 'sent-too-often'))
    expect(verdict).toMatchObject({ outcome: 'guilty', failure: expect.stringContaining('R20') })
  })
})

/** The verdict of a mock that was started with a known-file. */
async function verdictOf(text: string) {
  using folder = temporaryDirectory()
  writeFileSync(folder.at('known.yaml'), text)
  await using mock = await createMock({ known: folder.at('known.yaml') })
  const space = await mock.control.privateSpace({ scenario: { rules: [resetOnce] } })
  for (const transactionId of ['a', 'b']) {
    await mock
      .fetch(`http://localhost${synchronizationPath(ids.both, '/sendings')}`, {
        method: 'POST',
        headers: { authorization: basic(space.user, space.password!), 'content-type': halType },
        body: JSON.stringify({ transactionId }),
      })
      .catch(() => undefined)
    await space.clock.advance('5s')
  }
  const innocence = await matchers.toHaveNoFindings.call({}, space)
  return { ...(await space.verdict({ workers: 1 })), text: await space.verdictText(), innocence }
}

test('a mock with --known fails no verdict for rules that it accepts everywhere, and no assertion of a test', async () => {
  const known = '- {rule: R02, reason: a}\n- {rule: sent-too-often, reason: b}'
  const { failure, outcome, findings, text, innocence } = await verdictOf(known)
  expect({ failure, outcome }).toEqual({ failure: null, outcome: 'innocent' })
  expect(findings.map(it => [it.rule, it.known])).toEqual([['R02', 'a']])
  expect(text).toContain(': no rule was broken, except as is known.\n')
  expect(innocence.pass).toBe(true)
  expect(innocence.message()).toContain('Known, so it does not count:\n  error R02: ')
})

test.each([
  [
    'of a case',
    '- {rule: R02, case: reset-after, reason: a}\n- {rule: sent-too-often, case: "*", reason: b}',
  ],
  ['that has expired', '- {rule: R02, reason: a, expires: 2020-01-01}\n- {rule: sent-too-often, reason: b}'],
])('an entry %s accepts nothing in a test', async (_, known) => {
  expect((await verdictOf(known)).failure).toContain('R02')
})

test('a mock does not start with a known-file that cannot be read', async () => {
  using folder = temporaryDirectory()
  writeFileSync(folder.at('known.yaml'), '- rule: R02')
  await expect(createMock({ known: folder.at('known.yaml') })).rejects.toThrow(
    'known.yaml:1:3: reason: expected why',
  )
})
