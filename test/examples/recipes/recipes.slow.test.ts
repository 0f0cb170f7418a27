import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { program, type Running, start, temporaryDirectory } from '../../process.ts'
import { hasPhpunit, junitClassPath, pythonWith, type Ran, ran, runJunit } from '../runtimes.ts'

// The recipe for vitest is run as any other test file here: vitest.config.ts names it.

const here = fileURLToPath(new URL('./', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const recipes = join(root, 'examples/recipes')

interface Recipe {
  readonly name: string
  /** Whether its runner is here; what is missing otherwise. */
  readonly missing: string | false
  /** The kit that it is used with, and the folder that it is copied to. */
  readonly kit?: readonly [file: string, folder: string]
  /** Runs what is in a copy of `examples/recipes`. @param url where a mock listens */
  readonly run: (copy: string, url: string) => Ran
  /** What it says when all of it passes. */
  readonly passes: RegExp
  /** How its client comes to give up at PENDING: a file, and what stands there in place of what. */
  readonly spoilt: readonly [file: string, right: string, wrong: string]
  /** How its client comes to take a new transaction ID for each attempt, where the recipe asks for lost answers. */
  readonly naive?: readonly [file: string, right: string, wrong: string]
}

const pytest = pythonWith('pytest')
const python = pythonWith()
const pythonKit = ['python/mailing_sync_mock.py', 'pytest'] as const

const table: readonly Recipe[] = [
  {
    name: 'Jest, by node:test',
    missing: !existsSync(program) && 'the build',
    run: copy =>
      ran(copy, process.execPath, ['--import', join(here, 'as-jest.mjs'), '--test', 'jest/retry.test.mjs']),
    passes: /pass 5/,
    spoilt: ['send-mailing.mjs', "state !== 'PENDING'", 'state'],
  },
  {
    name: 'pytest',
    missing: !pytest && 'pytest',
    kit: pythonKit,
    run: (copy, url) =>
      ran(join(copy, 'pytest'), pytest!, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
        MAILING_SYNC_URL: url,
      }),
    passes: /5 passed/,
    spoilt: ['pytest/mailing_client.py', 'state != "PENDING"', 'state'],
    naive: [
      'pytest/mailing_client.py',
      '        try:\n',
      '        request.data = json.dumps({"transactionId": str(uuid.uuid4())}).encode()\n        try:\n',
    ],
  },
  {
    name: 'Python alone',
    missing: !python && 'Python',
    kit: pythonKit,
    run: (copy, url) =>
      ran(join(copy, 'pytest'), python!, ['-B', '-m', 'unittest', 'pending'], { MAILING_SYNC_URL: url }),
    passes: /Ran 1 test .*\n\nOK/,
    spoilt: ['pytest/mailing_client.py', 'state != "PENDING"', 'state'],
  },
  {
    name: 'JUnit 5',
    missing: !junitClassPath && 'a JDK, or JUnit 5',
    kit: ['java/MailingSyncMock.java', 'junit'],
    run: (copy, url) => {
      const folder = join(copy, 'junit')
      const sources = [...readdirSync(folder).filter(it => it.endsWith('.java')), join(here, 'RunTests.java')]
      return runJunit(folder, sources, 'RetryTest', { MAILING_SYNC_URL: url })
    },
    passes: /passed 5|5 passed/,
    spoilt: ['junit/MailingClient.java', '!state.group(1).equals("PENDING")', 'true'],
    naive: [
      'junit/MailingClient.java',
      'http.send(request,',
      'http.send(HttpRequest.newBuilder(request, (name, value) -> true).POST(BodyPublishers.ofString("{\\"transactionId\\":\\"" + UUID.randomUUID() + "\\"}")).build(),',
    ],
  },
  {
    name: 'PHPUnit',
    missing: !hasPhpunit && 'PHP, or PHPUnit',
    kit: ['php/MailingSyncMock.php', 'phpunit'],
    run: (copy, url) =>
      ran(
        join(copy, 'phpunit'),
        'phpunit',
        ['--no-configuration', '--do-not-cache-result', 'RetryTest.php'],
        { MAILING_SYNC_URL: url },
      ),
    passes: /OK \(5 tests/,
    spoilt: ['phpunit/MailingClient.php', "$state !== 'PENDING'", 'true'],
    naive: [
      'phpunit/MailingClient.php',
      '            $body = ',
      "            stream_context_set_option($context, 'http', 'content', json_encode(['transactionId' => bin2hex(random_bytes(16))]));\n            $body = ",
    ],
  },
]

describe.each(table)('the recipe for $name', ({ missing, kit, run, passes, spoilt, naive }) => {
  let mock: Running
  beforeAll(async () => {
    mock = await start(['--in-memory'])
  })
  afterAll(() => mock.stop())

  function copied([file, right, wrong]: readonly string[] = []) {
    const copy = temporaryDirectory()
    cpSync(recipes, copy.path, { recursive: true })
    if (kit) copyFileSync(join(root, 'examples/kits', kit[0]), copy.at(kit[1], kit[0].split('/')[1]!))
    if (file !== undefined) {
      const text = readFileSync(copy.at(file), 'utf8')
      expect(text).toContain(right)
      writeFileSync(
        copy.at(file),
        text.replace(right!, () => wrong!),
      )
    }
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
    using copy = copied(spoilt)
    const { status, output } = run(copy.path, mock.url)
    expect(status).not.toBe(0)
    expect(output).toContain('PENDING')
  })

  if (!naive) return
  test.skipIf(missing)(
    titleOr('fails for a client with a new transaction ID for each attempt, and names each sending', lacking),
    () => {
      using copy = copied(naive)
      const { status, output } = run(copy.path, mock.url)
      expect(status).not.toBe(0)
      expect(output).toMatch(/expected 1 sending(?: of synchronization [-\w]+)? to be sent; sent: \d+\n/)
      expect(output.match(/to 12480 recipients, transactionId "/g)?.length).toBeGreaterThanOrEqual(2)
    },
  )
})

test('the pages of the languages show every file of the recipes as it is', () => {
  const pages = ['javascript', 'java', 'php', 'python'].map(it => join(root, `docs/testing-${it}.md`))
  const text = pages.map(it => readFileSync(it, 'utf8')).join('\n')
  const shown = [...text.matchAll(/\]\(\.\.\/(examples\/recipes\/[^)]+)\)[^\n]*\n\n```\w+\n(.*?)```/gs)]
  const files = readdirSync(recipes, { recursive: true, withFileTypes: true }).filter(it => it.isFile())
  expect(shown.map(([, path]) => join(root, path!)).sort()).toEqual(
    files.map(({ parentPath, name }) => join(parentPath, name)).sort(),
  )
  for (const [, path, text] of shown) expect(text).toBe(readFileSync(join(root, path!), 'utf8'))
})
