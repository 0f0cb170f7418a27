import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { jsonOf } from '../mock.ts'
import { eventually, run, start, temporaryDirectory } from '../process.ts'

const who = ['--user', 'demo', '--password', 'demo']

describe('mailing-sync-mock verify', () => {
  test('mailing-sync-mock verify says faithful about the mock, over a socket, and writes every report', async () => {
    await using mock = await start(['--in-memory'])
    using folder = temporaryDirectory()
    mkdirSync(folder.at('reports'))
    const files = ['junit.xml', 'all.json', 'comment.md', 'like.yaml'].map(it => folder.at('reports', it))
    const [junit, json, markdown, config] = files as [string, string, string, string]
    const reports = ['--junit', junit, '--json', json, '--markdown', markdown, '--write-config', config]
    const { code, output, errors } = await run([
      'verify',
      '--url',
      mock.url,
      ...who,
      '--allow-writes',
      ...reports,
    ])
    expect(errors).toMatch(
      /^This creates or changes:\n( {2}- .+\n){3}This creates or changes:\n {2}- accessible-lists configuration of "harbour-group", which .+\n {2}- a mailing synchronization with .+\nWritten: (?:\S+, ){3}\S+like\.yaml\nStart a mock like it: .+\n$/,
    )
    expect(output).toMatch(/FAITHFUL: all 313 clauses that can be checked hold for http:\S+\.\n/)
    expect(output).not.toContain('\u001b')
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ verdict: 'faithful', incomplete: null })
    expect(readFileSync(junit, 'utf8')).toContain('failures="0" errors="0"')
    expect(readFileSync(markdown, 'utf8')).toMatch(/^## ✅/)
    // Nothing is turned, and a mock and another verification begin with these settings all the same.
    expect(readFileSync(config, 'utf8')).not.toMatch(/^dial/m)
    await using same = await start(['--in-memory', '--config', config])
    const compared = await run(['verify', '--url', same.url, ...who, '--filter', '2 hal', '--config', config])
    expect(compared).toMatchObject({ code: 0, errors: '' })
  })

  test('mailing-sync-mock verify reads only, unless it is told otherwise', async () => {
    await using mock = await start(['--in-memory'])
    const { code } = await run(['verify', '--url', mock.url, ...who])
    expect(code).toBe(0)
    const journal = await fetch(`${mock.url}/_mock/spaces/demo/requests?limit=1000`)
    const { requests } = (await jsonOf(journal))._embedded
    const methods = new Set(requests.map((it: { method: string }) => it.method))
    expect([...methods].sort()).toEqual(['GET', 'HEAD', 'OPTIONS'])
  })

  test('mailing-sync-mock verify finds the lie of a doctored copy, and ends with 1', async () => {
    await using mock = await start(['--in-memory'])
    const copy = createServer(async (request, response) => {
      const { authorization = '', accept = '' } = request.headers
      const answer = await fetch(mock.url + request.url, {
        headers: { authorization, accept },
        redirect: 'manual',
      })
      const text = (await answer.text()).replaceAll('"subject":', '"title":')
      const type = answer.headers.get('content-type')
      const challenge = answer.headers.get('www-authenticate')
      response.writeHead(answer.status, {
        ...(type && { 'content-type': type }),
        ...(challenge && { 'www-authenticate': challenge }),
      })
      response.end(text)
    }).listen(0, '127.0.0.1')
    try {
      await eventually('the copy to listen', () => copy.address() ?? undefined)
      const { port } = copy.address() as { port: number }
      const { code, output } = await run(['verify', '--url', `http://127.0.0.1:${port}`, ...who])
      expect(output).toMatch(
        /^DIFFERS 2\.6 subject: A preview has the subject of the mailing\. \(specified\)$/m,
      )
      expect(output.match(/^DIFFERS/gm)).toHaveLength(1)
      expect(code).toBe(1)
    } finally {
      copy.close()
      copy.closeAllConnections()
    }
  })

  test('mailing-sync-mock verify writes settings with which the mock is like the target', async () => {
    using folder = temporaryDirectory()
    const like = folder.at('like.yaml')
    const names = ['--relation-prefix', 'ems', '--platform-segment', 'post', '--rate-limit', '5000']
    await using target = await start([
      '--in-memory',
      '--dial',
      'error-body=minimal,curies=everywhere',
      ...names,
    ])
    const url = `${target.url}/integrations/post`
    const found = await run(['verify', '--url', url, ...who, '--allow-writes', '--write-config', like])
    expect(found.output).toMatch(
      /2 relation prefix \(specified\): the target: ems; to do the same, set --relation-prefix ems/,
    )
    expect(found.errors).toMatch(/^Written: .*like\.yaml\nStart a mock like it: .* --config .*like\.yaml$/m)
    expect(found.code).toBe(0)
    writeFileSync(like, `${readFileSync(like, 'utf8')}port: 4711\n`)
    const kept = await run(['verify', '--url', url, ...who, '--write-config', like])
    expect(kept).toMatchObject({ code: 2, output: '' })
    expect(kept.errors).toMatch(
      /like\.yaml exists and was not written by verify, or was changed since; give another name/,
    )
    writeFileSync(like, readFileSync(like, 'utf8').replace('port: 4711\n', ''))

    await using free = await start(['--in-memory', '--config', like, '--rate-limit', '0'])
    const answer = await fetch(`${free.url}/mailings`, {
      headers: { authorization: `Basic ${btoa('demo:demo')}` },
    })
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null])

    await using same = await start(['--in-memory', '--config', like])
    const compared = await run(['verify', '--url', same.url, ...who, '--allow-writes', '--config', like])
    expect(compared.output).not.toMatch(/Chosen otherwise|DIFFERS/)
    expect(compared.output).toMatch(/FAITHFUL: all (30|31)\d clauses /)
    expect(compared.code).toBe(0)
  })

  test('mailing-sync-mock verify ends with 2 and one sentence where it cannot be carried out, and writes reports that say so', async () => {
    using folder = temporaryDirectory()
    const [json, junit, like] = ['all.json', 'junit.xml', 'like.yaml'].map(it => folder.at(it)) as [
      string,
      string,
      string,
    ]
    const whole =
      '# Written by "mailing-sync-mock verify"; "mailing-sync-mock --config" takes it.\ndial:\n  error-body: "minimal"\n'
    writeFileSync(like, whole)
    const reports = ['--json', json, '--junit', junit, '--write-config', like]
    const { code, output, errors } = await run(['verify', '--url', 'http://127.0.0.1:1', ...who, ...reports])
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(
      /^Written: .*junit\.xml, .*all\.json\nNot written, as the run is incomplete: .*like\.yaml\nmailing-sync-mock: [^\n]+\n$/,
    )
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ verdict: 'incomplete' })
    expect(readFileSync(junit, 'utf8')).toContain('errors="1"')
    expect(readFileSync(like, 'utf8')).toBe(whole)
  })

  test('mailing-sync-mock verify is incomplete when it is interrupted', async () => {
    using folder = temporaryDirectory()
    const json = folder.at('all.json')
    const slow = createServer(() => {}).listen(0, '127.0.0.1')
    await eventually('the server to listen', () => slow.address() ?? undefined)
    const { port } = slow.address() as { port: number }
    let asked = 0
    slow.on('request', () => asked++)
    const { spawn } = await import('node:child_process')
    const { program } = await import('../process.ts')
    const child = spawn(process.execPath, [
      program,
      'verify',
      '--url',
      `http://127.0.0.1:${port}`,
      ...who,
      '--json',
      json,
      '--allow-writes',
    ])
    let told = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const ended = new Promise<number | null>(resolve => child.on('close', resolve))
    try {
      await eventually('the first request', () => asked || undefined)
      child.kill('SIGINT')
      expect(await ended).toBe(2)
      expect(told).toMatch(/^Interrupted\. What was changed is put back first, and then reported; /m)
      expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
        verdict: 'incomplete',
        incomplete: 'it was interrupted',
      })
    } finally {
      child.kill('SIGKILL')
      slow.closeAllConnections()
      slow.close()
    }
  })

  test('mailing-sync-mock verify lists every clause and how it is looked at, and asks nobody', async () => {
    const { code, output } = await run(['verify', '--list'])
    expect(code).toBe(0)
    expect(output.trim().split('\n')).toHaveLength(clauses.length)
    const some = await run(['verify', '--list', '--filter', '4.1,S 41*'])
    expect(some.output).toContain('4.1/5')
    expect(some.output).toContain('S 415')
    expect(some.output).not.toMatch(/^4\.1[0-6]/m)
  })

  test('mailing-sync-mock verify looks at the chosen clauses only', async () => {
    await using mock = await start(['--in-memory'])
    const { code, output } = await run(['verify', '--url', mock.url, ...who, '--filter', '4.12,7/4'])
    expect(output).toMatch(/FAITHFUL: all 8 clauses that were chosen /)
    expect(code).toBe(0)
  })

  test('a limit that --config sets is no other choice, whether as a setting or as a dial', async () => {
    using folder = temporaryDirectory()
    const like = folder.at('like.yaml')
    await using limited = await start(['--in-memory', '--rate-limit', '600'])
    for (const text of ['rate-limit: 600\n', 'dial:\n  rate-limit: "600"\n']) {
      writeFileSync(like, text)
      const args = ['--url', limited.url, ...who, '--config', like, '--filter', '8 rate limit']
      expect((await run(['verify', ...args])).output).not.toContain('Chosen otherwise')
    }
  })

  test.each<[string, string[], RegExp]>([
    ['no address', who, /verify needs --url, or in the environment MAILING_SYNC_URL/],
    [
      'an empty address',
      ['--url', '', ...who],
      /--url <address>' argument '' is invalid. expected an address/,
    ],
    [
      'a list without writes',
      ['--url', 'http://x', ...who, '--send-to', 'a/1'],
      /--send-to does nothing without --allow-writes/,
    ],
    [
      'two middle segments',
      ['--url', 'http://x/integrations/post', ...who, '--platform-segment', 'other'],
      /--platform-segment other contradicts --url, which names post/,
    ],
    ['a report of nothing', ['--list', '--json', 'all.json'], /--json does nothing with --list/],
    ['a list that is none', ['--url', 'http://x', ...who, '--send-to', 'a'], /such as harbour-group\/1001/],
    ['an unknown flag', ['--urll', 'http://x'], /unknown option '--urll'/],
    [
      'a filter that chooses nothing',
      ['--url', 'http://x', ...who, '--filter', 'nothing'],
      /--filter "nothing" chooses no clause/,
    ],
    [
      'two reports in one file',
      ['--url', 'http://x', ...who, '--json', 'a', '--junit', 'a'],
      /name the same file, a/,
    ],
    [
      'settings that are not there',
      ['--url', 'http://x', ...who, '--config', 'nowhere.yaml'],
      /--config nowhere\.yaml: there is no such file/,
    ],
  ])('%s: exit code 2 and one sentence', async (_, args, sentence) => {
    const { code, output, errors } = await run(['verify', ...args])
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^mailing-sync-mock: [^\n]+\n$/)
    expect(errors).toMatch(sentence)
  })
})

