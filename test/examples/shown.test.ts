import { readdirSync, readFileSync } from 'node:fs'
import { expect as jestExpect } from 'expect'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createMock } from '../../src/index.ts'
import { connect } from '../../src/lib/connect.ts'
import { matchers } from '../../src/lib/matchers.ts'

const papers = ['README.md', 'docs/library.md'].map(name => [name, readFileSync(name, 'utf8')] as const)
const [, [, library]] = papers as [(typeof papers)[number], (typeof papers)[number]]

describe('what the papers show of tests', () => {
  const shown = papers.flatMap(([paper, text]) =>
    [...text.matchAll(/<!-- is (\S+) -->\n```ts\n([\s\S]*?)```/g)].map(([, file, code]) => [
      paper,
      file!,
      code!,
    ]),
  )

  it.each(shown)('%s shows %s as it is run', (_, file, code) => {
    expect(code).toBe(readFileSync(file!, 'utf8'))
  })

  it('what the papers show of tests is every example but the dispatcher, which is named', () => {
    const files = readdirSync('examples/tests').filter(name => name.endsWith('.test.ts'))
    const missing = files.filter(name => !shown.some(([, file]) => file === `examples/tests/${name}`))
    expect(missing).toEqual(['undici.test.ts'])
    expect(library).toContain('../examples/tests/mock-dispatcher.ts')
  })
})

describe('the other code of docs/library.md', async () => {
  const mock = await createMock()
  const { url } = await mock.listen()
  afterAll(() => mock.close())
  const known = { expect: jestExpect, createMock, matchers, connect, console: { log: vi.fn() } }
  const blocks = [...library.matchAll(/<!-- runs -->\n```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)

  it.each(blocks)('runs: %s', async code => {
    const names = [...code.matchAll(/^import \{ (.+) \} from/gm)].flatMap(([, all]) => all!.split(', '))
    expect(names.filter(name => !(name in known))).toEqual([])
    const body = code.replaceAll(/^import .*\n/gm, '').replaceAll('http://localhost:4025', url)
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (...given: unknown[]) => Promise<void>
    await new AsyncFunction(...Object.keys(known), body)(...Object.values(known))
    expect(blocks).toHaveLength(2)
  })

  it('the other code of docs/library.md names calls that there are', async () => {
    const { control, ...rest } = mock
    const space = mock.space()
    const things: Record<string, object> = { space, mock: { control, ...rest }, control }
    const [, table] = /## The control, typed\n[\s\S]*?\n\| Call \|.*\n.*\n([\s\S]*?)\n\n/.exec(library)!
    const calls = table!.split('\n').flatMap(row => {
      let owner = ''
      return [...row.split(' | ')[0]!.matchAll(/`(?:await )?([\w.]*)\.(\w+)/g)].map(([, path, name]) => {
        owner = path || owner
        return { owner, name: name! }
      })
    })
    expect(calls.length).toBeGreaterThan(35)
    for (const { owner, name } of calls) {
      const found = owner.split('.').reduce<object>((at, part, index) => {
        return index === 0 ? things[part]! : (at as Record<string, object>)[part]!
      }, {})
      expect(name in found, `${owner}.${name}`).toBe(true)
    }
  })
})
