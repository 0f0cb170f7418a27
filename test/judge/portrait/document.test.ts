import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Features, situations } from '../../../src/judge/portrait/decisions.ts'
import { documented } from '../../../src/judge/portrait/document.ts'

const page = readFileSync(new URL('../../../docs/client-guide.md', import.meta.url), 'utf8')
/** The first and second cell of each row of the guide's table. */
const guide = page
  .split('## The table\n')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| **'))
  .map(line => line.split('|').map(cell => cell.trim().replaceAll('*', '')))
  .map(([, situation = '', repeats = '']) => ({ situation, repeats }))

const features: Features = {
  answer: '500',
  previous: 'first attempt',
  previousAnswer: 'start',
  attempts: 1,
  requests: 1,
  times: 1,
  ids: 1,
  retryAfter: 0,
  unanswered: 0,
  dated: 0,
  mailing: 1,
  sincePending: -1,
  sinceFailed: -1,
  idAge: 1,
  sinceFirst: 1,
}

describe('what the document wants in a portrait', () => {
  it('every row of docs/client-guide.md but that of a client without IDs stands for a situation', () => {
    const named = new Set(situations.flatMap(name => documented[name].guide))
    const rows = guide.map(({ situation }) => situation.split(/[:,]/)[0]!)
    expect(named).toEqual(new Set(rows.filter(it => !it.startsWith('no response or'))))
  })

  it.each(situations.filter(name => documented[name].guide.length === 1))(
    'after %s it repeats the ID where docs/client-guide.md says so, and only there',
    name => {
      const { repeats } = guide.find(it => it.situation.split(/[:,]/)[0] === documented[name].guide[0])!
      const { objection } = documented[name]
      const answer = name === 'after a read' ? 'no such sending' : features.answer
      expect(objection('same ID', { ...features, answer }) === undefined).toBe(repeats.startsWith('yes'))
    },
  )

  it.each(situations)('what the document wants after %s meets no objection', name => {
    const { objection, next } = documented[name]
    const { action } = next(features)
    expect(action === 'keeps waiting' ? undefined : objection(action, features)).toBeUndefined()
  })
})
