import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addCommands } from '../../../src/cli/command-flags.ts'
import { readCommandLine } from '../../../src/cli/command-line.ts'
import { readExtraCases } from '../../../src/judge/exam/cases.ts'
import { examFindings } from '../../../src/judge/exam/exam-result.ts'
import { matchesGlob } from '../../../src/store/glob.ts'

const text = readFileSync('docs/exam.md', 'utf8')

it('docs/exam.md has every option, and no other', () => {
  const [exam] = addCommands(new Command().enablePositionalOptions(), [], () => {})
  const options = exam!.options.map(({ long }) => long!)
  const told = [...text.matchAll(/`(--[a-z-]+)[ `]/g)].map(([, option]) => option!)
  expect(options.length).toBeGreaterThan(10)
  expect([...new Set(told)].sort()).toEqual([...new Set(options)].sort())
})

it('docs/exam.md has every finding of the exam itself, and no other', () => {
  const rows = tableAfter('| Finding | Means | Do |').matchAll(/^\| `([a-z-]+)` \| (.*) \| (.*) \|$/gm)
  expect(Object.fromEntries([...rows].map(([, name, means, remedy]) => [name, { means, remedy }]))).toEqual(
    examFindings,
  )
})

it.each(['ended-at-start', 'silent'] as const)(
  'what to do about %s names the variables that say where to send, as docs/exam.md has them',
  finding => {
    const names = ['URL', 'USER', 'PASSWORD', 'SYNCHRONIZATION_ID'].map(name => `MAILING_SYNC_${name}`)
    const variables = tableAfter('| Variable | Is |')
    for (const name of names) {
      expect(variables).toContain(`\`${name}\``)
      expect(examFindings[finding].remedy).toContain(name)
    }
  },
)

it('docs/exam.md tells of every case that needs more than a scenario, and of no other', async () => {
  const first = tableAfter('| Cases | What happens |').matchAll(/^\| (`.+?`) \| /gm)
  const globs = [...first].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, glob]) => glob!))
  const names = Object.keys(await readExtraCases())
  expect(names.filter(name => !globs.some(glob => matchesGlob(glob, name)))).toEqual([])
  expect(globs.filter(glob => !names.some(name => matchesGlob(glob, name)))).toEqual([])
})

/** The rows of a table, by its head. */
function tableAfter(head: string): string {
  const [, after = ''] = text.split(`${head}\n`)
  return after.split('\n\n')[0]!
}

it.each([...text.matchAll(/^npm start -- (exam .*)$/gm)].map(([, line]) => line!))(
  'the command line of docs/exam.md is taken: %s',
  async line => {
    expect((await readCommandLine(line.split(' '), {}, '0')).run).toBe('exam')
  },
)
