import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import FidelityReporter from '../fidelity-reporter.ts'

const passing = ['3/1: it holds', 'something else']
const clauses = [{ id: '3/1', says: 'It holds.', standing: 'specified' }] as const

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fidelity-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** A module as the reporter sees it: a file and the outcome of its tests. */
function module(file: string, titles: readonly string[], state = 'passed'): TestModule {
  const tests = titles.map(name => ({ name, result: () => ({ state }) }))
  return { moduleId: join(root, file), children: { allTests: () => tests.values() } } as unknown as TestModule
}

interface Run {
  modules?: TestModule[]
  files?: string[]
  write?: boolean
  reason?: 'passed' | 'failed' | 'interrupted'
  errors?: { message: string }[]
  pattern?: RegExp
  tags?: string[]
  specification?: Partial<TestSpecification>
}

const page = () => join(root, 'docs', 'fidelity.md')

/** Plays a run to the reporter and tells what it said and did. */
function play(run: Run = {}): { exitCode: number; said: string } {
  const { modules = [module('test/a.test.ts', passing)], files = ['test/a.test.ts'] } = run
  const said: string[] = []
  let exitCode = 0
  const reporter = new FidelityReporter({
    root,
    page: page(),
    clauses,
    headings: { '3': 'States' },
    write: run.write ?? false,
    testFiles: () => files.map(file => join(root, file)),
    say: message => said.push(message),
    fail: () => {
      exitCode = 1
    },
  })
  reporter.onInit({
    getGlobalTestNamePattern: () => run.pattern,
    config: { tagsFilter: run.tags },
  } as unknown as Vitest)
  reporter.onTestRunStart([(run.specification ?? {}) as TestSpecification])
  reporter.onTestRunEnd(modules, run.errors ?? [], run.reason ?? 'passed')
  return { exitCode, said: said.join('\n') }
}

describe('a full run', () => {
  it('a full run says nothing when the page is what would be written', () => {
    play({ write: true })
    expect(play()).toEqual({ exitCode: 0, said: '' })
  })

  it('a full run fails when the page is missing, and says what writes it', () => {
    expect(play()).toMatchObject({ exitCode: 1, said: expect.stringContaining('npm run fidelity') })
    expect(existsSync(page())).toBe(false)
  })

  it('a full run fails when the page is stale', () => {
    play({ write: true })
    writeFileSync(page(), `${readFileSync(page(), 'utf8')}by hand`)
    expect(play()).toMatchObject({ exitCode: 1, said: expect.stringContaining('stale') })
  })

  it('a full run fails when a clause has no test, and names it', () => {
    const modules = [module('test/a.test.ts', ['something else'])]
    play({ modules, write: true })
    expect(play({ modules })).toMatchObject({ exitCode: 1, said: expect.stringMatching(/^ {2}3\/1$/m) })
  })

  it('a full run fails when a title cites what is no clause, and names it', () => {
    const modules = [module('test/a.test.ts', [...passing, '3/7: it holds'])]
    play({ modules, write: true })
    expect(play({ modules })).toMatchObject({ exitCode: 1, said: expect.stringMatching(/^ {2}3\/7$/m) })
  })

  it('a full run does not take a skipped test for a proof', () => {
    const modules = [module('test/a.test.ts', passing, 'skipped')]
    expect(play({ modules })).toMatchObject({ exitCode: 1, said: expect.stringMatching(/^ {2}3\/1$/m) })
  })
})

describe('writing', () => {
  it('writing writes the page and names test files relative to the project', () => {
    expect(play({ write: true })).toEqual({ exitCode: 0, said: '' })
    expect(readFileSync(page(), 'utf8')).toContain('it holds (`test/a.test.ts`)')
  })

  it('writing writes what there is, and fails all the same while a clause has no test', () => {
    expect(play({ write: true, modules: [module('test/a.test.ts', [])] }).exitCode).toBe(1)
    expect(readFileSync(page(), 'utf8')).toContain('**none**')
  })

  it('writing refuses to write from a part of the tests', () => {
    expect(play({ write: true, pattern: /x/ })).toMatchObject({ exitCode: 1 })
    expect(existsSync(page())).toBe(false)
  })
})

describe('a run that is no measure', () => {
  it.each<[string, Run]>([
    ['some files', { files: ['test/a.test.ts', 'test/b.test.ts'] }],
    ['a pattern of names', { pattern: /it holds/ }],
    ['a pattern of one file', { specification: { testNamePattern: /it holds/ } }],
    ['some lines', { specification: { testLines: [3] } }],
    ['some tests', { specification: { testIds: ['1'] } }],
    ['some tags', { tags: ['slow'] }],
    ['some tags of one file', { specification: { testTagsFilter: ['slow'] } }],
  ])('%s: nothing is said', (_, run) => {
    expect(play(run)).toEqual({ exitCode: 0, said: '' })
  })

  it.each<[string, Run]>([
    ['a failing run', { reason: 'failed' }],
    ['an interrupted run', { reason: 'interrupted' }],
    ['an error outside of tests', { errors: [{ message: 'unhandled' }] }],
  ])('%s: one line is said, and the page is left alone', (_, run) => {
    const { exitCode, said } = play({ ...run, write: true })
    expect(exitCode).toBe(0)
    expect(said.split('\n')).toHaveLength(1)
    expect(existsSync(page())).toBe(false)
  })
})
