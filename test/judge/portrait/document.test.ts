import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readCreation } from '../../../src/judge/attempt.ts'
import { type Situation, situationOf, situations } from '../../../src/judge/portrait/decisions.ts'
import { documented, objectionToAction } from '../../../src/judge/portrait/document.ts'
import { answerName } from '../../../src/judge/portrait/trace.ts'
import { features as first } from './features.ts'

const features = { ...first, idAge: 1, sinceFirst: 1 }

const page = readFileSync(new URL('../../../docs/client-guide.md', import.meta.url), 'utf8')
/** The first and second cell of each row of the guide's table. */
const guide = page
  .split('## Repeat or not, and how long to wait\n')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| **'))
  .map(line => line.split('|').map(cell => cell.trim().replaceAll('*', '')))
  .map(([, situation = '', repeats = '']) => ({ situation, repeats }))

/** The rows of the guide by situation: what stands before the first comma or colon of their first column. */
const guideRows: Partial<Record<Situation, readonly string[]>> = {
  'no response': ['no response'],
  '5xx': ['5xx'],
  429: ['429'],
  'another 4xx': ['another 4xx to the first attempt', 'another 4xx to a repeat'],
  redirect: ['a redirect'],
  damaged: ['a damaged or foreign body'],
  PENDING: ['PENDING'],
  CREATED: ['CREATED'],
  FAILED: ['FAILED'],
  INDETERMINATE_FAILURE: ['INDETERMINATE_FAILURE'],
  'after a read': ['a collection without your sending'],
}

describe('what the document wants in a portrait', () => {
  it('every row of docs/client-guide.md but that of a client without IDs stands for a situation', () => {
    const named = new Set(Object.values(guideRows).flat())
    const rows = guide.map(({ situation }) => situation.split(/[:,]/)[0]!)
    expect(named).toEqual(new Set(rows.filter(it => !it.startsWith('no response or'))))
  })

  it.each(situations.filter(name => guideRows[name]?.length === 1))(
    'after %s it repeats the ID where docs/client-guide.md says so, and only there',
    name => {
      const { repeats } = guide.find(it => it.situation.split(/[:,]/)[0] === guideRows[name]![0])!
      const answer = name === 'after a read' ? 'no such sending' : features.answer
      expect(objectionToAction(name, 'same ID', { ...features, answer }) === undefined).toBe(
        repeats.startsWith('yes'),
      )
    },
  )

  it('a sending that says CREATED in another form may be believed, and any other damaged answer may not', () => {
    const objectionAfter = (type: string, state: string) => {
      const body = JSON.stringify({ transactionId: 'a', state })
      const response = { status: 201, headers: { 'Content-Type': type }, body }
      const whose = { transactionId: 'a', synchronizationId: undefined }
      const answer = answerName(readCreation(response, whose, false))
      expect(situationOf(answer)).toBe('damaged')
      expect(objectionToAction('damaged', 'same ID', { ...features, answer })).toBeUndefined()
      return objectionToAction('damaged', 'end: sent', { ...features, answer })
    }
    expect(objectionAfter('text/html', 'CREATED')).toBeUndefined()
    const unknown = 'nothing has said so: the outcome is unknown'
    expect(objectionAfter('text/html', 'PENDING')).toBe(unknown)
    expect(objectionAfter('application/hal+json', 'DONE')).toBe(unknown)
  })

  it.each(situations)('what the document wants after %s meets no objection', name => {
    const { action } = documented[name].next(features)
    expect(action === 'keeps waiting' ? undefined : objectionToAction(name, action, features)).toBeUndefined()
  })
})
