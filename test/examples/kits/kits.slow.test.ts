import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { eventually, program, start, temporaryDirectory } from '../../process.ts'
import { hasPhpunit, junitClassPath, pythonWith, type Ran, ran, runJunit } from '../runtimes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cases = join(root, 'examples/kits/cases.json')
const { length } = JSON.parse(readFileSync(cases, 'utf8'))

const compiled = temporaryDirectory()
afterAll(() => compiled[Symbol.dispose]())

interface Kit {
  readonly name: string
  readonly file: string
  /** What plays the cases through it, in this folder or the one of the recipes. */
  readonly player: string
  /** What is missing to run it; undefined where nothing is. */
  readonly lacking: string | undefined
  /** Plays the cases in a folder that has the kit and its player. */
  readonly run: (folder: string, env: Record<string, string | undefined>) => Ran
  /** What the runner says when all of it passes. */
  readonly passes: RegExp
}

const startFailure =
  /Could not start "(?:[^"]* --check|no-such-command here)"\. Set MAILING_SERVICE_URL to a running mock; or build a clone \(npm ci && npm run build\) and set MAILING_SYNC_MOCK_COMMAND="node \/path\/to\/mailing-sync-mock\/dist\/main\.js"/

const python = pythonWith('pytest', 'xdist')
const noPytest = python ? undefined : 'pytest or pytest-xdist is not here'

const kits: readonly Kit[] = [
  {
    name: 'PHPUnit',
    file: 'php/MailingSyncMock.php',
    player: 'CasesTest.php',
    lacking: hasPhpunit ? undefined : 'php or phpunit is not here',
    run: (folder, env) =>
      ran(folder, 'phpunit', ['--no-configuration', '--do-not-cache-result', 'CasesTest.php'], env),
    passes: new RegExp(`OK \\(${length + 1} tests`),
  },
  {
    name: 'JUnit 5',
    file: 'java/MailingSyncMock.java',
    player: 'CasesTest.java',
    lacking: junitClassPath ? undefined : 'a JDK or JUnit 5 is not here',
    run: (folder, env) => {
      copyFileSync(join(root, 'test/examples/recipes/RunTests.java'), join(folder, 'RunTests.java'))
      const sources = ['MailingSyncMock.java', 'CasesTest.java', 'RunTests.java']
      // All folders have the same sources: those after the first take its classes.
      const [own, first] = [join(folder, 'classes'), compiled.at('classes')]
      if (existsSync(first)) cpSync(first, own, { recursive: true })
      const ended = runJunit(folder, sources, 'CasesTest', env)
      if (existsSync(own)) cpSync(own, first, { recursive: true })
      return ended
    },
    passes: new RegExp(`passed ${length + 1} of ${length + 1}\n`),
  },
  {
    name: 'pytest with xdist',
    file: 'python/mailing_sync_mock.py',
    player: 'test_cases.py',
    lacking: noPytest,
    run: (folder, env) => {
      writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
      return ran(folder, python!, ['-B', '-m', 'pytest', '-q', '-n', '2', '-p', 'no:cacheprovider'], env)
    },
    passes: new RegExp(`${length + 1} passed`),
  },
]

