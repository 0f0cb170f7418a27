import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { defaultFixture } from '../src/store/fixtures.ts'
import type { Fixture } from '../src/store/rows.ts'
import { hasCurl, type Running, run, start } from './process.ts'

vi.setConfig({ testTimeout: 30_000 })

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const fixture: Fixture = JSON.parse(readFileSync(defaultFixture, 'utf8'))

const help = (await run(['--help'])).output.replaceAll(/\s+/g, ' ')
const verifyHelp = (await run(['verify', '--help'])).output
/** Each flag of --help with the names of its variables. */
const flags = [...help.matchAll(/ (--[a-z-]+) [^()]*\([^()]*env: (\w+)(?: or (\w+))?\)/g)].map(
  ([, flag, ...variables]) => [flag, variables.filter(Boolean)],
)

/** The rows of the table below these column titles, cell by cell, without the marks of code. */
function table(...titles: string[]): string[][] {
  const lines = readme.split('\n')
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
  /**
   * Before a block that is tried stands a comment, with what each time it is run must give:
   * `<!-- answers nothing, then 200 {"part": "of the body"} -->`. Nothing is a connection that breaks.
   */
  const tried = /([^\n]+)\n\n<!-- answers (.+?) -->\n```sh\n([^`]+)```/g
  const blocks = [...readme.matchAll(tried)].map(([, title, expected, command]) => ({
    command: command!,
    title: title!.replace(/:$/, ''),
    answers: expected!.split(', then ').map(text => {
      const [, status, part] = /^(\d+|nothing)(?: (\{.*\}))?$/.exec(text)!
      return { status: status === 'nothing' ? 0 : Number(status), part: part && JSON.parse(part) }
    }),
  }))
  let mock: Running
  let id = ''
  beforeAll(async () => {
    mock = await start(['--in-memory'])
  })
  afterAll(() => mock.stop())

  async function paste(command: string) {
    const here = command.replaceAll('http://localhost:4025', mock.url).replaceAll('THE-ID', id)
    const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@" || true; }\n${here}`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { timeout: 15_000 })
    const [, body, status] = /^(.*)\n(\d+)$/s.exec(stdout)!
    return { status: Number(status), body: body ? JSON.parse(body) : undefined }
  }

  test('are tried wherever curl is used', () => {
    expect(blocks.length).toBe([...readme.matchAll(/^curl /gm)].length)
  })

  // In the README's order: what one creates, the next one reads.
  test.runIf(hasCurl).each(blocks)('$title', async ({ command, answers }) => {
    for (const { status: expected, part } of answers) {
      const { status, body } = await paste(command)
      expect(status).toBe(expected)
      if (part) expect(body).toMatchObject(part)
      id = body?.id ?? id
    }
  })

  test('use flags that exist', () => {
    const used = [...readme.matchAll(/npm start -- (verify )?([^`\n]*)/g)].map(
      ([, command, args]) => [command, args!.match(/--[a-z-]+/g) ?? []] as const,
    )
    const ofMock = used.filter(([command]) => !command).flatMap(([, named]) => named)
    expect(flags.map(([flag]) => flag)).toEqual(expect.arrayContaining(ofMock))
    const ofVerify = used.filter(([command]) => command).flatMap(([, named]) => named)
    expect(verifyHelp.match(/--[a-z-]+/g)).toEqual(expect.arrayContaining(ofVerify))
  })

  test('of npm are in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
    for (const [, name] of readme.matchAll(/npm run ([a-z:]+)/g)) expect(scripts).toHaveProperty([name!])
  })
})

describe('the tables', () => {
  test('name exactly the settings of --help, with their variables', () => {
    const rows = table('Flag', 'Environment', 'Default', 'What it sets')
    expect(rows.map(([flag, variables]) => [flag, variables?.split(' or ')])).toEqual(flags)
  })

  test('name the defaults of --help', () => {
    for (const [flag, , initial] of table('Flag', 'Environment', 'Default', 'What it sets'))
      if (initial && initial !== 'the packaged one')
        expect(help).toMatch(new RegExp(`${flag} [^()]*\\(default: ${initial.replaceAll('.', '\\.')}, env`))
  })

  test('name the users of the default fixture', () => {
    expect(table('User', 'Password', 'May')).toEqual(
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
    expect(table('ID', 'Mailing', 'Version', 'Ready', 'Customer', 'List', 'Sendings')).toEqual(rows)
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

test('the links lead somewhere', () => {
  // Written by a full run, which holds it against the clauses as well.
  const generated = ['docs/fidelity.md']
  const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target]) => target!)
  expect(targets.filter(target => !generated.includes(target) && !existsSync(new URL(target, root)))).toEqual(
    [],
  )
})
