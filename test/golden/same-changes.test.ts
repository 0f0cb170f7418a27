import { expect, it } from 'vitest'
import { type Change, sameChanges, textOfChange } from './same-changes.mjs'

const json = (value: object) => JSON.stringify(value, null, 2)
const changesOf = (rows: readonly (readonly [name: string, before: string, after: string])[]) =>
  sameChanges(
    new Map(rows.map(([name, before]) => [name, before])),
    new Map(rows.map(([name, , after]) => [name, after])),
  )
const namesOf = (changes: readonly Change[]) => changes.map(({ names }) => names)

it('a new member is one change, whatever stands around it and however deep', () => {
  const changes = changesOf([
    ['last', json({ id: 1 }), json({ id: 1, priority: null })],
    ['first', json({ id: 2 }), json({ priority: null, id: 2 })],
    ['deep', json({ items: [{ a: 1, b: 2 }] }), json({ items: [{ a: 1, priority: null, b: 2 }] })],
    ['length', 'Content-Length: 5\n{\n}', 'Content-Length: 9\n{\n  "priority": null\n}'],
  ])
  expect(namesOf(changes)).toEqual([['last', 'first', 'deep', 'length']])
})

it('a change of one entry stands apart from one that it shares with others, and comes last', () => {
  const changes = changesOf([
    ['odd', json({ state: 'SENT', id: 1 }), json({ state: 'DONE', id: 1, priority: null })],
    ['usual', json({ id: 2 }), json({ id: 2, priority: null })],
  ])
  expect(namesOf(changes)).toEqual([['odd', 'usual'], ['odd']])
  expect(textOfChange(changes[1]!)).toContain('1 entry: odd\n')
  expect(textOfChange(changes[1]!)).toMatch(/^ {2}- {3}"state": "SENT",\n {2}\+ {3}"state": "DONE",$/m)
})

it('the same words are the same change in one member, and another one in another member', () => {
  const changes = changesOf([
    ['a', json({ href: 'http://localhost/a/1' }), json({ href: 'http://localhost/b/1' })],
    ['b', json({ href: 'http://localhost/a/2' }), json({ href: 'http://localhost/b/2' })],
    ['c', json({ name: 'http://localhost/a/2' }), json({ name: 'http://localhost/b/2' })],
  ])
  expect(namesOf(changes)).toEqual([['a', 'b'], ['c']])
})

it('a number that changes is not the same change as one that ends alike', () => {
  expect(
    namesOf(
      changesOf([
        ['one', json({ sent: 1 }), json({ sent: 2 })],
        ['eleven', json({ sent: 11 }), json({ sent: 12 })],
      ]),
    ),
  ).toEqual([['one'], ['eleven']])
})

it('a change in several places of an entry counts once for the entry', () => {
  const [change] = changesOf([
    [
      'all',
      json([{ id: 1 }, { id: 2 }]),
      json([
        { id: 1, p: 0 },
        { id: 2, p: 0 },
      ]),
    ],
  ])
  expect(textOfChange(change!)).toMatch(/^1 entry, 2 places: all\n/)
})

it('what differs in nothing but a length or a comma is shown as it is', () => {
  const [change] = changesOf([['length', 'Content-Length: 5\n\nok', 'Content-Length: 9\n\nok']])
  expect(textOfChange(change!)).toContain('- Content-Length: 5')
})

it('an entry that only one of the two has is no change', () => {
  expect(sameChanges(new Map([['gone', 'x']]), new Map([['new', 'x']]))).toEqual([])
})