describe.each(kits)('the kit for $name', ({ file, player, lacking, run, passes }) => {
  test('is one file of at most 250 lines', () => {
    const text = readFileSync(join(root, 'examples/kits', file), 'utf8')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  })

  const missing = lacking ?? (existsSync(program) ? undefined : 'the mock is not built')
  test.skipIf(missing)(
    titleOr('passes the cases that all kits share, with one mock for the run that ends with it', missing),
    async () => {
      using directory = temporaryDirectory()
      const folder = directory.path
      copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
      copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
      const starts = join(folder, 'starts.txt')
      mkdirSync(join(folder, 'with blank'))
      writeFileSync(
        join(folder, 'with blank/mock.mjs'),
        `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(starts)}, process.pid + '\\n')\nawait import(${JSON.stringify(program)})\n`,
      )
      const { status, output } = run(folder, {
        CASES: cases,
        MAILING_SERVICE_URL: undefined,
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} "${join(folder, 'with blank/mock.mjs')}"`,
        // Read by the mock as its setting and by the kit as what to show.
        MAILING_SYNC_MOCK_TOKEN: 'a-token-of-this-run',
      })
      expect(status, output).toBe(0)
      expect(output).toMatch(passes)
      const pids = readFileSync(starts, 'utf8').trim().split('\n')
      expect(pids).toHaveLength(1)
      await eventually('the mock to end', () => (isAlive(Number(pids[0])) ? undefined : true))
    },
  )

  test.skipIf(missing).each<[what: string, env: Record<string, string | undefined>, says: RegExp]>([
    [
      'the mock that it starts ends at once',
      { MAILING_SERVICE_URL: undefined, MAILING_SYNC_MOCK_COMMAND: `${process.execPath} --check` },
      startFailure,
    ],
    [
      'the command of the mock does not exist',
      { MAILING_SERVICE_URL: undefined, MAILING_SYNC_MOCK_COMMAND: 'no-such-command here' },
      startFailure,
    ],
    [
      'no mock answers',
      { MAILING_SERVICE_URL: 'http://localhost:1' },
      /No mock answers at http:\/\/localhost:1 \(MAILING_SERVICE_URL\)\. Start it: npm start/,
    ],
    [
      'the address has no scheme',
      { MAILING_SERVICE_URL: 'localhost:1' },
      /MAILING_SERVICE_URL=localhost:1 has no scheme: http:\/\/localhost:1/,
    ],
  ])(titleOr('says what it needs when %s', missing), (_, env, says) => {
    using directory = temporaryDirectory()
    const folder = directory.path
    copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
    copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
    const { status, output } = run(folder, { CASES: cases, ...env })
    expect(status).not.toBe(0)
    expect(output).toMatch(says)
  })

  test.skipIf(missing)(titleOr('names the variable for the token of the mock', missing), async () => {
    await using mock = await start(['--in-memory', '--token', 'a-token-of-this-mock'])
    using directory = temporaryDirectory()
    const folder = directory.path
    copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
    copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
    const { status, output } = run(folder, { CASES: cases, MAILING_SERVICE_URL: mock.url })
    expect(status).not.toBe(0)
    expect(output).toMatch(/was refused with 401: .+ \(MAILING_SYNC_MOCK_TOKEN\)/)
  })

  test.skipIf(missing)(
    titleOr('says that it does not trust the certificate of the mock', missing),
    async () => {
      await using mock = await start(['--in-memory', '--tls'])
      using directory = temporaryDirectory()
      const folder = directory.path
      copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
      copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
      const MAILING_SERVICE_URL = `https://localhost:${mock.port}`
      const { status, output } = run(folder, { CASES: cases, MAILING_SERVICE_URL })
      expect(status).not.toBe(0)
      expect(output).toContain(
        `does not trust the certificate of the mock at ${MAILING_SERVICE_URL}: see "Kits" in docs/https.md`,
      )
      expect(output).not.toContain('No mock answers')
    },
  )

  test.skipIf(missing)(
    titleOr('shows the verdict beside a failure of the test itself, and tries a failed start once', missing),
    () => {
      using directory = temporaryDirectory()
      const folder = directory.path
      copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
      copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
      const env = { CASES: cases, MAILING_SERVICE_URL: undefined }
      const failed = run(folder, {
        ...env,
        STATE: 'another state',
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
      })
      expect(failed.output).toContain('another state')
      expect(failed.output.match(/Verdict on space demo\+/g)).toHaveLength(1)
      if (player !== 'test_cases.py')
        expect(failed.output).toMatch(/^CasesTest(?:, |::).* failed\. Verdict on/m)
      const starts = join(folder, 'starts.txt')
      writeFileSync(
        join(folder, 'mock.mjs'),
        `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(starts)}, 'start ')\n`,
      )
      run(folder, { ...env, MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${join(folder, 'mock.mjs')}` })
      expect(readFileSync(starts, 'utf8')).toBe('start ')
    },
  )
})

const ofJava =
  'JUnit refuses a space that all tests of a class would share, and shows no verdict on an aborted test'
const noJunit = junitClassPath ? undefined : 'a JDK or JUnit 5 is not here'
test.skipIf(noJunit)(titleOr(ofJava, noJunit), () => {
  using directory = temporaryDirectory()
  const folder = directory.path
  copyFileSync(join(root, 'examples/kits/java/MailingSyncMock.java'), join(folder, 'MailingSyncMock.java'))
  copyFileSync(join(root, 'test/examples/recipes/RunTests.java'), join(folder, 'RunTests.java'))
  const head =
    'import org.junit.jupiter.api.*;\nimport org.junit.jupiter.api.extension.*;\n@ExtendWith(MailingSyncMock.class)\n'
  writeFileSync(
    join(folder, 'SharedTest.java'),
    `${head}class SharedTest { SharedTest(MailingSyncMock.Space space) {} @Test void first() {} }\n`,
  )
  writeFileSync(
    join(folder, 'AbortedTest.java'),
    `${head}class AbortedTest { @Test void aborted(MailingSyncMock.Space space) { Assumptions.assumeTrue(false); } }\n`,
  )
  const env = {
    MAILING_SERVICE_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  }
  const sources = ['MailingSyncMock.java', 'RunTests.java', 'SharedTest.java', 'AbortedTest.java']
  const shared = runJunit(folder, sources, 'SharedTest', env)
  expect(shared.output).toContain(
    'A Space belongs to one test: take it as a parameter of the test or of @BeforeEach',
  )
  expect(runJunit(folder, sources, 'AbortedTest', env).output).not.toContain('Verdict on space')
})

const ofPytest = 'pytest fails a test itself, not its teardown, for what the judge says of it'
test.skipIf(noPytest)(titleOr(ofPytest, noPytest), () => {
  using directory = temporaryDirectory()
  const folder = directory.path
  copyFileSync(join(root, 'examples/kits/python/mailing_sync_mock.py'), join(folder, 'mailing_sync_mock.py'))
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
  writeFileSync(
    join(folder, 'test_twice.py'),
    readFileSync(join(root, 'test/examples/kits/test_cases.py'), 'utf8').replace(
      /@pytest\.mark[\s\S]*$/,
      'def test_twice(space):\n    space.arm("reset-after")\n    send(space, "one")\n    space.control("DELETE", "/scenario")\n    send(space, "two")\n',
    ),
  )
  const { output } = ran(folder, python!, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    CASES: cases,
    MAILING_SERVICE_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  })
  expect(output).toContain('the client may send one mailing more than once (sent so far: 2)')
  expect(output).toMatch(/^FAILED test_twice/m)
  expect(output).toMatch(/^1 failed in /m)
  expect(output).not.toContain('def finish')
})

const ofPytestAlone = 'pytest starts no mock where no test asks for a space'
test.skipIf(noPytest)(titleOr(ofPytestAlone, noPytest), () => {
  using directory = temporaryDirectory()
  const folder = directory.path
  copyFileSync(join(root, 'examples/kits/python/mailing_sync_mock.py'), join(folder, 'mailing_sync_mock.py'))
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
  writeFileSync(join(folder, 'test_other.py'), 'def test_other():\n    pass\n')
  const { status, output } = ran(folder, python!, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    MAILING_SERVICE_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: 'no-such-command',
  })
  expect(output).toMatch(/^1 passed in /m)
  expect(status).toBe(0)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
