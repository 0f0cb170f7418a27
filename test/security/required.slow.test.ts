import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { routes } from '../../src/control/call-table.ts'
import { createMock } from '../../src/index.ts'
import { ids, type Json, startMock, synchronizationPath } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { type Running, run, start } from '../process.ts'

/**
 * What protects whoever runs the mock, and those beside them, by the numbers of our list (SECURITY.md). Where a
 * behaviour has tests of its own, the row names them; here is what is shown nowhere else.
 */

const token = 'a-token-of-the-operator'
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find(it => it?.family === 'IPv4' && !it.internal)?.address

/** Names of all members that a JSON Schema has anywhere. */
function membersOf(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = Object.keys(Array.isArray(schema) ? {} : (schema.properties ?? {}))
  return [...own, ...Object.values(schema).flatMap(membersOf)]
}

/** Whether somebody listens there. */
const listens = (host: string, port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, host, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

describe('behaviour 1: only this machine is answered', () => {
  let mock: Running
  beforeAll(async () => {
    mock = await start(['--in-memory'])
  })
  afterAll(() => mock?.stop())

  const alone = elsewhere === undefined ? 'this machine has no other address' : undefined
  it.skipIf(elsewhere === undefined)(titleOr('unless --host says otherwise', alone), async () => {
    expect(await listens('127.0.0.1', mock.port)).toBe(true)
    expect(await listens(elsewhere!, mock.port)).toBe(false)
  })

  it('so there is nothing to warn of', () => expect(mock.errors()).toBe(''))

  it('a library, too, listens on loopback unless told', async () => {
    await using library = await createMock()
    const { port } = await library.listen()
    if (elsewhere !== undefined) expect(await listens(elsewhere, port)).toBe(false)
    expect(await listens('127.0.0.1', port)).toBe(true)
  })

  it.each([
    [
      [],
      /anyone who can reach this port \(0\.0\.0\.0\) may make control calls; --token \(MAILING_SYNC_MOCK_TOKEN\) asks for a token/,
    ],
    [['--token', token], /^$/],
  ])('otherwise it warns, unless a token is asked for: %j', async (flags, warning) => {
    await using open = await start(['--in-memory', '--quiet', '--host', '0.0.0.0', ...flags])
    expect(open.errors().trim()).toMatch(warning)
    expect(open.output() + open.errors()).not.toContain(token)
  })
})

describe('behaviours 2 to 4: whoever asks as a page elsewhere would is refused', () => {
  const common = startMock()
  const rebound = { host: 'evil.example', origin: 'http://evil.example' }

  it.each([...new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path))])(
    'a rebound name reads nothing at GET /_mock%s',
    async path => {
      const { fetch } = await common
      const address = `/_mock${path.replaceAll(/\{\w+\}/g, 'demo')}`
      const response = await fetch(new Request(`http://localhost${address}`, { headers: rebound }))
      expect(response.status).toBe(421)
      expect(await response.text()).not.toMatch(/"(?:spaces|requests|users)"/)
    },
  )

  it('a rebound name reads nothing of the service, whoever is let in', async () => {
    const { as } = await startMock()
    expect((await as('demo').get('/mailings', rebound)).status).toBe(421)
    expect((await as('demo').post(synchronizationPath(ids.ready, '/sendings'), {}, rebound)).status).toBe(421)
  })

  it('no WebSocket is spoken anywhere, so no page elsewhere can open one', async () => {
    await using mock = await createMock()
    const { port } = await mock.listen()
    for (const path of ['/_mock/events', '/_mock/spaces/demo/events', '/_mock', '/mailings']) {
      const headers = {
        host: 'localhost',
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'eA==',
        origin: 'http://evil.example',
      }
      const answered = await new Promise<string>((resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', path, headers }, response => {
          resolve(String(response.statusCode))
          sent.destroy()
        })
        sent.on('upgrade', () => resolve('upgraded'))
        sent.on('error', reject)
        sent.end()
      })
      expect(answered).toMatch(/^(?:200|401|403)$/)
    }
  })
})