describe.concurrent('--config', () => {
  const withFile = async (text: string, args: string[] = [], env: Record<string, string> = {}) => {
    using folder = temporaryDirectory()
    const file = folder.at('settings.yaml')
    writeFileSync(file, text)
    return { ...(await run(['health', '--config', file, ...args], env)), file }
  }

  test('--config sets what flags set, in YAML and in JSON; variables and flags go before it', async () => {
    using folder = temporaryDirectory()
    const dialsOf = async (mock: { url: string }) =>
      (await jsonOf(await fetch(`${mock.url}/_mock/spaces/demo/dials`))).effective['error-body']
    for (const [name, text] of [
      ['a.yaml', 'in-memory: true\nport: 0\nseed: 7\ndial:\n  error-body: minimal\n'],
      ['b.json', '{"$schema": "x", "in-memory": true, "port": 0, "dial": {"error-body": "minimal"}}'],
    ] as const) {
      writeFileSync(folder.at(name), text)
      await using mock = await start(['--port', '0', '--config', folder.at(name)])
      expect(await dialsOf(mock)).toBe('minimal')
      await using other = await start(['--port', '0'], {
        MAILING_SYNC_MOCK_CONFIG: folder.at(name),
        MAILING_SYNC_MOCK_DIAL: 'error-body=text',
      })
      expect(await dialsOf(other)).toBe('text')
      await using flagged = await start([
        '--port',
        '0',
        '--config',
        folder.at(name),
        '--dial',
        'error-body=empty',
      ])
      expect(await dialsOf(flagged)).toBe('empty')
    }
  })

  test.each<[string, string, RegExp]>([
    ['an unknown setting', 'prot: 4025\n', /:1:1: unknown key "prot"; did you mean "port"\?/],
    [
      'a value that cannot be',
      'seed: 1\nport: many\n',
      /:2:7: port is "many": expected a whole number from 0 to 65535/,
    ],
    [
      'an unknown dial',
      'dial:\n  error-bodies: minimal\n',
      /:2:3: There is no dial "error-bodies"\. Did you mean error-body\?/,
    ],
    [
      'a value that a dial does not have',
      'dial:\n  error-body: tiny\n',
      /:2:15: Dial error-body cannot be "tiny"; possible: full, minimal/,
    ],
    ['no settings at all', '- a\n', /:1:1: expected settings by the names of their flags/],
    ['a key twice', 'port: 1\nport: 2\n', /:2:1: the key "port" stands here a second time/],
    ['what is no YAML', 'port: [1\n', /:2:1: this is not YAML that can be read/],
    ['an alias', 'port: &a 1\n', /:1:7: anchors and aliases have no place in a file of settings/],
    ['a value of many parts', 'port:\n  a:\n    b: 1\n', /port cannot be \{"a":\{"b":1\}\}/],
  ])('%s: file, line and column', async (_, text, sentence) => {
    const { code, errors, file } = await withFile(text)
    expect(errors).toContain(file)
    expect(errors).toMatch(sentence)
    expect(code).toBe(2)
  })
})
