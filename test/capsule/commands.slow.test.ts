import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { run, start, takenPort, temporaryDirectory } from '../process.ts'

const user = 'demo+at-night'
const place = `/_mock/spaces/${encodeURIComponent(user)}`

const create = async (url: string, transactionId: string) =>
  fetch(url + synchronizationPath(ids.ready, '/sendings'), {
    method: 'POST',
    headers: { authorization: basic(user), 'content-type': halType },
    body: JSON.stringify({ transactionId }),
  })
    .then(it => it.status)
    .catch(() => undefined)

/** A file that a mock has left, which is gone: its client took a new transaction ID after a lost response. */
async function capsuleOfAnotherMock() {
  const directory = temporaryDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  await using mock = await start(['--in-memory'], { TZ: 'America/New_York' })
  const call = (method: string, path: string, body: object) =>
    fetch(mock.url + place + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await call('PUT', '', { clock: { now: '2026-11-01T10:00:00Z', frozen: true } })
  await call('POST', '/faults', { on: 'createSending', phase: 'after', answer: { fault: 'reset' } })
  await create(mock.url, 'first')
  await call('POST', '/clock', { advance: '30s' })
  await create(mock.url, 'second')
  const text = async (path: string) => (await fetch(mock.url + place + path)).text()
  const file = directory.at('night.capsule.json')
  writeFileSync(file, await text('/capsule'))
  return {
    file,
    verdict: await text('/verdict?format=text'),
    ended: await text('/verdict?format=text&believes=sent'),
  }
}

it('judge prints the verdict of a mock that is gone, byte for byte, in another time zone', async () => {
  const { file, verdict, ended } = await capsuleOfAnotherMock()
  const env = { TZ: 'Asia/Tokyo' }
  const judged = await run(['judge', file], env)
  // Whoever reads it there has flags, and no address.
  const inFlags = 'add --believes sent --expected 1'
  expect(verdict).toContain('append &believes=sent&expected=1')
  expect(judged).toMatchObject({
    errors: '',
    output: verdict.replace('append &believes=sent&expected=1', inFlags),
  })
  expect((await run(['judge', file, '--format', 'junit'], env)).output).toContain(inFlags)
  expect(await run(['judge', file, '--believes', 'sent'], env)).toMatchObject({
    code: 1,
    errors: '',
    output: ended,
  })
  const json = await run(['judge', file, '--format', 'json'])
  expect(JSON.parse(json.output)).toMatchObject({ space: user, harm: { sent: 2 } })
  const junit = await run(['judge', file, '--believes', 'sent', '--format', 'junit'])
  expect(junit.output).toMatch(/<testsuite name="mailing-sync-mock judge" tests="1" failures="1"/)
})

it('open shows the pages of a mock that is gone, and --fork goes on from one of its requests', async () => {
  const { file } = await capsuleOfAnotherMock()
  {
    await using opened = await start(['open', file, '--at', 'r1'])
    const [address] = opened.output().split('\n')
    const page = await fetch(address!, { headers: { accept: 'text/html' } })
    expect(new URL(page.url).pathname).toMatch(
      new RegExp(`^/at/r\\d+-1${place.replace('+', '\\+')}/verdict$`),
    )
    expect(await page.text()).toContain('<strong>night.capsule.json</strong>, read only, as it was after r')
    expect((await opened.stop()).code).toBe(0)
  }
  await using fork = await start(['open', file, '--fork', 'r2'])
  expect(fork.output()).toContain(`${user} with the password demo`)
  expect(await create(fork.url, 'first')).toBe(200)
  const verdict = await fetch(`${fork.url}${place}/verdict?believes=sent`)
  expect(await verdict.json()).toMatchObject({ outcome: 'innocent', failure: null, harm: { sent: 1 } })
})

it('a capsule is not opened on a port that is in use, and its command names the flag that it has', async () => {
  const { file } = await capsuleOfAnotherMock()
  using taken = await takenPort()
  expect(await run(['open', file, '--port', String(taken.port)])).toMatchObject({
    code: 2,
    errors: expect.stringMatching(/^mailing-sync-mock: \S+ is in use; give another port \(--port\), or 0/m),
  })
})

it('a file that is no capsule is refused with a sentence', async () => {
  const { file } = await capsuleOfAnotherMock()
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  for (const command of ['open', 'judge'])
    expect(await run([command, file])).toMatchObject({
      code: 2,
      output: '',
      errors: expect.stringMatching(/^mailing-sync-mock: \S+ (?:is damaged|cannot be read)[^\n]*\n$/),
    })
  expect((await run(['judge', '/no/such/file'])).errors).toMatch(
    /^mailing-sync-mock: cannot read \/no\/such\/file: /,
  )
})
