import { describe, expect, it } from 'vitest'
import {
  citationsOf,
  citedBy,
  clauseId,
  makeRegister,
  readCitations,
  registerPage,
} from '../../scripts/make-fidelity-docs.ts'
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

  it.each([
    ['null where the document does not speak of it', 'S null'],
    ['that nothing is called, where it describes no events', '6'],
    ['forms of dates, of which it names one', 'S date-time forms'],
    ['what happens beyond a limit, where it names only the limit', 'S too many IDs'],
    [
      'what the service does within the limits of a client',
      '8 PENDING window',
      '8 recreate attempts',
      '4.1/10',
    ],
    ['a formula, where it has a sentence', 'S unsubscribe rate'],
    ['that an upload sends nothing', 'S upload unsent'],
    [
      'what public documentation does not state of synchronizations',
      'S list synchronizations',
      'S list synchronizations false',
      'S create synchronization several',
      'S synchronization final',
    ],
  ])('the clauses do not claim more than their source says: %s', (_, ...ids) => {
    const standings = ids.map(id => [id, clauses.find(it => it.id === id)?.standing])
    expect(standings).toEqual(ids.map(id => [id, 'assumed']))
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

describe('what a test file cites', () => {
  it.each([
    ['a title', "it('3/1, S accept: it holds', () => {})", ['3/1', 'S accept']],
    ['a title with a value', `test(\`3/1: \${what} holds\`, () => {})`, ['3/1']],
    ['a title of rows', "it.each([[1]])('3/1: %s holds', () => {})", ['3/1']],
    [
      'the names of rows',
      "const rows = [['3/1', 1], ['2.1 id', 2]]; it.each(rows)('%s: holds', f)",
      ['3/1', '2.1 id'],
    ],
    [
      'the keys of rows',
      "const rows = { '2.1 id': 1 }; it.each(Object.entries(rows))('%s: holds', f)",
      ['2.1 id'],
    ],
    ['a title without a clause', "it('it holds: always', () => {}); const text = '2.1 id'", []],
    ['another function', "log('3/1: it holds')", []],
  ])('what a test file cites: %s', (_, source, cited) => {
    expect([...citationsOf(source)]).toEqual(cited)
  })

  it('every clause is cited by the title of a test, and titles cite nothing else', () => {
    const { unproved, unknown } = makeRegister(clauses, readCitations('.'))
    expect(
      unproved,
      'begin the title of a test with the clause that it proves: "4.1/5: a repeat answers 200"',
    ).toEqual([])
    expect(unknown, 'a title cites what is no clause of src/contract/clauses.ts').toEqual([])
  })
})

describe('the register', () => {
  const both = [clause('3/1'), clause('S accept')]
  const citing = (files: Record<string, string[]>) =>
    new Map(Object.entries(files).map(([file, ids]) => [file, new Set(ids)]))

  it('the register brings clauses and files together, in the order of the clauses and of the files', () => {
    const register = makeRegister(
      both,
      citing({ 'test/b.test.ts': ['S accept', '3/1'], 'test/a.test.ts': ['3/1'], 'test/c.test.ts': [] }),
    )
    expect(register.rows.map(row => [row.clause.id, row.files])).toEqual([
      ['3/1', ['test/a.test.ts', 'test/b.test.ts']],
      ['S accept', ['test/b.test.ts']],
    ])
    expect(register).toMatchObject({ unproved: [], unknown: [] })
  })

  it('the register names clauses without a test, and citations that are no clause', () => {
    const register = makeRegister(both, citing({ 'test/a.test.ts': ['3/1', '3/9', 'constructor'] }))
    expect(register).toMatchObject({
      unproved: ['S accept'],
      unknown: ['3/9 (test/a.test.ts)', 'constructor (test/a.test.ts)'],
    })
  })
})

describe('the page', () => {
  const page = (all: Clause[], cited: string[]) =>
    registerPage(makeRegister(all, new Map([['test/a.test.ts', new Set(cited)]])), {
      '4': 'Endpoints',
      '4.1': 'Create a sending',
      S: 'Beyond',
    })

  it('the page has a table for each section, under the headings of its chapter', () => {
    const text = page(
      [
        clause('4 authentication'),
        clause('4.1/5', { standing: 'assumed', dial: 'curies' }),
        clause('S accept'),
      ],
      ['4.1/5'],
    )
    expect(text.match(/^##.*$/gm)).toEqual(['## 4 Endpoints', '### 4.1 Create a sending', '## Beyond'])
    expect(text).toContain('| 4.1/5 | What 4.1/5 says. | assumed | `curies` | `test/a.test.ts` |')
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
    const text = page([clause('3/1', { says: 'a|b *c* _links <br>\n[d](e).' })], ['3/1'])
    expect(text).toContain('a\\|b \\*c\\* \\_links &lt;br&gt; \\[d\\](e).')
  })

  it('the page names three files and counts the others', () => {
    const files = ['a', 'b', 'c', 'd', 'e'].map(it => [`test/${it}.test.ts`, new Set(['3/1'])] as const)
    expect(registerPage(makeRegister([clause('3/1')], new Map(files)), {})).toContain(
      '`test/c.test.ts`<br>and 2 more |',
    )
  })
})
