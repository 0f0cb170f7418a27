import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { eventually, program, start, temporaryDirectory } from '../../process.ts'
import { hasPhp, hasPhpunit, junitClassPath, pythonWith, type Ran, ran, runJunit } from '../runtimes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cases = join(root, 'examples/kits/cases.json')
const all = JSON.parse(readFileSync(cases, 'utf8'))

const compiled = temporaryDirectory()
afterAll(() => compiled[Symbol.dispose]())
/** For runs that are about how a kit fails: each of its tests does. */
const few = all.slice(0, 2)
const fewCases = compiled.at('cases.json')
writeFileSync(fewCases, JSON.stringify(few))

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

const advice =
  'Set MAILING_SYNC_URL to a running mock; or build a clone (npm ci && npm run build) and set MAILING_SYNC_MOCK_COMMAND="node /path/to/mailing-sync-mock/dist/main.js"'
const instead = 'Start mailing-sync-mock there, or unset MAILING_SYNC_URL: then the kit starts one'

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
    passes: new RegExp(`OK \\(${all.length + 1} tests`),
  },
  {
    name: 'JUnit 5',
    file: 'java/MailingSyncMock.java',
    player: 'CasesTest.java',
    lacking: junitClassPath ? undefined : 'a JDK or JUnit 5 is not here',
    run: (folder, env) => {
      copyFileSync(join(root, 'test/examples/recipes/RunTests.java'), join(folder, 'RunTests.java'))
      const sources = ['MailingSyncMock.java', 'CasesTest.java', 'RunTests.java']
      // All folders have the same sources.
      return runJunit(folder, sources, 'CasesTest', env, compiled.path)
    },
    passes: new RegExp(`passed ${all.length + 1} of ${all.length + 1}\n`),
  },
  {
    name: 'pytest with xdist',
    file: 'python/mailing_sync_mock.py',
    player: 'test_cases.py',
    lacking: noPytest,
    run: (folder, env) => {
      writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
      // All that its processes share is the mock that they start. Each of them takes half a second of a processor.
      const count = env.MAILING_SYNC_URL === undefined ? '2' : '0'
      return ran(folder, python!, ['-B', '-m', 'pytest', '-q', '-n', count, '-p', 'no:cacheprovider'], env)
    },
    passes: new RegExp(`${all.length + 1} passed`),
  },
]

