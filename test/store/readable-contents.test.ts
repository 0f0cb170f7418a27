import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { ids, type Json, jsonOf, synchronizationPath } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'

let directory: ReturnType<typeof temporaryDirectory>
const running = new Set<Mock>()
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(async () => {
  for (const mock of running) await mock.close()
  running.clear()
  directory[Symbol.dispose]()
})

async function start(options: { readonly acceptEdits?: boolean } = {}): Promise<Mock> {
  const mock = await createMock({ data: directory.path, logLevel: 'silent', ...options })
  running.add(mock)
  return mock
}
async function stop(mock: Mock): Promise<void> {
  running.delete(mock)
  await mock.close()
}

const files = () => readdirSync(directory.at('content'))
const path = (space: RegExp) => directory.at('content', files().find(name => space.test(name))!)
const demo = /^demo\./
const copy = /^demo-x\./

/** Changes the text of a space's file, as a person with an editor does. */
function edit(space: RegExp, change: (text: string) => string): void {
  const text = readFileSync(path(space), 'utf8')
  expect(change(text)).not.toBe(text)
  writeFileSync(path(space), change(text))
}

const ask = async (
  mock: Mock,
  target: string,
  { user = 'demo', body }: { user?: string; body?: object } = {},
): Promise<Json> => {
  const response = await mock.fetch(`http://localhost${target}`, {
    headers: { Authorization: `Basic ${btoa(`${user}:demo`)}`, 'Content-Type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return jsonOf(response)
}
async function nameOf(mock: Mock, user = 'demo'): Promise<string> {
  const items = (await ask(mock, '/mailings', { user }))._embedded['svc:mailings']
  return items.find(({ id }: Json) => id === ids.mailing.ready).name
}
const send = (mock: Mock, transactionId: string, user = 'demo') =>
  ask(mock, synchronizationPath(ids.ready, '/sendings'), { user, body: { transactionId } })

/** Stops a mock whose spaces `demo` and `demo+x` have a sending each. */
async function leaveContents(): Promise<string> {
  const mock = await start()
  await send(mock, 'one')
  await send(mock, 'other', 'demo+x')
  const name = await nameOf(mock)
  await stop(mock)
  return name
}

describe('the readable content of a space', () => {
  it('is its whole content as pretty-printed JSON after a stop, and goes at the next start', async () => {
    await leaveContents()
    const text = readFileSync(path(demo), 'utf8')
    const { content, $of, ...rest } = JSON.parse(text)
    expect(text).toBe(
      `${JSON.stringify({ $about: rest.$about, $of, content, $checksum: rest.$checksum }, null, 2)}\n`,
    )
    expect([$of, content.space, content.mailings.length > 10]).toEqual(['demo', 'demo', true])
    expect(content.sendings.at(-1)).toMatchObject({ transactionId: 'one' })
    expect(JSON.parse(readFileSync(path(copy), 'utf8'))).toMatchObject({ $of: 'demo+x' })
    const mock = await start()
    expect(files()).toEqual([])
    expect((await send(mock, 'one')).transactionId).toBe('one')
  })

  it('is what a snapshot of the space has, but for passwords', async () => {
    const first = await start()
    await send(first, 'one')
    const snapshot = await first.space('demo').snapshot()
    await stop(first)
    expect(JSON.parse(readFileSync(path(demo), 'utf8')).content).toEqual(snapshot)
  })

  it('can be edited: with --accept-edits the space goes on from it', async () => {
    const name = await leaveContents()
    edit(demo, text => text.replaceAll(JSON.stringify(name), '"Edited by hand"'))
    const mock = await start({ acceptEdits: true })
    expect([await nameOf(mock), await nameOf(mock, 'demo+x')]).toEqual(['Edited by hand', name])
    expect((await send(mock, 'one')).target.sendingId).toEqual(expect.any(Number))
    await stop(mock)
    const later = await start()
    expect(await nameOf(later)).toBe('Edited by hand')
  })

  it('can be edited in a private space, whose name it keeps', async () => {
    const name = await leaveContents()
    edit(copy, text => text.replaceAll(JSON.stringify(name), '"Edited by hand"'))
    const mock = await start({ acceptEdits: true })
    expect([await nameOf(mock), await nameOf(mock, 'demo+x')]).toEqual([name, 'Edited by hand'])
  })

  it('is refused with its name when it was edited and nobody said that edits count', async () => {
    const name = await leaveContents()
    edit(demo, text => text.replace(JSON.stringify(name), '"Edited by hand"'))
    await expect(start()).rejects.toThrow(`${path(demo)} was edited while the mock was stopped`)
    await expect(start()).rejects.toThrow('--accept-edits')
    expect(files()).toHaveLength(2)
  })

  it('counts as it was when only blanks and line ends have changed', async () => {
    await leaveContents()
    edit(demo, text => JSON.stringify(JSON.parse(text)))
    await start()
    expect(files()).toEqual([])
  })

  it.each([
    ['no JSON', (text: string) => text.slice(0, -10), 'is not JSON'],
    [
      'a wrong value',
      (text: string) => text.replace(/"creationDate": "[^"]+"/, '"creationDate": "yesterday"'),
      /content.*creationDate.*got "yesterday"/s,
    ],
    [
      'another user',
      (text: string) => text.replace('"name": "demo"', '"name": "anna"'),
      'users cannot be changed',
    ],
    ['another space', (text: string) => text.replace('"$of": "demo"', '"$of": "other"'), '"other"'],
  ])('is checked like a fixture: %s is refused, and everything stays', async (_, change, message) => {
    await leaveContents()
    // What the checksum does not cover counts as well.
    edit(demo, text => change(text).replace(/"\$checksum": "\w+"/, '"$checksum": ""'))
    await expect(start({ acceptEdits: true })).rejects.toThrow(message)
    expect(files()).toHaveLength(2)
  })
})
