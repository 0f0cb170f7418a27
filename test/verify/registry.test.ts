import { expect, test } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { registry } from '../../src/contract/verify/registry.ts'
import { isLinkOfItems } from '../../src/contract/verify/resource-kinds.ts'

const known = clauses.map(({ id }) => id)

test('every clause of the register is answered for, once', () => {
  const answered = registry.map(({ clause }) => clause)
  expect(
    known.filter(id => !answered.includes(id)),
    'these clauses need an entry in a file of src/contract/verify/',
  ).toEqual([])
  expect(answered.filter(id => !known.includes(id))).toEqual([])
  expect(answered.filter((id, at) => answered.indexOf(id) !== at)).toEqual([])
})

test('what follows other clauses follows ones that are looked at', () => {
  const looked = new Set(registry.filter(it => 'look' in it).map(({ clause }) => clause))
  for (const entry of registry)
    if ('follows' in entry) for (const other of entry.follows) expect(looked, entry.clause).toContain(other)
})

test('a link that only entries of collections have is looked for there alone', () => {
  expect(isLinkOfItems('sending', 'statistics')).toBe(true)
  for (const [kind, relation] of [
    ['sending', 'report'],
    ['synchronization', 'sendings'],
    ['mailing item', 'mailing-editor'],
  ] as const)
    expect(isLinkOfItems(kind, relation), relation).toBe(false)
})
