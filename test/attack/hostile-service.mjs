import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attackProgram } from './program.mjs'

const entry = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** What each answer becomes. The first three stay as they are: they tell that it is the service. */
const falsifications = {
  'answers of 2 MB': text => text.replace(/\}$/, `,"padding":[${'{"a":1},'.repeat(250_000)}1]}`),
  'answers nested 100,000 levels deep': text =>
    text.replace(/\}$/, `,"padding":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  'a wait of 10^25 s': (text, headers) => {
    headers['retry-after'] = '1'.padEnd(26, '0')
    return text
  },
}

/** A service that answers as the mock does, but falsified. */
async function falsify(url, change) {
  let count = 0
  const server = createServer(async (request, response) => {
    const bytes = []
    for await (const piece of request) bytes.push(piece)
    const { authorization, 'content-type': type } = request.headers
    const answer = await fetch(url + request.url, {
      method: request.method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(bytes.length > 0 && { body: Buffer.concat(bytes) }),
      redirect: 'manual',
    })
    const headers = { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }
    const text = await answer.text()
    const changed = ++count > 3 ? change(text, headers) : text
    response.writeHead(answer.status, headers).end(answer.status === 204 ? undefined : changed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, address: `http://127.0.0.1:${server.address().port}` }
}

/** Runs a command with a heap of 300 MB. Returns its exit code and the last line that it wrote. */
async function command(...flags) {
  const child = spawn(process.execPath, ['--max-old-space-size=300', entry, ...flags], {
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 300_000,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', bytes => {
      said = (said + bytes).slice(-2_000)
    })
  const [code, signal] = await once(child, 'exit')
  return { code: code ?? signal, said }
}

/** A service that wants to bring down those who compare it or copy it. */
export default async function run() {
  const program = await attackProgram({}, async url => {
    const folder = await mkdtemp(join(tmpdir(), 'attack-pull-'))
    const ends = []
    for (const [name, change] of Object.entries(falsifications))
      for (const verb of ['verify', 'pull']) {
        const { server, address } = await falsify(url, change)
        const out = join(folder, `${ends.length}.json`)
        const more = verb === 'pull' ? ['--out', out, '--rate', '100'] : []
        const { code, said } = await command(
          verb,
          '--url',
          address,
          '--user',
          'demo',
          '--password',
          'demo',
          ...more,
        )
        server.closeAllConnections()
        server.close()
        if (![0, 1, 2].includes(code) || /^\s+at .*:\d+:\d+\)?$/m.test(said))
          throw new Error(`${verb} ended with ${code} after ${name}: ${said.slice(-300)}`)
        ends.push(`${verb} ${code}: ${said.trim().split('\n').at(-1).slice(0, 120)}`)
      }
    await rm(folder, { recursive: true, force: true })
    return `every run ended by itself: ${ends.join('; ')}`
  })
  return {
    attack: `verify and pull with a heap of 300 MB: ${Object.keys(falsifications).join('; ')}`,
    ...program,
    figures: {},
  }
}