describe.each(kits)('the kit for $name', ({ file, player, lacking, run, passes }) => {
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
        MAILING_SYNC_URL: undefined,
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} "${join(folder, 'with blank/mock.mjs')}"`,
        // Read by the mock as its setting and by the kit as what to show.
        MAILING_SYNC_MOCK_TOKEN: 'a-token-of-this-run',
        // A proxy does not reach a mock on this machine.
        ...Object.fromEntries(
          ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'].map(name => [
            name,
            'http://127.0.0.1:9',
          ]),
        ),
        NO_PROXY: undefined,
        no_proxy: undefined,
      })
      expect(status, output).toBe(0)
      expect(output).toMatch(passes)
      const pids = readFileSync(starts, 'utf8').trim().split('\n')
      expect(pids).toHaveLength(1)
      await eventually('the mock to end', () => (isAlive(Number(pids[0])) ? undefined : true))
    },
  )

  /** A folder with the kit and its player. */
  function prepared() {
    const directory = temporaryDirectory()
    copyFileSync(join(root, 'examples/kits', file), directory.at(basename(file)))
    copyFileSync(join(root, 'test/examples/kits', player), directory.at(player))
    return directory
  }

  test.skipIf(missing).each<[what: string, env: Record<string, string | undefined>, says: string]>([
    [
      'the mock that it starts ends at once',
      { MAILING_SYNC_URL: undefined, MAILING_SYNC_MOCK_COMMAND: `${process.execPath} --check` },
      `Could not start "${process.execPath} --check": it ended with code 9. ${advice}`,
    ],
    [
      'the command of the mock does not exist',
      { MAILING_SYNC_URL: undefined, MAILING_SYNC_MOCK_COMMAND: 'no-such-command here' },
      `Could not start "no-such-command here": the program "no-such-command" does not exist or may not be executed. ${advice}`,
    ],
    [
      'a quote in the command is not closed',
      { MAILING_SYNC_URL: undefined, MAILING_SYNC_MOCK_COMMAND: 'node "a path/main.js' },
      `Could not start "node "a path/main.js": a quote in it is not closed. ${advice}`,
    ],
    [
      'the time to start has a unit',
      { MAILING_SYNC_URL: undefined, MAILING_SYNC_MOCK_START_TIMEOUT: '1m' },
      'MAILING_SYNC_MOCK_START_TIMEOUT=1m is not a number of seconds',
    ],
    [
      'no mock answers',
      { MAILING_SYNC_URL: 'http://localhost:1' },
      `No mock answers at http://localhost:1 (MAILING_SYNC_URL): the connection was refused. ${instead}`,
    ],
    [
      'the address has an unknown host',
      { MAILING_SYNC_URL: 'http://no-such-host.invalid' },
      `No mock answers at http://no-such-host.invalid (MAILING_SYNC_URL): there is no host of this name. ${instead}`,
    ],
    [
      'the address has no scheme',
      { MAILING_SYNC_URL: 'localhost:1' },
      'MAILING_SYNC_URL=localhost:1 is no address such as http://localhost:4025',
    ],
    [
      'the address has a blank',
      { MAILING_SYNC_URL: 'http://local host:1' },
      'MAILING_SYNC_URL=http://local host:1 is no address such as http://localhost:4025',
    ],
    [
      'the address has a query',
      { MAILING_SYNC_URL: 'http://localhost:1/?tenant=a' },
      'MAILING_SYNC_URL=http://localhost:1/?tenant=a is no address such as http://localhost:4025',
    ],
    [
      'the address has a fragment',
      { MAILING_SYNC_URL: 'http://localhost:1#a' },
      'MAILING_SYNC_URL=http://localhost:1#a is no address such as http://localhost:4025',
    ],
  ])(titleOr('says what it needs, once for each test, when %s', missing), (_, env, says) => {
    using directory = prepared()
    const { status, output } = run(directory.path, { CASES: fewCases, ...env })
    expect(status).not.toBe(0)
    expect(output).toContain(says)
    // The short summary of pytest says it again.
    const times = player === 'test_cases.py' ? 2 : 1
    expect(output.split(says).length - 1).toBeLessThanOrEqual(times * (few.length + 1))
  })

  test.skipIf(missing)(titleOr('names the variable of an address whose port cannot be', missing), () => {
    using directory = prepared()
    const MAILING_SYNC_URL = 'http://localhost:99999'
    const { status, output } = run(directory.path, { CASES: fewCases, MAILING_SYNC_URL })
    expect(status).not.toBe(0)
    expect(output).toMatch(
      /MAILING_SYNC_URL=http:\/\/localhost:99999 is no address|No mock answers at http:\/\/localhost:99999 \(MAILING_SYNC_URL\): /,
    )
  })

  test.skipIf(missing)(titleOr('ends a command that does not become ready in time', missing), async () => {
    using directory = prepared()
    const idle = directory.at('idle.mjs')
    const pid = directory.at('pid.txt')
    writeFileSync(
      idle,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(pid)}, String(process.pid))\nconsole.log('Loading')\nsetInterval(() => {}, 1000)\n`,
    )
    const { status, output } = run(directory.path, {
      CASES: fewCases,
      MAILING_SYNC_URL: undefined,
      MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${idle}`,
      MAILING_SYNC_MOCK_START_TIMEOUT: '5',
    })
    expect(status).not.toBe(0)
    expect(output).toContain(
      `Could not start "${process.execPath} ${idle}": it did not become ready within 5 s, and printed last "Loading". ${advice}`,
    )
    await eventually('the command to end', () =>
      isAlive(Number(readFileSync(pid, 'utf8'))) ? undefined : true,
    )
  })

  test.skipIf(missing).each([
    ['a page of a web server', 'HTTP/1.1 501 Unsupported method', '<!DOCTYPE HTML>', '501'],
    ['a page with a good status', 'HTTP/1.1 200 OK', '<!DOCTYPE HTML>', '200'],
    ['JSON that is no problem', 'HTTP/1.1 404 Not Found', '{"detail":"Not Found"}', '404'],
    ['JSON of something else', 'HTTP/1.1 200 OK', '{}', 'no space'],
    ['nothing, with a good status', 'HTTP/1.1 204 No Content', '', 'no space'],
    ['something else than HTTP', 'SSH-2.0-OpenSSH', '', 'something that is not HTTP'],
  ])(titleOr('says that it is no mock which answers %s', missing), async (_, head, body, told) => {
    using directory = prepared()
    using stranger = await foreignServer(
      `${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    const { status, output } = run(directory.path, { CASES: fewCases, MAILING_SYNC_URL: stranger.url })
    expect(status).not.toBe(0)
    expect(output).toMatch(
      new RegExp(
        `${stranger.url} is not a mailing-sync-mock: it answered PUT /_mock/spaces/demo\\+\\S+ with ${told}`,
      ),
    )
    if (body) expect(output).not.toContain(body)
  })

  test.skipIf(missing)(titleOr('shows no verdict after a control call that was refused', missing), () => {
    using directory = prepared()
    const { status, output } = run(directory.path, {
      CASES: fewCases,
      SCENARIO: 'reset-aftre',
      // So wide is the short summary of pytest.
      COLUMNS: '300',
      MAILING_SYNC_URL: undefined,
      MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
    })
    expect(status).not.toBe(0)
    expect(output).toMatch(
      /name: there is no scenario "reset-aftre"; did you mean .+ \(PUT \/_mock\/spaces\/demo\+\S+ was refused with 400\)/,
    )
    expect(output).not.toContain('Verdict on space')
    if (player === 'test_cases.py')
      expect(output).toMatch(/^FAILED \S+ - AssertionError: name: there is no scenario/m)
  })

  test.skipIf(missing)(
    titleOr('fails a test whose client sent no request after a scenario was armed', missing),
    () => {
      using directory = prepared()
      const { status, output } = run(directory.path, {
        CASES: fewCases,
        SCENARIO: 'reset-after',
        IDLE: 'yes',
        MAILING_SYNC_URL: undefined,
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
      })
      expect(status).not.toBe(0)
      expect(output).toContain('scenario reset-after was armed, and no request')
      // Nothing that is said of its end would change that.
      expect(output).not.toContain('Tell the judge')
    },
  )

  test.skipIf(missing)(
    titleOr('leaves a capsule of which the judge says what the test said of the client at its end', missing),
    () => {
      using directory = prepared()
      const { status, output } = run(directory.path, {
        CASES: fewCases,
        SCENARIO: 'indeterminate-not-sent',
        STATE: 'INDETERMINATE_FAILURE',
        BELIEVES: 'sent',
        MAILING_SYNC_URL: undefined,
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
      })
      expect(status).not.toBe(0)
      expect(output).toContain('R24 was broken')
      const [, file] =
        /To see it here: .+\/main\.js open ['"]?test-results\/.+\s+On any machine, in a clone of mailing-sync-mock: npm start -- open ['"]?(\/[^'"\s]+)/.exec(
          output,
        )!
      const judged = ran(directory.path, process.execPath, [program, 'judge', file!], {})
      expect(judged.output).toMatch(/^GUILTY: .*R24/m)
    },
  )

  test.skipIf(missing)(titleOr('names the variable for the token of the mock', missing), async () => {
    await using mock = await start(['--in-memory', '--token', 'a-token-of-this-mock'])
    using directory = temporaryDirectory()
    const folder = directory.path
    copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
    copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
    const { status, output } = run(folder, { CASES: fewCases, MAILING_SYNC_URL: mock.url })
    expect(status).not.toBe(0)
    expect(output).toMatch(/ \(PUT \S+ was refused with 401; set MAILING_SYNC_MOCK_TOKEN\)/)
  })

  test.skipIf(missing)(
    titleOr('says that it does not trust the certificate of the mock', missing),
    async () => {
      await using mock = await start(['--in-memory', '--tls'])
      using directory = temporaryDirectory()
      const folder = directory.path
      copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
      copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
      const MAILING_SYNC_URL = `https://localhost:${mock.port}`
      const { status, output } = run(folder, { CASES: fewCases, MAILING_SYNC_URL })
      expect(status).not.toBe(0)
      expect(output).toContain(
        `does not trust the certificate of the mock at ${MAILING_SYNC_URL}: see "Kits" in docs/https.md`,
      )
      expect(output).not.toContain('No mock answers')
    },
  )

  test.skipIf(missing)(
    titleOr(
      'names the page of a failed test in a mock that it did not start, and the command for its capsule in a clone',
      missing,
    ),
    async () => {
      await using mock = await start(['--in-memory'])
      using directory = prepared()
      const { output } = run(directory.path, {
        CASES: cases,
        STATE: 'another state',
        MAILING_SYNC_URL: `http://localhost:${mock.port}`,
        MAILING_SYNC_MOCK_COMMAND: undefined,
      })
      const [, page, capsule] =
        /To see it: (\S+\/sendings)\s+On any machine, in a clone of mailing-sync-mock: npm start -- open ['"]?(\/[^'"\s]+)/.exec(
          output,
        )!
      expect(readFileSync(capsule!, 'utf8')).toContain('"space"')
      const { status } = await fetch(page!, { headers: { Accept: 'text/html' } })
      expect(status).toBe(200)
    },
  )

  test.skipIf(missing)(
    titleOr('names in a job of CI neither the page nor a path of its machine', missing),
    async () => {
      await using mock = await start(['--in-memory'])
      using directory = prepared()
      const { output } = run(directory.path, {
        CI: 'true',
        CASES: cases,
        STATE: 'another state',
        MAILING_SYNC_URL: `http://localhost:${mock.port}`,
        MAILING_SYNC_MOCK_COMMAND: undefined,
      })
      const [, capsule] =
        /To see it on any machine, take the file in test-results there: in a clone of mailing-sync-mock, npm start -- open ['"]?\/path\/to\/([^'"\s/]+)/.exec(
          output,
        )!
      expect(readFileSync(join(directory.path, 'test-results', capsule!), 'utf8')).toContain('"space"')
      expect(output).not.toMatch(/\/sendings$|To see it here|npx/m)
      const installed = run(directory.path, {
        CI: 'true',
        CASES: cases,
        STATE: 'another state',
        MAILING_SYNC_URL: `http://localhost:${mock.port}`,
        MAILING_SYNC_MOCK_COMMAND: 'npx --no --offline --silent -- mailing-sync-mock',
      })
      expect(installed.output).toMatch(
        /take the file in test-results there: npx mailing-sync-mock open ['"]?\/path\/to\//,
      )
    },
  )

  test.skipIf(missing)(
    titleOr('shows the verdict beside a failure of the test itself, and tries a failed start once', missing),
    () => {
      using directory = temporaryDirectory()
      const folder = directory.path
      copyFileSync(join(root, 'examples/kits', file), join(folder, basename(file)))
      copyFileSync(join(root, 'test/examples/kits', player), join(folder, player))
      const env = { MAILING_SYNC_URL: undefined }
      const failed = run(folder, {
        ...env,
        CASES: cases,
        STATE: 'another state',
        MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
      })
      expect(failed.output).toContain('another state')
      expect(failed.output.match(/Verdict on space demo\+[a-z][a-z0-9-]*\./g)).toHaveLength(1)
      if (player === 'CasesTest.java')
        expect(failed.output).toMatch(/Suppressed: java\.lang\.AssertionError: Verdict on/)
      if (player === 'CasesTest.php')
        expect(failed.output).toMatch(/Failed asserting that two strings are identical\.\n\nVerdict on/)
      const kept = readdirSync(join(folder, 'test-results'))
      expect(kept).toEqual([expect.stringMatching(/^[a-z0-9-]+\.capsule\.json$/)])
      expect(failed.output).toMatch(/\/main\.js open ['"]?test-results\/[a-z0-9-]+\.capsule\.json/)
      const judge = ['judge', join('test-results', kept[0]!), '--workers', '1']
      const judged = ran(folder, process.execPath, [program, ...judge], { TZ: 'Asia/Tokyo' })
      const [, name] = /Verdict on space (demo\+\S+)\b/.exec(failed.output)!
      expect(judged.output).toContain(`Verdict on space ${name}`)
      const starts = join(folder, 'starts.txt')
      writeFileSync(
        join(folder, 'mock.mjs'),
        `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(starts)}, 'start ')\n`,
      )
      const MAILING_SYNC_MOCK_COMMAND = `${process.execPath} ${join(folder, 'mock.mjs')}`
      run(folder, { ...env, CASES: fewCases, MAILING_SYNC_MOCK_COMMAND })
      expect(readFileSync(starts, 'utf8')).toBe('start ')
    },
  )
})

const python3 = pythonWith()
const ofProxy =
  'the kit for Python names the proxy of the environment that it asked for a mock on another machine'
test.skipIf(!python3)(titleOr(ofProxy, python3 ? undefined : 'there is no python3 here'), async () => {
  using proxy = await foreignServer(
    'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  )
  using folder = temporaryDirectory()
  copyFileSync(join(root, 'examples/kits/python/mailing_sync_mock.py'), folder.at('mailing_sync_mock.py'))
  const ask = (env: Record<string, string | undefined>) =>
    ran(
      folder.path,
      python3!,
      ['-B', '-c', 'from mailing_sync_mock import *; MailingSyncMock.shared().space()'],
      {
        MAILING_SYNC_URL: 'http://mock.invalid:4025',
        NO_PROXY: undefined,
        no_proxy: undefined,
        ...env,
      },
    ).output
  const sentence = ' of the environment was asked: NO_PROXY=mock.invalid goes without it'
  expect(ask({ http_proxy: proxy.url.replace('//', '//user:secret@') })).toMatch(
    new RegExp(
      `is not a mailing-sync-mock: it answered PUT \\S+ with 403\\. .*The proxy ${proxy.url}${sentence}`,
    ),
  )
  expect(ask({ http_proxy: 'http://127.0.0.1:9' })).toContain(`The proxy http://127.0.0.1:9${sentence}`)
  expect(ask({ http_proxy: proxy.url, NO_PROXY: 'mock.invalid' })).not.toContain('proxy')
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
    MAILING_SYNC_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  }
  const sources = ['MailingSyncMock.java', 'RunTests.java', 'SharedTest.java', 'AbortedTest.java']
  const shared = runJunit(folder, sources, 'SharedTest', env)
  expect(shared.output).toContain(
    'A Space belongs to one test: take it as a parameter of the test or of @BeforeEach',
  )
  expect(runJunit(folder, sources, 'AbortedTest', env).output).not.toContain('Verdict on space')
})

const ofPhpunit = 'PHPUnit checks the client of a test whose class has hooks of its own'
const noPhpunit = hasPhpunit ? undefined : 'php or phpunit is not here'
test.skipIf(noPhpunit)(titleOr(ofPhpunit, noPhpunit), () => {
  using directory = temporaryDirectory()
  const folder = directory.path
  copyFileSync(join(root, 'examples/kits/php/MailingSyncMock.php'), join(folder, 'MailingSyncMock.php'))
  const hooks = `
    protected function setUp(): void {}
    protected function tearDown(): void {}
    protected function assertPostConditions(): void {}
    protected function onNotSuccessfulTest(Throwable $error): never { throw $error; }

    public function testTwice(): void
    {
        $space = $this->space();
        $space->arm('reset-after');
        $this->send($space, 'one');
        $space->control('DELETE', '/scenario');
        $this->send($space, 'two');
    }

    public function testPhpunit12KnowsTheHookByItsAttribute(): void
    {
        $attributes = (new ReflectionMethod($this, 'checkTheClientOfThisTest'))->getAttributes();
        self::assertSame('PHPUnit\\Framework\\Attributes\\PostCondition', $attributes[0]->getName());
    }
`
  const players = readFileSync(join(root, 'test/examples/kits/CasesTest.php'), 'utf8')
  writeFileSync(
    join(folder, 'CasesTest.php'),
    players.replace(/(?=\n {4}private function play)/, () => hooks),
  )
  const filter = ['--filter', 'testTwice|testPhpunit12', 'CasesTest.php']
  const { output } = ran(folder, 'phpunit', ['--no-configuration', '--do-not-cache-result', ...filter], {
    MAILING_SYNC_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  })
  expect(output).toContain('R02 is suspected: new transactionId after an error or a timeout; sent 2 times')
  expect(output).toMatch(/Tests: 2, .*Failures: 1\./)
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
    MAILING_SYNC_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  })
  expect(output).toContain('R02 is suspected: new transactionId after an error or a timeout; sent 2 times')
  expect(output).toMatch(/^FAILED test_twice/m)
  expect(output).toMatch(/^1 failed in /m)
  expect(output).not.toContain('def finish')
  expect(output).not.toContain('traceback entries are hidden')
})

