import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { basename } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { titleOr } from '../not-run.ts'
import { program, type Running, run, start, temporaryDirectory } from '../process.ts'
import { certificate, key } from '../verify/untrusted.ts'

let mock: Running
let folder: ReturnType<typeof temporaryDirectory>
beforeAll(async () => {
  mock = await start(['--in-memory'])
  folder = temporaryDirectory()
})
afterAll(async () => {
  await mock.stop()
  folder[Symbol.dispose]()
})

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function listening(server: Server): Promise<string> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const http = async (answer: RequestListener) => `http://${await listening(createServer(answer))}`

let files = 0
/** A file that is not there yet. */
const fresh = () => folder.at(`pulled-${++files}.json`)

const pull = (url: string, out: string, ...more: string[]) =>
  run(['pull', '--url', url, '--out', out, '--rate', '100', ...more], {
    MAILING_SYNC_USER: 'demo',
    MAILING_SYNC_PASSWORD: 'demo',
  })

/** Exit code 2, the sentence as the last line, and nothing under the final name nor beside it. @returns the sentence */
async function refusal(url: string, out: string, ...more: string[]): Promise<string> {
  const before = existsSync(out) && statSync(out).isFile() ? readFileSync(out, 'utf8') : undefined
  const { code, output, errors } = await pull(url, out, ...more)
  expect({ code, output }, errors).toEqual({ code: 2, output: '' })
  expect(errors).not.toMatch(/^ +at /m)
  const lines = errors.trimEnd().split('\n')
  expect(lines.filter(it => it.startsWith('mailing-sync-mock: '))).toEqual([lines.at(-1)])
  if (before === undefined) expect(existsSync(out) && statSync(out).isFile()).toBe(false)
  else expect(readFileSync(out, 'utf8')).toBe(before)
  expect(existsSync(`${out}.part`)).toBe(false)
  return lines.at(-1)!.replace('mailing-sync-mock: ', '')
}

const answering =
  (status: number, headers: Record<string, string>, body = ''): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

describe('a target that cannot be pulled from', () => {
  test.each<[string, () => Promise<string>, RegExp, string[]?]>([
    ['no address', async () => 'somewhere', /^--url is "somewhere"; expected the address of the service/],
    ['credentials in the address', async () => 'http://a:b@localhost', /^--url holds credentials/],
    [
      'nobody there',
      async () => {
        const server = createServer()
        const place = await listening(server)
        server.close()
        await once(server, 'close')
        return `http://${place}`
      },
      /^nothing listens on 127\.0\.0\.1:\d+: the connection was refused/,
    ],
    [
      'a web page',
      () => http(answering(200, { 'content-type': 'text/html' }, '<title>Shop</title>')),
      /^a web page answers \("Shop"\)/,
    ],
    [
      'another service',
      () => http(answering(200, { 'content-type': 'application/json' }, '{"ok":true}')),
      /^this is no Mailing Synchronization Service: \/mailings 200/,
    ],
    ['a service that is down', () => http(answering(500, {})), /^\/mailings was answered 500$/],
    [
      'silence',
      () => http(() => {}),
      /^127\.0\.0\.1:\d+ gave no whole response to \/mailings within 0\.2 s/,
      ['--timeout', '200ms'],
    ],
    [
      'answers nested too deeply',
      () => http(answering(200, { 'content-type': 'application/json' }, '['.repeat(100_000))),
      /^the response to \/mailings is nested more than 64 levels deep$/,
    ],
    ['no permission', () => http(answering(403, {})), /answers 403.*right to read/],
    [
      'an untrusted certificate',
      async () =>
        `https://${await listening(createTlsServer({ cert: certificate, key }, answering(200, {}, '{}')))}`,
      /^the TLS certificate of 127\.0\.0\.1:\d+ is not trusted \(\w+\); set NODE_EXTRA_CA_CERTS/,
    ],
  ])('a target that cannot be pulled from: %s', async (_, target, sentence, more = []) => {
    const out = fresh()
    expect(await refusal(await target(), out, ...more)).toMatch(sentence)
    expect(readdirSync(folder.path).filter(name => name.startsWith(out.split('/').at(-1)!))).toEqual([])
  })

  test('a wrong password, of which nothing is told', async () => {
    const { code, errors } = await run([
      'pull',
      '--url',
      mock.url,
      '--user',
      'demo',
      '--password',
      'not-this',
      '--out',
      fresh(),
    ])
    expect(code).toBe(2)
    expect(errors).toBe(
      'mailing-sync-mock: user or password is wrong: the service answers 401; check --user and --password\n',
    )
  })

  test.each([
    ['at once', 0],
    ['in the middle', 4],
  ])('a redirect to another host, %s: credentials do not go there', async (_, after) => {
    const elsewhere: IncomingMessage[] = []
    const other = await http((request, response) => {
      elsewhere.push(request)
      response.end('{}')
    })
    let count = 0
    const url = await http(async (request, response) => {
      if (count++ >= after) return void response.writeHead(302, { location: `${other}${request.url}` }).end()
      const { authorization = '' } = request.headers
      const answer = await fetch(mock.url + request.url, { headers: { authorization } })
      response.writeHead(answer.status, { 'content-type': 'application/hal+json' }).end(await answer.text())
    })
    expect(await refusal(url, fresh())).toMatch(
      /redirects \(302\) to http:\/\/127\.0\.0\.1:\d+.*give this address as --url/,
    )
    expect(elsewhere).toEqual([])
  })
})

