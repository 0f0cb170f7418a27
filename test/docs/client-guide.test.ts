import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rules } from '../../src/judge/rules/registry.ts'
import { accused, convictions } from '../examples/convictions.ts'

const page = readFileSync(new URL('../../docs/client-guide.md', import.meta.url), 'utf8')

interface GuideRow {
  readonly situation: string
  readonly sections: readonly string[]
  /** Numbers with what they count, such as `5 minutes`. */
  readonly limits: readonly string[]
  readonly scenarios: readonly string[]
  readonly rules: readonly string[]
}

/** The rows of the table below a heading, by the words in its head. */
function rowsBelow(heading: string): readonly GuideRow[] {
  const [head = '', , ...lines] = page
    .split(`## ${heading}\n`)[1]!
    .split('\n')
    .filter((line, at, all) => line.startsWith('|') && all.slice(0, at).every(it => !it.startsWith('##')))
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())
  const columns = cellsOf(head)
  return lines.map(line => {
    const cells = cellsOf(line)
    const cell = (column: string) => cells[columns.indexOf(column)] ?? ''
    return {
      situation: cells[0]!.replaceAll('*', ''),
      sections: cell('Section').split(', '),
      limits: [
        ...`${cell('Repeat with the same ID?')} ${cell('When to give up')}`.matchAll(
          /\d+ (?:minutes|times)/g,
        ),
      ].map(([limit]) => limit),
      scenarios: [...cell('Try it').matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      rules: cell('Rules').split(', ').filter(Boolean),
    }
  })
}

const responses = rowsBelow('Repeat or not, and how long to wait')
const others = rowsBelow('Around the attempts')

/** The rules beside a response by which mutants are convicted in the scenarios beside it. */
async function provedIn({ rules: watching, scenarios }: GuideRow): Promise<readonly string[]> {
  const wrong = accused.filter(it => it.rules.some(rule => watching.includes(rule)))
  const convicted = await convictions(wrong, scenarios)
  return convicted
    .flatMap(it => it.convictions.map(({ rule }) => rule))
    .filter(rule => watching.includes(rule))
}

const row = (it: GuideRow) => [it.situation, it] as const

describe('docs/client-guide.md', () => {
  it('docs/client-guide.md has a row for each kind of response, with a scenario to try it', () => {
    expect(responses.length).toBeGreaterThanOrEqual(12)
    expect(responses.filter(({ scenarios }) => scenarios.length === 0)).toEqual([])
  })

  it.each(responses.map(row))(
    'docs/client-guide.md: the reference client is right after %s',
    async (_, { scenarios }) => {
      const [reference] = await convictions(accused.slice(0, 1), scenarios)
      expect(reference).toMatchObject({ id: 'reference', convictions: [], suspectedIn: [] })
    },
  )

  it.each(responses.filter(it => it.rules.length > 0).map(row))(
    'docs/client-guide.md: a client that reacts to "%s" in another way is convicted by a rule beside it',
    async (_, situation) => {
      expect(await provedIn(situation)).not.toEqual([])
    },
  )

  it('docs/client-guide.md: every rule beside a response that a mutant breaks convicts it in a scenario beside it', async () => {
    const proved = new Set<string>()
    for (const situation of responses) for (const rule of await provedIn(situation)) proved.add(rule)
    const broken = new Set<string>(accused.flatMap(it => it.rules))
    const named = responses.flatMap(it => it.rules)
    expect(named.filter(rule => broken.has(rule) && !proved.has(rule))).toEqual([])
  })

  it('docs/client-guide.md names no other limit than the rules beside it', () => {
    const limited = responses.filter(it => it.limits.length > 0)
    expect(limited.map(it => it.situation)).toEqual(['PENDING', 'FAILED'])
    for (const { limits, rules: watching } of limited) {
      const words = rules
        .filter(({ id }) => watching.includes(id))
        .map(({ title, detection }) => `${title} ${detection}`.replace('three times', '3 times'))
        .join(' ')
      expect(limits.filter(limit => !words.includes(limit))).toEqual([])
    }
  })

  it('docs/client-guide.md names every rule of conduct', () => {
    const named = new Set([...responses, ...others].flatMap(it => it.rules))
    expect(rules.map(({ id }) => id).filter(id => !named.has(id))).toEqual([])
  })

  it.each([...responses, ...others].map(row))(
    'docs/client-guide.md: "%s" cites a section that each of its rules cites',
    (_, { rules: watching, sections }) => {
      const clausesOf = (id: string) => rules.find(rule => rule.id === id)!.clause.replace('9110, ', '9110 ')
      const unrelated = watching.filter(id => !sections.some(section => clausesOf(id).includes(section)))
      expect(unrelated).toEqual([])
    },
  )
})