const ofPytestInJob =
  'pytest has in a job of CI the whole verdict once, and in its short summary the reason alone'
test.skipIf(noPytest).each([{ workers: [] }, { workers: ['-n', '1'] }])(
  titleOr(`${ofPytestInJob}: $workers`, noPytest),
  ({ workers }) => {
    using directory = temporaryDirectory()
    const folder = directory.path
    copyFileSync(
      join(root, 'examples/kits/python/mailing_sync_mock.py'),
      join(folder, 'mailing_sync_mock.py'),
    )
    writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
    writeFileSync(
      join(folder, 'test_idle.py'),
      'def test_end(space):\n    space.arm("reset-after")\n\ndef test_assertion(space):\n    space.assert_sent_exactly_once()\n',
    )
    const options = ['-q', '-p', 'no:cacheprovider', '--junit-xml=junit.xml', ...workers]
    const { output } = ran(folder, python!, ['-B', '-m', 'pytest', ...options], {
      CI: 'true',
      MAILING_SYNC_URL: undefined,
      MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
    })
    const [failures, summary] = output.split(/=+ short test summary info =+\n/)
    const reasons = [
      'scenario reset-after was armed, and no request',
      'expected 1 sending to be sent; sent: 0',
    ]
    for (const reason of reasons) expect(failures).toContain(reason)
    expect(failures!.match(/Verdict on space/g)).toHaveLength(2)
    // Some versions of pytest give no reason for a failure without a line of the test.
    const lines = summary!.trimEnd().split('\n').sort()
    expect(lines).toEqual([
      expect.stringMatching(/^2 failed in /),
      expect.stringMatching(
        /^FAILED test_idle\.py::test_assertion - .*expected 1 sending to be sent; sent: 0$/,
      ),
      expect.stringMatching(
        /^FAILED test_idle\.py::test_end( - Failed: scenario reset-after was armed, and no request.*)?$/,
      ),
    ])
    expect(
      readFileSync(join(folder, 'junit.xml'), 'utf8').match(/<failure [^>]*>[^<]*Verdict on space/g),
    ).toHaveLength(2)
  },
)