describe('a file that cannot be', () => {
  test('a file that cannot be is there already: it stays as it is, until --force', async () => {
    const out = fresh()
    writeFileSync(out, 'precious')
    expect(await refusal(mock.url, out)).toBe(`${out} is there already; --force replaces it`)
    expect((await pull(mock.url, out, '--force')).code).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8')).mailings).toHaveLength(30)
  })

  test('a file that cannot be is a folder', async () => {
    const out = folder.at('a-folder')
    mkdirSync(out)
    expect(await refusal(mock.url, out, '--force')).toBe(
      `--out is ${out}, which is a folder; name a file in it`,
    )
  })

  test('a file that cannot be is in no folder', async () => {
    expect(await refusal(mock.url, folder.at('nowhere', 'f.json'))).toMatch(
      /^cannot write .*: there is no folder /,
    )
  })

  const isRoot = process.getuid?.() === 0
  const noRefusal = isRoot ? 'root may write everywhere' : undefined
  test.skipIf(isRoot)(titleOr('is in a folder that may not be written to', noRefusal), async () => {
    const place = folder.at('closed')
    mkdirSync(place)
    chmodSync(place, 0o500)
    expect(await refusal(mock.url, `${place}/f.json`)).toMatch(/^cannot write .*permission is missing/)
  })

  test('a file that cannot be has no room for its name', async () => {
    expect(await refusal(mock.url, folder.at('n'.repeat(253)))).toMatch(/^cannot write .*ENAMETOOLONG/)
  })
})

describe('flags that cannot be', () => {
  test.each<[string, string[], RegExp]>([
    ['no --out', ['pull', '--url', 'http://x'], /--out <file>.*not specified; --help/],
    [
      'no target',
      ['pull', '--out', 'x.json'],
      /^pull needs --url, --user, --password, or in the environment MAILING_SYNC_URL, MAILING_SYNC_USER, MAILING_SYNC_PASSWORD/,
    ],
    [
      'a seed for nothing',
      ['pull', '--out', 'x.json', '--seed', '3'],
      /^--seed does nothing without --anonymise/,
    ],
    [
      'flags before the word',
      ['--in-memory', 'pull', '--out', 'x.json'],
      /flags of pull stand behind that word/,
    ],
    ['no rate', ['pull', '--out', 'x.json', '--rate', '0'], /expected a number from 0\.01 to 100/],
    [
      'a space that is none',
      ['pull', '--out', 'x.json', '--space', 'a+b'],
      /expected a name without ":" and "\+"/,
    ],
  ])('flags that cannot be: %s', async (_, args, sentence) => {
    const { code, output, errors } = await run(args)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^mailing-sync-mock: [^\n]+\n$/)
    expect(errors.replace('mailing-sync-mock: ', '')).toMatch(sentence)
  })

  test('--help names the variable for the password, and never its value', async () => {
    const { code, output } = await run(['pull', '--help'], { MAILING_SYNC_PASSWORD: 'a-real-secret' })
    expect(code).toBe(0)
    expect(output).toContain('MAILING_SYNC_PASSWORD')
    expect(output).not.toContain('a-real-secret')
  })
})

describe('a pull on the command line', () => {
  test('a pull on the command line tells how it goes in plain lines, what came of it, and how to start it', async () => {
    const out = fresh()
    const { code, output, errors } = await pull(mock.url, out)
    expect(code).toBe(0)
    expect(errors).toMatch(/^mailings: 30\/30; \d+ responses$/m)
    expect(errors).toMatch(/^previews: 15\/15; \d+ responses$/m)
    expect(errors + output).not.toContain('\u001b')
    expect(output).toMatch(
      /30 mailings, 93 synchronizations, 14 sendings, 3 mailing-uploads, 4 customers, 9 lists, from \d+ responses\./,
    )
    expect(output).toContain(
      `Start it: node dist/main.js --in-memory --fixtures ${out}\nTo imitate its other choices, run verify --write-config, then start with --config.\nYour client then uses user demo and password demo, which are in the file.\n`,
    )
    expect(existsSync(`${out}.part`)).toBe(false)
    await using copy = await start(['--in-memory', '--fixtures', out])
    const headers = { authorization: `Basic ${btoa('demo:demo')}` }
    expect((await fetch(`${copy.url}/mailings`, { headers })).status).toBe(200)
  })

  test('that had to leave something out ends with exit code 3, and its last line says so', async () => {
    const out = fresh()
    const circle = { _links: { next: { href: '/mailings' } }, _embedded: {} }
    const url = await http(({ url: path }, response) => {
      response.setHeader('content-type', 'application/hal+json')
      response.end(JSON.stringify(path === '/mailings' ? circle : { _links: {}, _embedded: {} }))
    })
    const { code, output, errors } = await pull(url, out)
    expect([code, existsSync(out)], errors).toEqual([3, true])
    expect(output).toContain('  - the pages of mailings lead in a circle')
    expect(errors).toMatch(/\nmailing-sync-mock: \S+ lacks some of what the service has, as said above\n$/)
  })

  test('a pull on the command line that is interrupted writes nothing, and says so', async () => {
    const out = fresh()
    const args = [
      'pull',
      '--url',
      mock.url,
      '--user',
      'demo',
      '--password',
      'demo',
      '--out',
      out,
      '--rate',
      '20',
    ]
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    let isInterrupted = false
    child.stderr.setEncoding('utf8').on('data', text => {
      errors += text
      // Once: a second one means that nobody waits for the words.
      if (!isInterrupted && errors.includes('lists: 4/4')) isInterrupted = child.kill('SIGINT')
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(errors).toMatch(/^mailing-sync-mock: interrupted; nothing was written$/m)
    const name = basename(out)
    expect(readdirSync(folder.path).filter(it => it.startsWith(name))).toEqual([])
  })
})
