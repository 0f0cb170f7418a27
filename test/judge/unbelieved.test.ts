import { describe, expect, it } from 'vitest'
import { onCreate } from '../rig/stage.ts'
import { sendingsPath, sent, trial } from './stage.ts'

/** What the judge says of a success that told of no sending to be believed. */
async function lastTold(answer: object): Promise<string> {
  const client = await trial([onCreate([{ phase: 'after', answer }])])
  await client.post({ transactionId: 'one' })
  const { findings } = await client.verdict(sent)
  const { sentence } = findings.find(({ rule }) => rule === 'R24')!
  return /told is (.*), in /.exec(sentence)![1]!
}

describe('a success without a sending that can be believed says why not', () => {
  const nothing = 'without a sending that can be believed'

  it('a success that was believed too early is the last one, whatever came before', async () => {
    const client = await trial([onCreate([{ state: 'PENDING' }])])
    await client.post({ transactionId: 'one' })
    await client.post({ transactionId: 'one' })
    const { findings, sendings } = await client.verdict(sent)
    const last = sendings.at(-1)!.attempts.at(-1)!.requestId
    expect(findings.find(({ rule }) => rule === 'R24')!.evidence).toEqual([last])
  })

  it('a success that was believed too early is the last one in time, also of several mailings', async () => {
    const client = await trial([onCreate([{ state: 'PENDING' }])])
    for (const transactionId of ['one', 'two', 'one'])
      await client.post({ transactionId, name: transactionId })
    const { findings } = await client.verdict({ ...sent, expected: 2 })
    const { attempts } = await client.evidence()
    expect(findings.find(({ rule }) => rule === 'R24')!.evidence).toEqual([attempts.at(-1)!.id])
  })

  it.each<[string, object, string]>([
    [
      'another transactionId',
      { fault: 'foreign-sending', change: ['transactionId'] },
      ' (state "CREATED", another transactionId than was asked for)',
    ],
    [
      'another synchronization',
      { fault: 'foreign-sending', change: ['mailingSynchronizationId'] },
      ' (state "CREATED", another mailingSynchronizationId than was asked for)',
    ],
    ['a state that there is not', { fault: 'lower-case-state' }, ' (state "created")'],
    ['a page', { fault: 'html-200' }, ' (Content-Type text/html)'],
    ['no body', { fault: 'empty-201' }, ' (no Content-Type)'],
    ['no state', { fault: 'stateless-sending' }, ''],
  ])('a success without a sending that can be believed says why not: %s', async (_, answer, why) => {
    expect((await lastTold(answer)).replace(/^20[01] /, '')).toBe(nothing + why)
  })
})

it('a client that does not follow a redirect and reads its own sending in state CREATED does right', async () => {
  const client = await trial([onCreate([{ phase: 'after', answer: { fault: 'redirect-303' } }])])
  await client.post({ transactionId: 'one' })
  await client.get(`${sendingsPath}?includeAllStates=true`)
  expect(await client.accused(sent)).toEqual([])
})
