import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Base, BaseIndex, Table } from '../../src/store/table.ts'

interface Row {
  readonly id: string
  readonly group: string | null
  readonly value: number
}

const row = fc
  .record({ id: fc.constantFrom(...'abcdefgh'), value: fc.integer({ min: 0, max: 9 }) })
  .map(({ id, value }): Row => ({ id, value, group: id > 'f' ? null : id < 'd' ? 'low' : 'high' }))

it('a table over a shared base behaves like one map, and leaves the base alone', () => {
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ id }) => id }), fc.array(row), (based, puts) => {
      const frozen = JSON.stringify(based)
      const base = new Base(based, (it: Row) => it.id)
      const groups = new BaseIndex(based, (it: Row) => it.group)
      const table = new Table(base)
      const index = table.index(groups)
      const model = new Map(based.map(it => [it.id, it]))
      for (const [n, put] of puts.entries()) {
        table.put(put, n + 1)
        model.set(put.id, put)
        expect(table.get(put.id)).toBe(put)
        expect(table.sequence(put)).toBe(n + 1)
      }
      expect([...table.rows()]).toEqual([...model.values()])
      expect(table.size).toBe(model.size)
      expect(new Set([...table.changes()].map(({ row }) => row.id))).toEqual(
        new Set(puts.map(({ id }) => id)),
      )
      expect(table.order('value', (a, b) => a.value - b.value).map(at => table.at(at).value)).toEqual(
        [...model.values()].map(it => it.value).sort(),
      )
      for (const group of ['low', 'high'])
        expect(
          Array.from({ length: index.count(group) }, (_, n) => table.at(index.nth(group, n)!).id),
        ).toEqual([...model.values()].filter(it => it.group === group).map(it => it.id))
      expect(table.get('nothing')).toBeUndefined()
      expect(index.nth('low', 99)).toBeUndefined()
      expect(JSON.stringify(based)).toBe(frozen)
      expect([...new Table(base).rows()]).toEqual(based)
    }),
  )
})

it('numbers for keys are found however they come: one after another, with gaps, backwards, taken back', () => {
  interface Numbered {
    readonly id: number
    readonly value: number
  }
  /** The next number as the platform gives it, any other, and a step back. */
  const act = fc.oneof(
    { weight: 6, arbitrary: fc.constant('next' as const) },
    fc.integer({ min: 1, max: 40 }),
    fc.constant('back' as const),
  )
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 9 })), fc.array(act), (based, acts) => {
      const rows = based.map((id): Numbered => ({ id, value: 0 }))
      const table = new Table(new Base(rows, it => it.id))
      const model = new Map(rows.map(it => [it.id, it]))
      const undo: (() => void)[] = []
      for (const [n, one] of acts.entries()) {
        if (one === 'back') {
          undo.pop()?.()
        } else {
          const id = one === 'next' ? table.highest + 1 : one
          const put = { id, value: n + 1 }
          const before = model.get(id)
          const replaced = table.put(put, n + 1)
          model.set(id, put)
          undo.push(() => {
            table.takeBack(put, replaced)
            if (before) model.set(id, before)
            else model.delete(id)
          })
        }
        expect([...table.rows()]).toEqual([...model.values()])
        for (let id = 0; id < 60; id++) expect(table.get(id)).toBe(model.get(id))
      }
    }),
  )
})

it('an order follows changes of its table and of another one it depends on', () => {
  const table = new Table(new Base([{ id: 1 }, { id: 2 }], (it: { id: number }) => it.id))
  let sign = 1
  const order = (other: number) =>
    table.order('id', (a, b) => sign * (a.id - b.id), other).map(at => table.at(at).id)
  expect(order(0)).toEqual([1, 2])
  table.put({ id: 3 }, 1)
  expect(order(0)).toEqual([1, 2, 3])
  sign = -1
  expect(order(1)).toEqual([3, 2, 1])
  expect(table.highest).toBe(3)
})

it('puts for now can be taken back, the last one first, and leave no trace', () => {
  const puts = fc.array(row)
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ id }) => id }), puts, puts, (based, kept, failed) => {
      const changed = { bytes: 0 }
      const table = new Table(new Base(based, (it: Row) => it.id), changed)
      const index = table.index(new BaseIndex(based, (it: Row) => it.group))
      for (const [n, put] of kept.entries()) table.put(put, n + 1)
      const seen = () => ({
        rows: [...table.rows()],
        changes: [...table.changes()],
        found: [...'abcdefgh'].map(id => [table.get(id), table.position(id)]),
        groups: ['low', 'high'].map(group =>
          Array.from({ length: index.count(group) }, (_, n) => index.nth(group, n)),
        ),
        order: [...table.order('by value', (a, b) => a.value - b.value)],
        figures: [changed.bytes, table.highest],
      })
      const before = seen()
      const undo = failed.map((put, n) => {
        const replaced = table.put(put, 100 + n)
        expect(table.get(put.id)).toBe(put)
        return () => table.takeBack(put, replaced)
      })
      for (const takeBack of undo.reverse()) takeBack()
      expect(seen()).toEqual(before)
    }),
  )
})

it('what has changed by now can be walked through while changes go on', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { selector: ({ id }) => id }),
      fc.array(row),
      fc.array(row),
      (based, puts, later) => {
        const table = new Table(new Base(based, (it: Row) => it.id))
        for (const [n, put] of puts.entries()) table.put(put, n + 1)
        const expected = [...table.changes()]
        const frozen = table.changes()
        for (const [n, put] of later.entries()) table.put(put, 100 + n)
        expect(frozen).toEqual(expected)
      },
    ),
  )
})
