import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { titleOr } from '../not-run.ts'
import { hasCurl, noCurl, type Running, start, temporaryDirectory } from '../process.ts'
import { curlsIn, Terminal, type Tried, triedIn } from './tried.ts'

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8')

let mock: Running
const folder = temporaryDirectory()
beforeAll(async () => {
  mock = await start(['--in-memory'])
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await mock.stop()
})
const terminal = new Terminal(() => mock.url)

/** The parts of the page in its order: each curl command, each file, and what `node --test` says then. */
const [hello, guilty, innocent] = triedIn(page) as [Tried, Tried, Tried]
const files = [...page.matchAll(/<!-- file (\S+) -->\n```js\n(.*?)```/gs)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}))

async function paste({ command, answers }: Tried): Promise<void> {
  for (const { status: expected, part } of answers) {
    const { status, body } = await terminal.paste(command)
    expect(status).toBe(expected)
    if (part) expect(body).toMatchObject(part)
  }
}

function save(at: number): void {
  writeFileSync(folder.at(files[at]!.name), files[at]!.text)
}

/** Without what vitest sets, by which Node's runner would take itself for part of another one. */
function runTests() {
  const { PATH = '' } = process.env
  const env = { PATH, MAILING_SYNC_URL: mock.url }
  return spawnSync(process.execPath, ['--test'], { cwd: folder.path, env, encoding: 'utf8', timeout: 90_000 })
}

test('every command of the page is tried', () => {
  expect(triedIn(page)).toHaveLength(curlsIn(page))
  expect(files.map(({ name }) => name)).toEqual(['newsletter.mjs', 'newsletter.test.mjs', 'newsletter.mjs'])
})

test.runIf(hasCurl)(titleOr('goes as the page says, step by step', noCurl), async () => {
  await paste(hello)
  save(0)
  save(1)
  const first = runTests()
  expect(first.status, first.stdout).toBe(1)
  expect(first.stdout).toContain(/<!-- fails with (.+) -->/.exec(page)![1])
  await paste(guilty)
  const { body } = await terminal.paste(guilty.command)
  expect((body as { findings: { rule: string }[] }).findings.map(it => it.rule)).toContain('R02')
  save(2)
  const second = runTests()
  expect(second.status, second.stdout).toBe(0)
  await paste(innocent)
})