describe('behaviour 5: a token', () => {
  it.each([['MAILING_SYNC_MOCK_TOKEN', []] as const, [undefined, ['--token', token]] as const])(
    'behaviour 5: a token is never printed, by %s as by flag',
    async (variable, flags) => {
      await using mock = await start(['--in-memory', ...flags], variable ? { [variable]: token } : {})
      const wrong = await fetch(`${mock.url}/_mock/spaces`, { headers: { 'x-mock-token': `${token}?` } })
      expect([wrong.status, (await wrong.text()).includes(token)]).toEqual([401, false])
      const rightly = await fetch(`${mock.url}/_mock/spaces`, { headers: { 'x-mock-token': token } })
      expect([rightly.status, (await rightly.text()).includes(token)]).toEqual([200, false])
      expect(mock.output() + mock.errors()).not.toContain(token)
    },
  )
})

describe('behaviour 7: X-Mock headers', () => {
  it('repeat no header of the request', async () => {
    const mock = await startMock({ hints: true })
    const canary = 'canary-of-a-header'
    const headers = {
      'user-agent': canary,
      'x-mock-request-id': canary,
      referer: canary,
      'x-mock-hint': canary,
    }
    for (const path of ['/mailings', '/mailings/nothing', '/mailings?pageSize=x']) {
      const seen = await mock.as('demo').get(path, headers)
      expect(JSON.stringify([...seen.headers])).not.toContain(canary)
    }
  })
})

describe('behaviours 8 and 9: pages', () => {
  it('behaviours 8 and 9: pages run, load and lead nowhere but here, and stand in no frame (every page: test/pages/every-page.test.ts)', async () => {
    await using mock = await createMock()
    const { headers } = await mock.fetch('http://localhost/_mock', { headers: { accept: 'text/html' } })
    const policy = new Set(headers.get('content-security-policy')!.split('; '))
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy).toContain(directive)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    // The address of a page may hold the name of a space: nobody else is told.
    expect(headers.get('referrer-policy')).toMatch(/^(?:no-referrer|same-origin)$/)
  })

  it('behaviours 8 and 9: pages show a mailing without scripts, without an origin and without the world', async () => {
    await using mock = await createMock()
    const frame = `/_mock/spaces/demo/mailings/${ids.mailing.ready}/approved/html`
    const { status, headers } = await mock.fetch(`http://localhost${frame}`, {
      headers: { accept: 'text/html' },
    })
    const policy = headers.get('content-security-policy')!
    expect(status).toBe(200)
    expect(policy).toMatch(/(?:^|; )sandbox(?:;|$)/)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/)
  })
})

describe('behaviour 10: commands come from the operator alone', () => {
  it('no control call takes one, nor a file, nor an address to ask', () => {
    const taken = routes.flatMap(({ body }) =>
      body ? membersOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })) : [],
    )
    expect(taken).toContain('scenario')
    expect(
      taken.filter(name =>
        /^(?:command|argv|exec|shell|file|folder|directory|url|uri|host|port)$/i.test(name),
      ),
    ).toEqual([])
  })

  it('an exam runs its command without a shell', async () => {
    const { output, errors } = await run([
      'exam',
      '--only',
      'reset-after',
      '--',
      'echo',
      '$HOME',
      ';',
      'echo',
      'second',
    ])
    expect(output + errors).not.toMatch(/^second$/m)
  })
})

