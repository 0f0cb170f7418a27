import { describe, expect, it } from 'vitest'
import { citedBy, clauseId, makeRegister, registerPage } from '../../scripts/make-fidelity-docs.ts'
import { type Clause, clauses, headings } from '../../src/contract/clauses.ts'
import { dialNames, dials } from '../../src/service/dials.ts'
import { operationIds } from '../../src/service/operations.ts'

const clause = (id: string, more: Partial<Clause> = {}): Clause => ({
  id,
  says: `What ${id} says.`,
  standing: 'specified',
  ...more,
})

describe('the clauses', () => {
  it('the clauses have IDs that a title can cite, each only once', () => {
    const ids = clauses.map(it => it.id)
    expect(ids.filter(id => !clauseId.test(id))).toEqual([])
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    expect(ids.filter(id => citedBy(`${id}: it holds`)[0] !== id)).toEqual([])
  })

  it('the clauses say something in one sentence, and stand under a heading', () => {
    for (const { id, says } of clauses) {
      expect(says, id).toMatch(/^\S.*\.$/)
      expect(headings[id.split(/[ /]/, 1)[0]!], id).toBeDefined()
    }
  })

  it('name only operations that exist, and leave none out', () => {
    const named = new Set(clauses.flatMap(it => it.operations ?? []))
    expect([...named].toSorted()).toEqual(operationIds.toSorted())
  })

  it('the clauses have every numbered rule of the API document, without a gap', () => {
    const rules = [
      ['3', 4],
      ['4.1', 10],
      ['5', 3],
      ['7', 4],
    ] as const
    const expected = rules.flatMap(([section, last]) =>
      Array.from({ length: last }, (_, at) => `${section}/${at + 1}`),
    )
    expect(clauses.map(it => it.id).filter(id => id.includes('/'))).toEqual(expected)
  })

  it('the clauses leave a dial only where the document leaves a choice, or says two things', () => {
    const turned = clauses.filter(it => it.dial !== undefined && it.standing === 'specified')
    expect(turned.map(it => it.id)).toEqual(['2.3 mailingId', '2.10 order'])
  })

  it('name every dial, and the dial names one of them', () => {
    for (const name of dialNames)
      expect(clauses.find(it => it.id === dials[name].clause)?.dial, name).toBe(name)
  })
})

describe('what a title cites', () => {
  it.each([
    ['one rule', '4.1/5: a repeat answers 200', ['4.1/5']],
    ['several clauses', '4.1/5, 7 200, S 405: a repeat answers 200', ['4.1/5', '7 200', 'S 405']],
    [
      'names with dots and blanks',
      '2.2 target.listId, 8 transactionId length: it is so',
      ['2.2 target.listId', '8 transactionId length'],
    ],
    ['a whole section', '4.10: it answers 200', ['4.10']],
    ['a colon later on', '9: the path has no version: none', ['9']],
    ['the same clause twice', '9, 9: the path has no version', ['9']],
    ['a slip after a clause', '4.1/5, 71.2x: found rather than passed over', ['4.1/5', '71.2x']],
    ['no colon', '4.1/5 a repeat answers 200', []],
    ['a colon without a blank', '4.1/5:a repeat answers 200', []],
    ['an ordinary sentence', 'a repeat, told early: it answers 200', []],
    ['a status', '404: nothing is there', []],
    ['a sentence that starts with S', 'Sendings: they go out', []],
  ])('what a title cites: %s', (_, title, cited) => {
    expect(citedBy(title)).toEqual(cited)
  })
})

describe('the register', () => {
  const both = [clause('3/1'), clause('S accept')]

  it('the register brings clauses and tests together, in the order of the clauses and of the files', () => {
    const found = makeRegister(both, [
      { title: 'S accept, 3/1: second', file: 'test/b.test.ts' },
      { title: '3/1: later', file: 'test/a.test.ts' },
      { title: '3/1: earlier', file: 'test/a.test.ts' },
      { title: 'nothing cited', file: 'test/a.test.ts' },
    ])
    expect(found.rows.map(row => [row.clause.id, row.tests.map(test => test.title)])).toEqual([
      ['3/1', ['3/1: earlier', '3/1: later', 'S accept, 3/1: second']],
      ['S accept', ['S accept, 3/1: second']],
    ])
    expect(found).toMatchObject({ unproved: [], unknown: [] })
  })

  it('the register names clauses without a test, and citations that are no clause', () => {
    const found = makeRegister(both, [{ title: '3/1, 3/9, 3/8: it holds', file: 'test/a.test.ts' }])
    expect(found).toMatchObject({ unproved: ['S accept'], unknown: ['3/8', '3/9'] })
  })

  it('the register takes a title that reads like a member of every object for what it is', () => {
    const found = makeRegister(both, [{ title: '3/1, constructor: it holds', file: 'test/a.test.ts' }])
    expect(found.unknown).toEqual(['constructor'])
  })
})

describe('the page', () => {
  const page = (all: Clause[], titles: string[]) =>
    registerPage(
      makeRegister(
        all,
        titles.map(title => ({ title, file: 'test/a.test.ts' })),
      ),
      { '4': 'Endpoints', '4.1': 'Create a sending', S: 'Beyond' },
    )

  it('the page has a table for each section, under the headings of its chapter', () => {
    const text = page(
      [
        clause('4 authentication'),
        clause('4.1/5', { standing: 'assumed', dial: 'curies' }),
        clause('S accept'),
      ],
      ['4.1/5: a repeat answers 200'],
    )
    expect(text.match(/^##.*$/gm)).toEqual(['## 4 Endpoints', '### 4.1 Create a sending', '## Beyond'])
    expect(text).toContain(
      '| 4.1/5 | What 4.1/5 says. | assumed | `curies` | a repeat answers 200 (`test/a.test.ts`) |',
    )
    expect(text).toContain('| S accept | What S accept says. | specified |  | **none** |')
  })

  it('the page counts the clauses by standing', () => {
    const text = page([clause('3/1'), clause('3/2', { standing: 'house style' })], [])
    expect(text).toMatch(
      /\| specified \| .* \| 1 \|\n\| documented \| .* \| 0 \|\n\| house style \| .* \| 1 \|/,
    )
    expect(text).toContain('|  | in all | 2 |')
  })

  it('the page lets no text break its tables', () => {
    const text = page([clause('3/1', { says: 'a|b *c* _links <br>\n[d](e).' })], ['3/1: x | y'])
    expect(text).toContain('a\\|b \\*c\\* \\_links &lt;br&gt; \\[d\\](e).')
    expect(text).toContain('x \\| y (`test/a.test.ts`)')
  })

  it('the page names three tests and counts the others', () => {
    expect(page([clause('3/1')], ['3/1: a', '3/1: b', '3/1: c', '3/1: d', '3/1: e'])).toContain(
      'c (`test/a.test.ts`)<br>and 2 more |',
    )
  })
})
