import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { routes } from '../../src/control/call-table.ts'
import { pageTable } from '../../src/pages/page-table.ts'
import { defaultFixture } from '../../src/store/fixtures.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { start, temporaryDirectory } from '../process.ts'

/**
 * Secrets are planted wherever a request or a setting can carry one, and everything that comes out is searched for them,
 * as they are and as they are written in headers and addresses.
 */
const canaries = {
  token: 'canary-token-3f9b1c77',
  password: 'canary-password-5d21aa08',
  wrongPassword: 'canary-wrong-8c4e10bd',
  bearer: 'canary-bearer-77ab3e19',
  cookie: 'canary-cookie-19c5d2f4',
  apiKey: 'canary-key-e07f6b52',
  inQuery: 'canary-query-b61d9904',
  proxy: 'canary-proxy-40d8f3a6',
  userInfo: 'canary-userinfo-2a7715ce',
}

const user = 'keeper'
const right = basic(user, canaries.password)
const wrong = basic(user, canaries.wrongPassword)
const forms = Object.entries(canaries).flatMap(([name, secret]) => [
  [name, secret] as const,
  [`${name} in base64`, Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(2, -2)] as const,
])
const headersWithSecrets = [right, wrong].map(it => it.slice(6))

function leaksIn(where: string, text: string): string[] {
  return [...forms, ...headersWithSecrets.map(value => ['an Authorization header', value] as const)]
    .filter(([, secret]) => text.includes(secret))
    .map(([name]) => `${name} in ${where}`)
}

it('behaviour 7: no secret that comes in goes out, in no log, record, event, snapshot, page, error or file', async () => {
  using directory = temporaryDirectory()
  const fixture = JSON.parse(readFileSync(defaultFixture, 'utf8'))
  fixture.users = [{ name: user, password: canaries.password, rights: ['read', 'write'] }]
  writeFileSync(directory.at('fixture.json'), JSON.stringify(fixture))
  const settings = ['--fixtures', directory.at('fixture.json'), '--data', directory.at('data')]
  const mock = await start([...settings, '--token', canaries.token, '--log-level', 'debug'])
  const leaks: string[] = []
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const response = await fetch(mock.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const head = JSON.stringify([...response.headers])
    // An answer may repeat its own address, as a link to itself does.
    const own = path.slice(path.indexOf('?') + 1).match(/canary[\w-]+/g) ?? []
    const told = own.reduce((rest, secret) => rest.replaceAll(secret, ''), head + text)
    leaks.push(...leaksIn(`${method} ${path.split('?')[0]}: ${response.status}`, told))
    return { status: response.status, text }
  }
  const tester = { 'x-mock-token': canaries.token, 'content-type': 'application/json' }

  // Somebody listens while it all happens.
  const events = new AbortController()
  let eventText = ''
  const listener = await fetch(`${mock.url}/_mock/events`, { headers: tester, signal: events.signal })
  void (async () => {
    const decoder = new TextDecoder()
    for await (const piece of listener.body!) eventText += decoder.decode(piece as Uint8Array)
  })().catch(() => {})

  const carried: Record<string, string>[] = [
    { authorization: right },
    { authorization: wrong },
    { authorization: `Bearer ${canaries.bearer}` },
    { authorization: canaries.password },
    { authorization: right, cookie: `session=${canaries.cookie}`, 'x-api-key': canaries.apiKey },
    {
      authorization: right,
      'proxy-authorization': `Basic ${canaries.proxy}`,
      'x-auth-token': canaries.bearer,
    },
    { authorization: right, 'x-mock-token': canaries.token },
  ]
  const sendings = synchronizationPath(ids.ready, '/sendings')
  const query = `?access_token=${canaries.inQuery}&password=${canaries.inQuery}&api_key=${canaries.apiKey}`
  for (const headers of carried) {
    const json = { ...headers, 'content-type': halType }
    for (const path of ['/mailings', `/mailings${query}`, '/nothing', sendings, `${sendings}${query}`])
      await ask('GET', path, headers)
    await ask('POST', sendings, json, '{"transactionId":"canary"}')
    await ask('POST', `${sendings}${query}`, json, '{"transactionId":5}')
    await ask(
      'POST',
      sendings,
      { ...json, 'x-mock-scenario': 'error-500-after' },
      '{"transactionId":"struck"}',
    )
    await ask('POST', sendings, json, 'no JSON')
    await ask('DELETE', sendings, headers)
  }
  const control: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${canaries.bearer}` },
    { 'x-mock-token': `${canaries.token}x` },
    { cookie: `mailing-sync-mock=${canaries.cookie}` },
  ]
  for (const headers of control) {
    await ask('GET', '/_mock/spaces', headers)
    await ask('GET', `/_mock/spaces?token=${canaries.inQuery}`, { ...headers, accept: 'text/html' })
    await ask('PUT', '/_mock/spaces/demo/clock', { ...headers, 'content-type': 'application/json' }, '{}')
  }

  // Everything that can be read, as a program and as a person does.
  const { _embedded } = JSON.parse((await ask('GET', '/_mock/spaces/demo/requests?limit=1000', tester)).text)
  const requests: { id: string }[] = _embedded.requests
  expect(requests.length).toBeGreaterThan(40)
  const known: Record<string, string[]> = {
    space: ['demo'],
    id: requests.filter((_, at) => at % 7 === 0).map(({ id }) => id),
    name: ['reset-after'],
  }
  const fill = (path: string) =>
    [...path.matchAll(/\{(\w+)\}/g)].reduce(
      (all, [part, name]) => all.flatMap(it => (known[name!] ?? ['x']).map(value => it.replace(part, value))),
      [path],
    )
  const reads = [...routes.filter(({ method }) => method === 'GET'), ...pageTable].flatMap(({ path }) =>
    fill(path),
  )
  const streams = /\/(?:events|wait)$/
  for (const path of new Set(reads.filter(path => !streams.test(path)))) {
    await ask('GET', `/_mock${path === '/' ? '' : path}`, tester)
    await ask('GET', `/_mock${path === '/' ? '' : path}`, { ...tester, accept: 'text/html' })
  }
  const snapshot = await ask('GET', '/_mock/spaces/demo/snapshot', tester)
  expect(snapshot.status).toBe(200)
  events.abort()
  expect(eventText).toContain('event: request')
  leaks.push(...leaksIn('events', eventText))

  const { output, errors } = await mock.stop()
  // The greeting tells the operator whom the fixture lets in: it is theirs, and --quiet leaves it out.
  leaks.push(...leaksIn('standard output', output.replaceAll(canaries.password, '')))
  leaks.push(...leaksIn('standard error', errors))
  expect(errors).toContain('answered')
  const files = readdirSync(directory.at('data'), { recursive: true, withFileTypes: true }).filter(it =>
    it.isFile(),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    // The content that spaces began from or ended with is kept as it was given, users included: without them nobody could get in.
    const isContent = /(?:fixtures|content)$/.test(file.parentPath)
    const text = readFileSync(join(file.parentPath, file.name), 'utf8')
    leaks.push(...leaksIn(`the file ${file.name}`, isContent ? text.replaceAll(canaries.password, '') : text))
  }
  expect([...new Set(leaks)]).toEqual([])
})