describe('behaviour 11: fixtures and scenarios are data', () => {
  const check = async (text: string) => {
    await using mock = await createMock({ logLevel: 'silent' })
    const response = await mock.fetch('http://localhost/_mock/scenarios/check', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    return response.text()
  }

  it.each([
    ['an include', 'description: !include /etc/passwd\nrules: []'],
    ['a function', 'description: !!js/function "function () { return process.env }"\nrules: []'],
    ['a reference elsewhere', 'description: {$ref: "http://evil.example/x.yaml"}\nrules: []'],
    ['a reference to a file', 'description: {$ref: "file:///etc/passwd"}\nrules: []'],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n${'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n'.repeat(1)}d: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
    ],
  ])('%s does nothing but give a sentence', async (_, text) => {
    const told = await check(text)
    expect(told).not.toMatch(/root:|function \(\) \{ return/)
    expect(told).toContain('problems')
  })

  it('a variable of the environment stays as it is written', async () => {
    process.env.CANARY_OF_ENVIRONMENT = 'expanded'
    const told = await check('description: "$\u007bCANARY_OF_ENVIRONMENT} $CANARY_OF_ENVIRONMENT"\nrules: []')
    delete process.env.CANARY_OF_ENVIRONMENT
    expect(told).not.toContain('expanded')
  })
})

describe('behaviour 12: error answers tell nothing of the inside', () => {
  it('not even where the fault is ours', async () => {
    const errors: unknown[] = []
    const mock = await startMock({ report: error => errors.push(error) })
    mock.clock.now = () => {
      throw new Error('/home/somebody/secret.ts:5:7 is broken')
    }
    const { status, text } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    expect([status, /secret|somebody|\bat .*:\d/.test(text)]).toEqual([500, false])
    expect(String(errors[0])).toContain('secret')
  })
})

describe('behaviour 13: links and redirects lead to the configured base', () => {
  it('whatever a request says of where it came to', async () => {
    const mock = await startMock({ address: { publicUrl: 'https://mocks.example/mailing' } })
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'javascript',
      forwarded: 'host=evil.example',
      'x-original-url': 'http://evil.example/',
      referer: 'http://evil.example/',
    }
    const created = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), {}, headers)
    expect(created.headers.get('location')).toMatch(/^https:\/\/mocks\.example\/mailing\//)
    expect(created.text).not.toContain('evil')
    const struck = await mock
      .as('demo')
      .post(
        synchronizationPath(ids.ready, '/sendings'),
        {},
        { ...headers, 'x-mock-scenario': 'redirect-307' },
      )
    expect(struck.headers.get('location') ?? 'https://mocks.example').toMatch(/^https:\/\/mocks\.example/)
  })
})

describe('behaviour 14: what we are made of', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  type Locked = {
    integrity?: string
    dev?: boolean
    hasInstallScript?: boolean
    link?: boolean
    license?: string
  }
  const packages = Object.entries<Locked>(lock.packages).filter(([name]) => name !== '')

  it('every package is locked by its checksum', () => {
    expect(packages.filter(([, it]) => !it.integrity && !it.link).map(([name]) => name)).toEqual([])
  })

  it('nothing that users install runs a script when it is installed', () => {
    const installed = packages.filter(([, it]) => !it.dev)
    expect(installed.filter(([, it]) => it.hasInstallScript).map(([name]) => name)).toEqual([])
  })

  it('there are few of them, and each can be named with its licence', () => {
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(12)
    expect(Object.keys(peerDependencies)).toEqual(['vitest'])
    const installed = packages.filter(([, it]) => !it.dev && it.license !== undefined)
    expect(installed.length).toBeLessThan(60)
    for (const [name, { license }] of installed) expect(license, name).toMatch(/MIT|ISC|BSD|Apache|0BSD/)
  })

  it('the image installs without scripts, and starts and checks itself without a shell', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8')
    expect(dockerfile).toMatch(/^RUN npm ci --ignore-scripts$/m)
    const commands = [...dockerfile.matchAll(/^\s*(?:CMD|ENTRYPOINT)\s+(.+)$/gm)].map(
      ([, command]) => command!,
    )
    expect(commands.length).toBe(2)
    for (const command of commands) expect(JSON.parse(command)[0]).toBe('node')
    expect(dockerfile).toMatch(/^USER node$/m)
    const compose = parse(readFileSync('docker-compose.yml', 'utf8')).services['mailing-sync-mock']
    expect(compose.healthcheck.test[0]).toBe('CMD')
    expect(compose).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(compose.ports).toEqual(['127.0.0.1:4025:4025'])
  })
})
