import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { program, type Running, start, temporaryDirectory } from '../../process.ts'

// The recipe for vitest is run as any other test file here: vitest.config.ts names it.

const here = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const recipes = join(root, 'examples/recipes')

const speaks = (command: string, args: readonly string[]) => spawnSync(command, args).status === 0

/** The newest JUnit 5 that Maven has brought to this machine, as a class path; empty where there is none. */
function junit(): string {
  const repository = join(homedir(), '.m2/repository')
  const versions = join(repository, 'org/junit/platform/junit-platform-launcher')
  if (!existsSync(versions)) return ''
  const paths = readdirSync(versions)
    .filter(version => version.startsWith('1.'))
    .map(platform => {
      const jupiter = platform.replace(/^1/, '5')
      return [
        ...['launcher', 'engine', 'commons'].map(it => `org/junit/platform/junit-platform-${it}/${platform}`),
        ...['api', 'engine'].map(it => `org/junit/jupiter/junit-jupiter-${it}/${jupiter}`),
        'org/opentest4j/opentest4j/1.3.0',
        'org/apiguardian/apiguardian-api/1.1.2',
      ].map(path => {
        const [version, name] = path.split('/').reverse()
        return join(repository, path, `${name}-${version}.jar`)
      })
    })
  return paths.findLast(jars => jars.every(jar => existsSync(jar)))?.join(delimiter) ?? ''
}

const classPath = junit()

interface Recipe {
  readonly name: string
  /** Whether its runner is here; what is missing otherwise. */
  readonly missing: string | false
  /** Runs what is in a copy of `examples/recipes`. @param url where a mock listens */
  readonly run: (copy: string, url: string) => { readonly status: number | null; readonly output: string }
  /** What it says when all of it passes. */
  readonly passes: RegExp
  /** How its client comes to give up at PENDING: a file, and what stands there in place of what. */
  readonly spoilt: readonly [file: string, right: string, wrong: string]
}

function ran(cwd: string, command: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, output: stdout + stderr }
}

const table: readonly Recipe[] = [
  {
    name: 'Jest, by node:test',
    missing: !existsSync(program) && 'the build',
    run: copy =>
      ran(copy, process.execPath, ['--import', join(here, 'as-jest.mjs'), '--test', 'jest/retry.test.mjs']),
    passes: /pass 4/,
    spoilt: ['send-mailing.mjs', "state !== 'PENDING'", 'state'],
  },
  {
    name: 'pytest',
    missing: !speaks('python3', ['-m', 'pytest', '--version']) && 'pytest',
    run: (copy, url) =>
      ran(join(copy, 'pytest'), 'python3', ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
        MAILING_SERVICE_URL: url,
      }),
    passes: /4 passed/,
    spoilt: ['pytest/mailing_client.py', 'state != "PENDING"', 'state'],
  },
  {
    name: 'Python alone',
    missing: !speaks('python3', ['--version']) && 'Python',
    run: (copy, url) =>
      ran(join(copy, 'pytest'), 'python3', ['-B', '-m', 'unittest', 'pending'], {
        MAILING_SERVICE_URL: url,
      }),
    passes: /Ran 1 test .*\n\nOK/,
    spoilt: ['pytest/mailing_client.py', 'state != "PENDING"', 'state'],
  },
  {
    name: 'JUnit 5',
    missing:
      !(speaks('javac', ['-version']) && classPath) && 'a JDK, or JUnit 5 in the local Maven repository',
    run: (copy, url) => {
      const folder = join(copy, 'junit')
      const sources = [...readdirSync(folder).map(name => join(folder, name)), join(here, 'RunTests.java')]
      const made = ran(folder, 'javac', ['-cp', classPath, '-d', join(copy, 'classes'), ...sources])
      if (made.status !== 0) return made
      const classes = [classPath, join(copy, 'classes')].join(delimiter)
      return ran(folder, 'java', ['-cp', classes, 'RunTests', 'RetryTest'], { MAILING_SERVICE_URL: url })
    },
    passes: /passed 4|4 passed/,
    spoilt: ['junit/MailingClient.java', '!state.group(1).equals("PENDING")', 'true'],
  },
]

describe.each(table)('the recipe for $name', ({ missing, run, passes, spoilt: [file, right, wrong] }) => {
  let mock: Running
  beforeAll(async () => {
    mock = await start(['--in-memory'])
  })
  afterAll(() => mock.stop())

  function copied() {
    const copy = temporaryDirectory()
    cpSync(recipes, copy.path, { recursive: true })
    return copy
  }

  const lacking = missing ? `${missing} is not here` : undefined
  test.skipIf(missing)(titleOr('passes', lacking), () => {
    using copy = copied()
    const { status, output } = run(copy.path, mock.url)
    expect(status, output).toBe(0)
    expect(output).toMatch(passes)
  })

  test.skipIf(missing)(titleOr('fails for a client that takes PENDING for an end', lacking), () => {
    using copy = copied()
    const text = readFileSync(copy.at(file), 'utf8')
    expect(text).toContain(right)
    writeFileSync(copy.at(file), text.replace(right, wrong))
    const { status, output } = run(copy.path, mock.url)
    expect(status).not.toBe(0)
    expect(output).toContain('PENDING')
  })
})

test('docs/testing-recipes.md shows every file of the recipes as it is', () => {
  const page = readFileSync(join(root, 'docs/testing-recipes.md'), 'utf8')
  const shown = [...page.matchAll(/\]\(\.\.\/(examples\/recipes\/[^)]+)\)[^\n]*\n\n```\w+\n(.*?)```/gs)]
  const files = readdirSync(recipes, { recursive: true, withFileTypes: true }).filter(it => it.isFile())
  expect(shown.map(([, path]) => join(root, path!)).sort()).toEqual(
    files.map(({ parentPath, name }) => join(parentPath, name)).sort(),
  )
  for (const [, path, text] of shown) expect(text).toBe(readFileSync(join(root, path!), 'utf8'))
})