const ofPytestAlone = 'pytest starts no mock where no test asks for a space'
test.skipIf(noPytest)(titleOr(ofPytestAlone, noPytest), () => {
  using directory = temporaryDirectory()
  const folder = directory.path
  copyFileSync(join(root, 'examples/kits/python/mailing_sync_mock.py'), join(folder, 'mailing_sync_mock.py'))
  writeFileSync(join(folder, 'conftest.py'), 'pytest_plugins = ["mailing_sync_mock"]\n')
  writeFileSync(join(folder, 'test_other.py'), 'def test_other():\n    pass\n')
  const { status, output } = ran(folder, python!, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    MAILING_SYNC_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: 'no-such-command',
  })
  expect(output).toMatch(/^1 passed in /m)
  expect(status).toBe(0)
})

/** A server that gives this answer to everything, in a process of its own: this one waits for the test runners. */
async function foreignServer(answer: string) {
  const code =
    "const server = require('net').createServer(it => it.on('error', () => {}).once('data', () => it.end(process.argv[1])))\nserver.listen(0, 'localhost', () => console.log(server.address().port))"
  const server = spawn(process.execPath, ['-e', code, answer], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(server.stdout, 'data')
  return { url: `http://localhost:${Number(port)}`, [Symbol.dispose]: () => void server.kill() }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const inNamespaces = 'the kit for PHPUnit can be used from a namespace, and stand in one'
test.skipIf(noPhpunit).each([
  ['use \\MailingSyncMock;', ''],
  ['use MailingSyncMock;', 'namespace App\\Tests;'],
])(titleOr(`${inNamespaces}: %s %s`, noPhpunit), (use, namespace) => {
  using directory = temporaryDirectory()
  const folder = directory.path
  const kit = readFileSync(join(root, 'examples/kits/php/MailingSyncMock.php'), 'utf8')
  writeFileSync(
    join(folder, 'MailingSyncMock.php'),
    kit.replace('declare(strict_types=1);', it => `${it}\n${namespace}`),
  )
  const lines = [
    '<?php namespace App\\Tests;',
    "require_once __DIR__ . '/MailingSyncMock.php';",
    'final class IdleTest extends \\PHPUnit\\Framework\\TestCase {',
    use,
    "public function testIdle(): void { $this->space()->arm('reset-after'); }",
    'public function testOwn(): void { $this->space(); self::assertSame(1, 2); }',
    '}',
  ]
  writeFileSync(join(folder, 'IdleTest.php'), lines.join('\n'))
  const { output } = ran(folder, 'phpunit', ['--no-configuration', '--do-not-cache-result', 'IdleTest.php'], {
    MAILING_SYNC_URL: undefined,
    MAILING_SYNC_MOCK_COMMAND: `${process.execPath} ${program}`,
  })
  expect(output).toContain('scenario reset-after was armed, and no request')
  expect(output).toContain('Verdict on space')
  expect(output).toMatch(/Tests: 2, .*Failures: 2\./)
})

test.skipIf(!hasPhp)(
  titleOr(
    'the kit for PHP works outside PHPUnit, and reads the older name of the address',
    hasPhp ? undefined : 'php is not here',
  ),
  async () => {
    await using mock = await start(['--in-memory'])
    using directory = temporaryDirectory()
    const kit = join(root, 'examples/kits/php/MailingSyncMock.php')
    const script = `<?php
require ${JSON.stringify(kit)};
$space = new MailingSpace(MailingSpace::url());
try { $space->assertSentExactlyOnce(); } catch (\\AssertionError $error) { echo $error->getMessage(); }
$space->finish();
`
    writeFileSync(directory.at('outside.php'), script)
    const env = { MAILING_SYNC_URL: undefined, MAILING_SERVICE_URL: mock.url }
    const { status, output } = ran(directory.path, 'php', ['outside.php'], env)
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining('expected 1 sending to be sent; sent: 0'),
    })
  },
)
