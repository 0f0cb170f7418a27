import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultFixture } from '../src/store/fixtures.ts'
import type { Fixture } from '../src/store/rows.ts'
import { curlsIn, Terminal, triedIn } from './docs/tried.ts'
import { flagsOfHelp } from './help.ts'
import { titleOr } from './not-run.ts'
import { hasCurl, noCurl, type Running, run, start } from './process.ts'

const root = new URL('..', import.meta.url)
const page = (name: string) => readFileSync(new URL(name, root), 'utf8')
const readme = page('README.md')
const settings = page('docs/settings.md')
const content = page('docs/content.md')
const fixture: Fixture = JSON.parse(readFileSync(defaultFixture, 'utf8'))

const help = (await run(['--help'])).output.replaceAll(/\s+/g, ' ')
const verifyHelp = (await run(['verify', '--help'])).output
const pullHelp = (await run(['pull', '--help'])).output
const flags = [...(await flagsOfHelp())]

/** The rows of the table of a page below these column titles, cell by cell, without the marks of code. */
function table(page: string, ...titles: string[]): string[][] {
  const lines = page.split('\n')
  const first = lines.indexOf(`| ${titles.join(' | ')} |`) + 2
  expect(first).toBeGreaterThan(1)
  const end = lines.findIndex((line, index) => index >= first && !line.startsWith('|'))
  return lines.slice(first, end).map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim().replaceAll('`', '')),
  )
}

describe('the commands', () => {
  const blocks = triedIn(readme)
  let mock: Running
  const terminal = new Terminal(() => mock.url)
  beforeAll(async () => {
    mock = await start(['--in-memory'])
  })
  afterAll(() => mock.stop())

  test('the commands are tried wherever curl is used', () => {
    expect(blocks).toHaveLength(curlsIn(readme))
  })

  // In the README's order: what one creates, the next one reads.
  test.runIf(hasCurl).each(blocks)(titleOr('$title', noCurl), async ({ command, answers }) => {
    for (const { status: expected, part } of answers) {
      const { status, body } = await terminal.paste(command)
      expect(status).toBe(expected)
      if (part) expect(body).toMatchObject(part)
    }
  })

  test.runIf(hasCurl)(titleOr('the verdict that is shown is what the mock says', noCurl), async () => {
    const [, shown] = /```\n(Verdict on space [^`]+)\n…\n```/.exec(readme)!
    const { body } = await terminal.paste(blocks.find(({ command }) => command.includes('verdict'))!.command)
    const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
    expect(inOneLine(String(body))).toContain(inOneLine(shown!))
  })

  test('the commands use flags that exist', () => {
    const used = [...readme.matchAll(/npm start -- (verify |pull )?([^`\n]*)/g)].map(
      ([, command, args]) => [command, args!.match(/--[a-z-]+/g) ?? []] as const,
    )
    const ofMock = used.filter(([command]) => !command).flatMap(([, named]) => named)
    expect(flags.map(([flag]) => flag)).toEqual(expect.arrayContaining(ofMock))
    const flagsOf = (name: string) =>
      used.filter(([command]) => command === name).flatMap(([, named]) => named)
    const [ofVerify, ofPull] = [flagsOf('verify '), flagsOf('pull ')]
    expect(verifyHelp.match(/--[a-z-]+/g)).toEqual(expect.arrayContaining(ofVerify))
    expect(pullHelp.match(/--[a-z-]+/g)).toEqual(expect.arrayContaining(ofPull))
  })

  test('of npm are in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
    for (const [, name] of readme.matchAll(/npm run ([a-z:]+)/g)) expect(scripts).toHaveProperty([name!])
  })
})

describe('the tables of docs/settings.md and docs/content.md', () => {
  test('name exactly the settings of --help, with their variables', () => {
    const rows = table(settings, 'Flag', 'Environment', 'Default', 'What it sets')
    expect(rows.map(([flag, variables]) => [flag, variables?.split(' or ')])).toEqual(flags)
  })

  test('name the defaults of --help', () => {
    for (const [flag, , initial] of table(settings, 'Flag', 'Environment', 'Default', 'What it sets'))
      if (initial && initial !== 'the packaged one')
        expect(help).toMatch(new RegExp(`${flag} [^()]*\\(default: ${initial.replaceAll('.', '\\.')}[,)]`))
  })

  test('name the users of the default fixture', () => {
    expect(table(content, 'User', 'Password', 'May')).toEqual(
      fixture.users.map(({ name, password, rights }) => [name, password, rights.join(', ')]),
    )
  })

  test('name the synchronizations of the default fixture, test synchronizations aside', () => {
    const tests = new Set(fixture.testSynchronizations!.map(({ id }) => id))
    const named = fixture.synchronizations.filter(({ id }) => !tests.has(id))
    const rows = named.map(({ id, mailingId, customer, listId }) => {
      const { draft, approved } = fixture.mailings.find(mailing => mailing.id === mailingId)!
      const version = draft && approved ? 'both' : draft ? 'draft only' : 'approved only'
      const name = (draft ?? approved)!.name
      return [id, name, version, approved ? 'yes' : 'no', customer, String(listId), sendingsOf(id)]
    })
    expect(table(content, 'ID', 'Mailing', 'Version', 'Ready', 'Customer', 'List', 'Sendings')).toEqual(rows)
  })

  /** Such as `2 FAILED, 1 CREATED`. */
  function sendingsOf(synchronizationId: string): string {
    const states = fixture.sendings
      .filter(sending => sending.synchronizationId === synchronizationId)
      .map(({ plan, step, scheduleDate }) => {
        const year = scheduleDate?.slice(0, 4)
        return `${plan[step]!.state}${Number(year) > 2030 ? ` for ${year}` : ''}`
      })
    const counted = [...new Set(states)].map(
      state => `${states.filter(other => other === state).length} ${state}`,
    )
    return counted.join(', ') || 'none'
  }
})
