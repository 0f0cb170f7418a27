import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { ran } from '../examples/runtimes.ts'
import { titleOr } from '../not-run.ts'
import { eventually, hasCurl, noCurl, run, start, temporaryDirectory } from '../process.ts'

const probe = new URL('./loaded.mjs', import.meta.url).href

describe('what the program loads', () => {
  it.each([
    ['nothing of HTTPS without --tls', [], { https: false, certificates: false }],
    ['HTTPS with --tls', ['--tls'], { https: true, certificates: true }],
  ])('is %s', async (_, flags, loaded) => {
    await using mock = await start(['--in-memory', ...flags], { NODE_OPTIONS: `--import ${probe}` })
    const health = await run(['health', '--port', String(mock.port), ...flags])
    expect(health.code).toBe(0)
    const { errors } = await mock.stop()
    expect(JSON.parse(/^loaded: (.*)$/m.exec(errors)![1]!)).toEqual(loaded)
  })
})

describe('what the log says of a client', () => {
  it.each([
    [
      'insists on HTTP/2',
      ['--tls'],
      { ALPNProtocols: ['h2'] },
      'a client insists on another protocol than HTTP/1.1',
    ],
    [
      'asks for a host that is not allowed',
      ['--tls'],
      { servername: 'other.example' },
      'not allowed; --allow-host',
    ],
    ['speaks TLS to a port without it', [], {}, 'it begins a TLS handshake, but this port speaks plain HTTP'],
  ])('that %s', async (_, flags, options, sentence) => {
    await using mock = await start(['--in-memory', ...flags])
    const socket = connect({ port: mock.port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    socket.on('error', () => {})
    await eventually('the line in the log', () => mock.errors().includes(sentence) || undefined)
    socket.destroy()
  })

  // curl tells why it refuses a certificate; Node closes the connection and says nothing.
  it.skipIf(!hasCurl)(titleOr('that does not trust the authority', noCurl), async () => {
    await using mock = await start(['--in-memory', '--tls'])
    ran('.', 'curl', ['-s', `${mock.url}/mailings`])
    const sentence = 'a client does not trust the certificate'
    await eventually('the line in the log', () => mock.errors().includes(sentence) || undefined)
  })
})

describe('the command line of HTTPS', () => {
  it.skipIf(!hasCurl)(titleOr('greets with a command that works as it is', noCurl), async () => {
    using data = temporaryDirectory()
    await using mock = await start(['--tls', '--data', data.path])
    expect(mock.output()).toContain(`Trust        ${data.at('ca.pem')}`)
    const [command] = /^ {2}curl .*$/m.exec(mock.output())!
    expect(ran(data.path, 'bash', ['-c', `${command.trim()} --silent --show-error`]).output).toContain(
      '"id":',
    )
  })

  it.skipIf(!hasCurl)(titleOr('serves HTTPS beside HTTP with --tls-port', noCurl), async () => {
    using data = temporaryDirectory()
    await using mock = await start(['--tls-port', '0', '--data', data.path])
    const [, secure] = /^ +HTTPS +(\S+)$/m.exec(mock.output())!
    expect(mock.url).toMatch(/^http:/)
    const asked = ran(data.path, 'curl', ['-sS', '--cacert', data.at('ca.pem'), `${secure}/_mock/health`])
    expect(asked.output).toBe('{"status":"ready"}')
  })

  it('ca prints and writes the authority that the mock then has', async () => {
    using data = temporaryDirectory()
    const printed = await run(['ca', '--data', data.path])
    expect(printed.output).toMatch(/^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/)
    await using mock = await start(['--tls', '--data', data.path])
    expect(await run(['ca', '--data', data.path, '--out', data.at('copy.pem')])).toMatchObject({ code: 0 })
    expect(readFileSync(data.at('copy.pem'), 'utf8')).toBe(printed.output)
    expect((await mock.stop()).code).toBe(0)
  })

  it('shows the private key of the authority nowhere but in its own file', async () => {
    using data = temporaryDirectory()
    await using mock = await start(['--tls-port', '0', '--data', data.path, '--log-level', 'debug'])
    const [, key] = /PRIVATE KEY-----\n([\w+/=]+)\n/.exec(readFileSync(data.at('ca-key.pem'), 'utf8'))!
    const shown: string[] = []
    for (const path of ['', '/ca.pem', '/dashboard', '/spaces', '/spaces/demo', '/spaces/demo/snapshot']) {
      const response = await fetch(`${mock.url}/_mock${path}`)
      shown.push(await response.text())
    }
    await mock.stop()
    const files = readdirSync(data.path, { recursive: true, encoding: 'utf8' }).filter(
      name => name !== 'ca-key.pem' && statSync(data.at(name)).isFile(),
    )
    expect(files).toContain('ca.pem')
    for (const text of [
      ...shown,
      mock.output(),
      mock.errors(),
      ...files.map(it => readFileSync(data.at(it), 'utf8')),
    ])
      expect(text).not.toContain(key)
  })

  it('ca says why it cannot write a file', async () => {
    using data = temporaryDirectory()
    const { code, errors } = await run(['ca', '--data', data.path, '--out', data.at('none', 'ca.pem')])
    expect(code).toBe(2)
    expect(errors).toMatch(/^mailing-sync-mock: cannot write .*ca\.pem: /)
  })

  it('a certificate that cannot be read stops the start with a sentence', async () => {
    using data = temporaryDirectory()
    writeFileSync(data.at('mock.key'), 'no key')
    const given = ['--tls-cert', data.at('mock.pem'), '--tls-key', data.at('mock.key')]
    const { code, errors } = await run(['--tls', '--in-memory', ...given])
    expect(code).toBe(2)
    expect(errors).toMatch(
      /^mailing-sync-mock: cannot read --tls-cert .*mock\.pem: there is no such file or folder\n$/,
    )
  })
})
