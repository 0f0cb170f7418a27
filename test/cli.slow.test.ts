import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createWebServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { defaultFixture } from '../src/store/fixtures.ts'
import type { Fixture } from '../src/store/rows.ts'
import { customersPath, ids, synchronizationPath, synchronizationsPath } from './mock.ts'
import { titleOr } from './not-run.ts'
import {
  eventually,
  hasCurl,
  noCurl,
  program,
  type Running,
  run,
  start,
  takenPort,
  temporaryDirectory,
} from './process.ts'

const sh = (line: string) => promisify(execFile)('sh', ['-c', line], { timeout: 60_000 })
const sendings = synchronizationPath(ids.ready, '/sendings')
const headers = { Authorization: `Basic ${btoa('demo:demo')}`, 'Content-Type': 'application/hal+json' }

const get = async (mock: Running, path: string) => (await fetch(`${mock.url}${path}`, { headers })).text()

/** Creates a sending. @returns where it can be read */
async function send(mock: Running, transactionId: string): Promise<string> {
  const body = JSON.stringify({ transactionId })
  const response = await fetch(`${mock.url}${sendings}`, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
  return new URL(response.headers.get('location')!).pathname
}

/** A request whose headers have arrived, as its answer says, and whose body never comes. */
async function halfSent(mock: Running): Promise<Socket> {
  const socket = connect(mock.port, '127.0.0.1').setEncoding('utf8')
  socket.on('error', () => {})
  const lines = [
    `POST ${sendings} HTTP/1.1`,
    `Host: localhost:${mock.port}`,
    `Authorization: ${headers.Authorization}`,
    'Content-Type: application/hal+json',
    'Content-Length: 100',
    'Expect: 100-continue',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  expect(String(await once(socket, 'data'))).toContain('100 Continue')
  return socket
}

/** Runs what must not start: exit code 2, one line on standard error, nothing else. @returns the sentence */
async function refusal(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { code, output, errors } = await run(args, env)
  expect(errors).toMatch(/^mailing-sync-mock: [^\n]+\n$/)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  return errors.replace('mailing-sync-mock: ', '').trimEnd()
}

/** A web server that is no mock. */
async function otherServer(status: number, body: string) {
  const server = createWebServer((_, response) => {
    response.writeHead(status).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.dispose]: () => void server.close() }
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  using taken = await takenPort()
  return taken.port
}

describe.concurrent('a start', () => {
  test('a start ends its output with the ready line', async () => {
    await using mock = await start(['--in-memory'])
    expect(mock.output().split('\n').slice(-2)).toEqual([
      `mailing-sync-mock ready on http://localhost:${mock.port}`,
      '',
    ])
  })

  test.runIf(hasCurl)(titleOr('prints a curl line that creates a sending when pasted', noCurl), async () => {
    await using mock = await start(['--in-memory'])
    const line = mock.output().match(/^ *curl .*/m)?.[0]
    const { stdout } = await sh(`${line} -sS -w '\\n%{http_code}'`)
    const [body, status] = stdout.split('\n')
    expect(status).toBe('201')
    expect(JSON.parse(body!)).toMatchObject({ state: 'CREATED', mailingSynchronizationId: ids.ready })
  })

  test('the log says why a state of a pact was refused, since verifiers show the status alone', async () => {
    await using mock = await start(['--in-memory'])
    const { status } = await fetch(`${mock.url}/_mock/spaces/demo+pact/pact/provider-states`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ state: 'a sendin exists' }),
    })
    expect(status).toBe(400)
    await eventually('the line', () =>
      /state \W*"a sendin exists\W*" of a pact was refused: .*did you mean/.test(
        mock.output() + mock.errors(),
      ),
    )
  })

  test("a start introduces the users of a fixture of its own without their passwords, which are the fixture's", async () => {
    const own: Fixture = {
      ...JSON.parse(readFileSync(defaultFixture, 'utf8')),
      space: 'acme',
      users: [{ name: 'ann', password: "it's a secret", rights: ['read', 'write'] }],
      synchronizations: [],
      mailingUploads: [],
      sendings: [],
      testSynchronizations: [],
    }
    using folder = temporaryDirectory()
    const path = folder.at('own.json')
    await writeFile(path, JSON.stringify(own))
    await using mock = await start(['--in-memory', '--fixtures', path])
    expect(mock.output()).toContain('ann / (the password in your fixture) (read, write)')
    expect(mock.output()).toContain(`curl -u ann ${mock.url}/mailings`)
    expect(mock.output()).not.toContain('secret')
  })

  test('with --quiet prints the ready line only', async () => {
    await using mock = await start(['--in-memory', '--quiet'])
    expect(mock.output()).toBe(`mailing-sync-mock ready on http://localhost:${mock.port}\n`)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('a start says that it stopped after %s', async signal => {
    await using mock = await start(['--in-memory'])
    await mock.stop(signal)
    expect(mock.output()).toMatch(/ready on \S+\nmailing-sync-mock stopped\n$/)
  })

  test('a start goes on when the reader of its output leaves', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [program, '--in-memory', '--port', String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.destroy()
    await eventually('an answer', () =>
      fetch(`http://127.0.0.1:${port}/_mock/health`).then(
        response => response.ok || undefined,
        () => undefined,
      ),
    )
    child.kill()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

test('a scenario that is written or edited as soon as the mock says that it is ready is played', async () => {
  using folder = temporaryDirectory()
  const scenario = (status: number) =>
    `rules: [{ on: createSending, steps: [{ phase: before, answer: { status: ${status} } }] }]\n`
  await writeFile(folder.at('old.yaml'), scenario(502))
  await using mock = await start(['--in-memory', '--scenarios', folder.path])
  await Promise.all([
    writeFile(folder.at('old.yaml'), scenario(503)),
    writeFile(folder.at('new.yaml'), scenario(504)),
  ])
  const statusWith = async (name: string) => {
    const init = { method: 'POST', headers: { ...headers, 'X-Mock-Scenario': name }, body: '{}' }
    return (await fetch(`${mock.url}${sendings}`, init)).status
  }
  await eventually('both files to be read', async () => {
    const statuses = [await statusWith('old'), await statusWith('new')]
    return statuses.join() === '503,504' || undefined
  })
})

test('with --stop-with-input the mock stops when whoever started it is gone', async () => {
  const child = spawn(process.execPath, [program, '--in-memory', '--port', '0', '--stop-with-input'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const output = child.stdout.setEncoding('utf8')
  for await (const text of output) if (text.includes(' ready on ')) break
  expect(child.exitCode).toBe(null)
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('with --stop-with-input a signal together with the end of the input is no second signal', async () => {
  using directory = temporaryDirectory()
  const data = directory.at('data')
  const child = spawn(process.execPath, [program, '--data', data, '--port', '0', '--stop-with-input'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  await eventually('it to be ready', () => (output.includes(' ready on ') ? true : undefined))
  child.stdin.end()
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output).toContain('mailing-sync-mock stopped')
})

describe.concurrent('a setting', () => {
  test('a setting is in --help, which says what its variable is called', async () => {
    const { code, output } = await run(['--help'])
    const flags = [...output.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag!)
    const promised =
      '--port --host --data --in-memory --fixtures --seed --generate --relation-prefix --platform-segment --public-url --log-level --quiet'
    expect(code).toBe(0)
    expect(flags).toEqual(expect.arrayContaining(promised.split(' ')))
    expect(output).toContain('set in the environment: --tls-port as MAILING_SYNC_MOCK_TLS_PORT.')
  })

  const relationWith = async (args: string[], env: Record<string, string>) => {
    await using mock = await start(['--in-memory', ...args], env)
    const { _links } = JSON.parse(await get(mock, synchronizationPath(ids.ready)))
    return _links.curies[0].name
  }

  test('a setting has its default when nothing is said', async () => {
    expect(await relationWith([], {})).toBe('svc')
  })

  test('a setting is taken from the environment', async () => {
    expect(await relationWith([], { MAILING_SYNC_MOCK_RELATION_PREFIX: 'env' })).toBe('env')
  })

  test('a setting is taken from the flag even if the environment says otherwise', async () => {
    const env = { MAILING_SYNC_MOCK_RELATION_PREFIX: 'env' }
    expect(await relationWith(['--relation-prefix', 'flag'], env)).toBe('flag')
  })

  test('that is an empty variable counts as not given', async () => {
    expect(await relationWith([], { MAILING_SYNC_MOCK_RELATION_PREFIX: '' })).toBe('svc')
  })

  test('PORT is the port to listen on', async () => {
    const port = await freePort()
    await using mock = await start(['--in-memory'], { PORT: String(port) })
    expect(mock.port).toBe(port)
  })

  test('MAILING_SYNC_MOCK_PORT beats PORT', async () => {
    const port = await freePort()
    await using mock = await start(['--in-memory'], { PORT: '1', MAILING_SYNC_MOCK_PORT: String(port) })
    expect(mock.port).toBe(port)
  })
})

describe.concurrent('what it cannot start with is told in one line:', () => {
  test.each<[what: string, args: string[], env: Record<string, string>, sentence: string]>([
    ['an unknown flag', ['--prot', '1'], {}, "unknown option '--prot' (Did you mean --port?); --help shows"],
    ['a switch with a value', ['--in-memory=yes'], {}, "option '--in-memory' takes no value; --help shows"],
    ['a negative switch with one', ['health', '--no-hints=1'], {}, "option '--no-hints' takes no value"],
    [
      'a switch of the mock',
      ['exam', '--in-memory=1'],
      {},
      'exam has no --in-memory: it starts a mock of its own',
    ],
    ['a switch of its own with a value', ['exam', '--tls=x'], {}, "option '--tls' takes no value"],
    ['a switch of another command', ['verify', '--in-memory=1'], {}, "unknown option '--in-memory=1'"],
    [
      'a flag before its command',
      ['--slow', 'exam', '--', 'node'],
      {},
      '--slow is a flag of exam and stands behind that word',
    ],
    [
      'an address without its flag',
      ['verify', 'http://a/b'],
      {},
      'write --url http://a/b: an address has this flag',
    ],
    [
      'an unknown command',
      ['helth'],
      {},
      '"helth" is no command; did you mean health? possible: health, exam, verify, ',
    ],
    [
      'a command of earlier days',
      ['explore', '--depth', '2'],
      {},
      'explore is part of the exam: write exam --depth 2 in its place',
    ],
    ['a command with an ending', ['examine'], {}, '"examine" is no command; did you mean exam? possible: '],
    [
      'two ways to HTTPS',
      ['--tls', '--tls-port', '0'],
      {},
      '--tls makes the one port speak HTTPS, and --tls-port adds a second one that does; give one of them',
    ],
    [
      'two ways to HTTPS in the environment',
      [],
      { MAILING_SYNC_MOCK_TLS: 'true', MAILING_SYNC_MOCK_TLS_PORT: '0' },
      'give one of them',
    ],
    [
      'one port for two things',
      ['--port', '4025', '--control-port', '4025'],
      {},
      '--control-port is 4025, as another port of this mock is; give each its own',
    ],
    [
      'an empty variable beside a bad PORT',
      [],
      { MAILING_SYNC_MOCK_PORT: '', PORT: 'http' },
      'PORT is "http": expected',
    ],
    [
      'memory with a unit',
      ['--memory-limit', '512m'],
      {},
      '--memory-limit is "512m": expected a whole number of MiB from 16',
    ],
    ['an argument too many', ['health', 'me'], {}, "too many arguments for 'health'. Expected 0 arguments"],
    ['a flag without its value', ['--port'], {}, "option '--port <number>' argument missing"],
    [
      'a bad value of a flag',
      ['--port', '70000'],
      {},
      '--port is "70000": expected a whole number from 0 to 65535',
    ],
    [
      'a bad value in the environment',
      [],
      { MAILING_SYNC_MOCK_IN_MEMORY: 'perhaps' },
      'MAILING_SYNC_MOCK_IN_MEMORY is "perhaps": expected true or false',
    ],
    ['a bad PORT', [], { PORT: 'http' }, 'PORT is "http": expected a whole number from 0 to 65535'],
    [
      'a level of the log that there is not',
      ['--log-level', 'loud'],
      {},
      '--log-level is "loud": expected silent, error, warn, info, debug',
    ],
    [
      'more of what there is not',
      ['--generate', 'newsletters=5', '--in-memory'],
      {},
      '--generate is "newsletters=5": there is no table "newsletters" to fill: expected one of customers,',
    ],
    ['a host elsewhere', ['--host', '192.0.2.1', '--in-memory'], {}, 'names no address of this machine'],
    [
      'a fixture that is not there',
      ['--fixtures', '/no/such.json'],
      {},
      'cannot read fixtures at /no/such.json: there is no such file or folder',
    ],
  ])('what it cannot start with is told in one line: %s', async (_, args, env, sentence) => {
    expect(await refusal(args, env)).toContain(sentence)
  })

  test('a port in use', async () => {
    using taken = await takenPort()
    expect(await refusal(['--in-memory', '--port', String(taken.port)])).toBe(
      `127.0.0.1:${taken.port} is in use; give another port (--port, --control-port, --tls-port), or 0 to have one chosen`,
    )
  })

  test('a folder without fixtures', async () => {
    using folder = temporaryDirectory()
    expect(await refusal(['--in-memory', '--fixtures', folder.path])).toBe(
      `no fixtures at ${folder.path}: expected files ending with .json`,
    )
  })

  test('scenarios with several mistakes, a line for each', async () => {
    using folder = temporaryDirectory()
    const file = folder.at('two.yaml')
    await writeFile(file, 'rules: [\nfoo: "a\n  bar: [\n')
    const { code, output, errors } = await run(['--in-memory', '--scenarios', folder.path])
    expect({ code, output }).toEqual({ code: 2, output: '' })
    const lines = errors.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`mailing-sync-mock: ${file}:2:1: this is not YAML that can be read: `)
    expect(lines[1]).toContain(`mailing-sync-mock: ${file}:4:1: this is not YAML that can be read: `)
  })

  test('a data directory that is a file', async () => {
    using folder = temporaryDirectory()
    await writeFile(folder.at('data'), '')
    expect(await refusal(['--data', folder.at('data')])).toContain(
      `cannot use ${folder.at('data')} as the data directory`,
    )
  })

  // Node's own recursion tries such a place for ever.
  const hasProc = existsSync('/proc/self')
  const noProc = hasProc ? undefined : 'there is no /proc here'
  test.runIf(hasProc)(titleOr('a data directory where the system will have none', noProc), async () => {
    expect(await refusal(['--data', '/proc/mailing-sync-mock/data'])).toBe(
      'cannot use /proc/mailing-sync-mock/data as the data directory: it cannot be created',
    )
  })

  test.each([
    ['a word that is none', '{\n  "space": demo,\n  "users": []\n}\n', 2],
    ['a comma too many', '{\n  "users": [\n    1,\n  ]\n}\n', 4],
    ['no end', '{\n  "users": [],\n  "lists": [', 3],
    ['an end too early', '{\n}\n}\n', 3],
    ['a string over two lines', '{\n  "space": "de\nmo"\n}\n', 2],
    ['nothing', '', 1],
  ])('a fixture that is not JSON, %s, with file and line', async (_, text, line) => {
    using folder = temporaryDirectory()
    const file = folder.at('own.json')
    await writeFile(file, text)
    expect(await refusal(['--in-memory', '--fixtures', file])).toContain(
      `${file}, line ${line} is not JSON: `,
    )
  })

  test.each<[what: string, change: (fixture: Fixture) => void, problem: string]>([
    [
      'a value of the wrong type',
      fixture => Object.assign(fixture.lists[1]!, { recipients: 'many' }),
      'lists[1].recipients: expected a number, got "many"',
    ],
    [
      'a missing member',
      fixture => Reflect.deleteProperty(fixture.mailings[0]!, 'id'),
      'mailings[0].id: expected a text, got nothing',
    ],
    [
      'a misspelt member',
      fixture => Object.assign(fixture.users[0]!, { right: [] }),
      'users[0]: unknown key "right"; did you mean "rights"? Possible: name, password, rights',
    ],
    [
      'a reference to nothing',
      fixture => Object.assign(fixture.synchronizations[0]!, { listId: 9999 }),
      'synchronizations[0].listId: no list 9999; the nearest of 9 are 9001, 1001, 1002',
    ],
  ])('a fixture with %s, with its place and what is there', async (_, change, problem) => {
    using folder = temporaryDirectory()
    const fixture = JSON.parse(readFileSync(defaultFixture, 'utf8'))
    change(fixture)
    await writeFile(folder.at('own.json'), JSON.stringify(fixture))
    expect(await refusal(['--in-memory', '--fixtures', folder.at('own.json')])).toBe(
      `${folder.at('own.json')} is not a fixture: ${problem}`,
    )
  })
})

describe.concurrent('data on disk', () => {
  /** A directory that a mock has used: with a snapshot when it could stop, with a log only when it was killed. */
  async function used(signal: NodeJS.Signals, ...transactionIds: string[]) {
    const directory = temporaryDirectory()
    const data = directory.at('data')
    await using mock = await start(['--data', data])
    const made = []
    for (const transactionId of transactionIds) made.push(await send(mock, transactionId))
    await mock.stop(signal)
    return { ...directory, data, made, file: (ending: string) => fileOf(data, ending) }
  }

  /** The one file of spaces whose name ends so. */
  function fileOf(data: string, ending: string): string {
    const found = readdirSync(`${data}/spaces`).filter(name => name.endsWith(ending))
    expect(found).toHaveLength(1)
    return `${data}/spaces/${found[0]}`
  }

  const everything = [
    synchronizationsPath,
    synchronizationPath(ids.ready),
    synchronizationPath(ids.uploadedTwice, '/mailing-uploads/latest'),
    synchronizationPath(ids.ready, '/sendings'),
    synchronizationPath(ids.failedTwice, '/sendings?includeAllStates=true'),
    synchronizationPath(ids.ready, '/preview'),
    synchronizationPath(ids.both, `/sendings/${ids.sending.created}/statistics`),
    `${customersPath}/harbour-group/lists`,
    `${customersPath}/harbour-group/configuration/accessible-lists`,
    '/mailings',
  ]
  const answers = (mock: Running, paths: readonly string[]) =>
    Promise.all(paths.map(async path => [path, await get(mock, path)]))

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'data on disk gives the same responses to the byte after %s and a new start',
    async signal => {
      using directory = temporaryDirectory()
      const args = ['--data', directory.at('data'), '--public-url', 'http://mock.example']
      await using first = await start(args)
      const made = await Promise.all(Array.from({ length: 20 }, (_, index) => send(first, `tx-${index}`)))
      const before = await answers(first, [...everything, ...made])
      await first.stop(signal)
      await using second = await start(args)
      expect(await answers(second, [...everything, ...made])).toEqual(before)
    },
  )

  test('data on disk has every acknowledged sending after a kill amid requests', async () => {
    using directory = temporaryDirectory()
    const args = ['--data', directory.at('data')]
    await using first = await start(args)
    const acknowledged: string[] = []
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let index = 0; ; index++) acknowledged.push(await send(first, `client-${client}.${index}`))
    })
    const left = Promise.allSettled(clients)
    await eventually('fifty sendings', () => (acknowledged.length >= 50 ? true : undefined))
    await first.stop('SIGKILL')
    await left
    await using second = await start(args)
    const statuses = await Promise.all(
      acknowledged.map(async path => (await fetch(`${second.url}${path}`, { headers })).status),
    )
    expect(statuses.filter(status => status !== 200)).toEqual([])
  })

  test('data on disk is cut, with a warning, where a last line was not written to its end; nothing else is lost', async () => {
    using before = await used('SIGKILL', 'one', 'two')
    const whole = readFileSync(before.file('.log.jsonl'))
    await appendFile(before.file('.log.jsonl'), '{"crc":"01234567","seq":3,"put":{"send')
    await using mock = await start(['--data', before.data])
    const warning = await eventually('the warning', () => mock.errors().split('\n')[0] || undefined)
    expect(JSON.parse(warning)).toMatchObject({
      msg: `${before.file('.log.jsonl')}: cut the unfinished last line (38 bytes from byte ${whole.length})`,
    })
    expect(readFileSync(before.file('.log.jsonl'))).toEqual(whole)
    for (const [index, path] of before.made.entries())
      expect(JSON.parse(await get(mock, path))).toMatchObject({ transactionId: ['one', 'two'][index] })
  })

  test.each<
    [what: string, signal: NodeJS.Signals, ending: string, damage: (text: string) => string, problem: string]
  >([
    [
      'a changed snapshot',
      'SIGTERM',
      '.json',
      text => text.replace('"one"', '"eno"'),
      'its content does not match',
    ],
    [
      'half a snapshot',
      'SIGTERM',
      '.json',
      text => text.slice(0, text.length / 2),
      'is damaged: it is not JSON',
    ],
    ['an empty snapshot', 'SIGTERM', '.json', () => '', 'is damaged: it is not JSON'],
    [
      'a changed log',
      'SIGKILL',
      '.log.jsonl',
      text => text.replace('"one"', '"eno"'),
      ', line 2 is damaged: this line does not',
    ],
  ])('with %s is refused, by file, and left as it is', async (_, signal, ending, damage, problem) => {
    using before = await used(signal, 'one', 'two')
    const file = before.file(ending)
    const damaged = damage(readFileSync(file, 'utf8'))
    await writeFile(file, damaged)
    const sentence = await refusal(['--data', before.data])
    expect(sentence).toContain(file)
    expect(sentence).toContain(problem)
    expect(readFileSync(file, 'utf8')).toBe(damaged)
  })

  test('that cannot be read is refused, by file', async () => {
    using before = await used('SIGTERM', 'one')
    const file = before.file('.json')
    await rm(file)
    await mkdir(file)
    expect(await refusal(['--data', before.data])).toMatch(`cannot read ${file}: it is a folder`)
  })

  test('data on disk belongs to one process at a time', async () => {
    using directory = temporaryDirectory()
    await using mock = await start(['--data', directory.at('data')])
    expect(await refusal(['--data', directory.at('data'), '--port', '0'])).toMatch(
      /data is in use by another mailing-sync-mock \(process \d+\); stop it, or give this one its own directory/,
    )
    await send(mock, 'still-there')
  })
})

/** How many milliseconds something took, and what came of it. */
async function timed<Value>(work: Promise<Value>): Promise<readonly [milliseconds: number, value: Value]> {
  const began = performance.now()
  const value = await work
  return [performance.now() - began, value]
}

describe.concurrent('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends after half a second of grace, while a request hangs half-sent, and saves',
    async signal => {
      using directory = temporaryDirectory()
      await using mock = await start(['--data', directory.at('data')])
      await send(mock, 'kept')
      const hanging = await halfSent(mock)
      const [asUsual] = await timed(run(['--version']))
      const [took, { code, errors }] = await timed(mock.stop(signal))
      expect({ code, errors }).toEqual({ code: 0, errors: '' })
      // On a machine that is busy everything takes longer, and a program that only starts and ends as well.
      expect(took).toBeLessThan(1_000 + 3 * asUsual)
      const saved = readdirSync(directory.at('data', 'spaces')).map(name =>
        readFileSync(directory.at('data', 'spaces', name), 'utf8'),
      )
      expect(saved.join('\n')).toContain('"kept"')
      hanging.destroy()
    },
  )

  test('that cannot save says so in one line, and exits 1', async () => {
    using directory = temporaryDirectory()
    await using mock = await start(['--data', directory.at('data')])
    await send(mock, 'lost')
    await rm(directory.at('data'), { recursive: true })
    const { code, errors } = await mock.stop()
    expect(code).toBe(1)
    expect(errors).toMatch(/^mailing-sync-mock: [^\n]*there is no such file[^\n]*\n$/)
  })
})

describe.concurrent('health', () => {
  test('health exits 0 when the mock at --port is up', async () => {
    await using mock = await start(['--in-memory'])
    expect(await run(['health', '--port', String(mock.port)])).toMatchObject({
      code: 0,
      output: '',
      errors: '',
    })
  })

  test('health reaches a port that browsers and fetch refuse', async () => {
    await using mock = await start(['--in-memory', '--port', '10080'])
    expect(await run(['health', '--port', String(mock.port)])).toMatchObject({ code: 0, errors: '' })
  })

  test('health says that the mock speaks HTTPS', async () => {
    await using mock = await start(['--in-memory', '--tls'])
    const { code, errors } = await run(['health', '--port', String(mock.port)])
    expect(code).toBe(1)
    expect(errors).toContain(`127.0.0.1:${mock.port} speaks HTTPS: give health --tls, as to the mock`)
  })

  test('health exits 0 when the mock at MAILING_SYNC_MOCK_PORT is up', async () => {
    await using mock = await start(['--in-memory'])
    expect(await run(['health'], { MAILING_SYNC_MOCK_PORT: String(mock.port) })).toMatchObject({ code: 0 })
  })

  test('health finds a mock that listens on every interface', async () => {
    const host = { MAILING_SYNC_MOCK_HOST: '0.0.0.0' }
    await using mock = await start(['--in-memory'], host)
    expect(await run(['health', '--port', String(mock.port)], host)).toMatchObject({ code: 0 })
  })

  test.each([
    [
      'without a token is told of on standard error, however quiet',
      [],
      /anyone who can reach this port \(0\.0\.0\.0\) may make/,
    ],
    ['with a token is not', ['--token', 'a-long-secret'], /^$/],
  ])('listening on every interface %s', async (_, flags, sentence) => {
    await using mock = await start(['--in-memory', '--quiet', '--host', '0.0.0.0', ...flags])
    expect(mock.errors()).toMatch(sentence)
  })

  test('a token that cannot be used is not repeated', async () => {
    const { code, errors } = await run(['--token', 'short'])
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/^mailing-sync-mock: --token cannot be used: expected/),
    ])
  })

  test('health exits 1 when nothing is there, and says so', async () => {
    const port = await freePort()
    expect(await run(['health', '--port', String(port)])).toMatchObject({
      code: 1,
      output: '',
      errors: `mailing-sync-mock: nothing listens on 127.0.0.1:${port}; health takes the --port and --host of the mock, or its variables\n`,
    })
  })

  test('health exits 1 when something there does not answer, and says so', async () => {
    using taken = await takenPort()
    expect(await run(['health', '--port', String(taken.port)])).toMatchObject({
      code: 1,
      output: '',
      errors: `mailing-sync-mock: 127.0.0.1:${taken.port} gave no response within 2 s\n`,
    })
  })

  test.each([
    [404, '{"status": "ready"}'],
    [200, '{"status": "starting"}'],
    [200, '<!doctype html>'],
    [200, 'null'],
  ])('health exits 1 when something else answers %i %s, and says so', async (status, body) => {
    using other = await otherServer(status, body)
    expect(await run(['health', '--port', String(other.port)])).toMatchObject({
      code: 1,
      output: '',
      errors: `mailing-sync-mock: what listens on 127.0.0.1:${other.port} is no mock that is ready: it answers ${status} to /_mock/health\n`,
    })
  })
})
