import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { basic, ids, synchronizationPath } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { program, type Running, start, temporaryDirectory } from '../process.ts'
import { listed, send, useStage } from './stage.ts'

describe('processes on one directory', () => {
  const holder = fileURLToPath(new URL('./crash/holder.mjs', import.meta.url))
  const children: ChildProcess[] = []
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
  })

  /** A process that takes the directory at that time; `said` is how it went. */
  function take(data: string, at = 0) {
    const child = spawn(process.execPath, [holder, data, String(at)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const said = new Promise<string>(resolve => {
      child.stdout.setEncoding('utf8').once('data', resolve)
    })
    return { child, said }
  }

  const isHeld = (said: string) => said === 'held\n'
  const isRefusal = (said: string) => /is in use by another|is being started by another process/.test(said)

  it('T10: of processes that start in the same millisecond exactly one has it, and after a kill the next one at once', async () => {
    using directory = temporaryDirectory()
    for (let round = 0; round < 2; round++) {
      // Time enough for all of them to be there before it begins.
      const at = Date.now() + 700
      const racing = Array.from({ length: 4 }, () => take(directory.path, at))
      const said = await Promise.all(racing.map(it => it.said))
      expect(said.filter(isHeld), said.join()).toHaveLength(1)
      expect(said.filter(isRefusal)).toHaveLength(3)
      const winner = racing[said.findIndex(isHeld)]!.child
      const gone = once(winner, 'exit')
      winner.kill('SIGKILL')
      await gone
      const next = take(directory.path)
      expect(await next.said).toBe('held\n')
      const over = once(next.child, 'exit')
      next.child.kill('SIGKILL')
      await over
    }
  })

  it('T11: a holder that stands still keeps it, and loses nothing by it', async () => {
    using directory = temporaryDirectory()
    const first = take(directory.path)
    expect(await first.said).toBe('held\n')
    first.child.kill('SIGSTOP')
    expect(await take(directory.path).said).toContain(
      'is in use by another mailing-sync-mock (a process that does not answer)',
    )
    first.child.kill('SIGCONT')
    expect(await take(directory.path).said).toContain(
      `is in use by another mailing-sync-mock (process ${first.child.pid})`,
    )
  })
})

const hasFull = existsSync('/dev/full')
const noFull = hasFull ? undefined : 'there is no /dev/full here'
describe.skipIf(!hasFull)(titleOr('limits of the system', noFull), () => {
  it('T08: at the limit of file sizes, with a full disk under its log, it refuses changes, answers the rest, and stops in order', async () => {
    using directory = temporaryDirectory()
    const data = directory.at('data')
    // Blocks of 512 or 1024 bytes: in any case more than the fixture and less than the changes below.
    const limited = `ulimit -f 800; exec "$0" "$@" 2>/dev/full`
    const child = spawn(
      'sh',
      ['-c', limited, process.execPath, program, '--data', data, '--port', '0', '--quiet'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const ended = once(child, 'exit')
    try {
      const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
      const url = /ready on (\S+)/.exec(line)![1]!
      const headers = { authorization: basic('demo'), 'content-type': 'application/json' }
      const ask = (transactionId: string) =>
        fetch(url + synchronizationPath(ids.ready, '/sendings'), {
          method: 'POST',
          headers,
          body: JSON.stringify({ transactionId, name: 'n'.repeat(20_000) }),
        })
      const told: string[] = []
      for (let refused = 0, n = 0; refused < 5; n++) {
        const { status } = await ask(`t${n}`)
        expect([201, 500]).toContain(status)
        if (status === 201) told.push(`t${n}`)
        else refused++
      }
      expect(told.length).toBeGreaterThan(1)
      for (const id of told) expect((await ask(id)).status).toBe(200)
      child.kill('SIGTERM')
      await ended
      await using again = await start(['--data', data])
      const list = await fetch(`${again.url}/_mock/spaces/demo/platform`).then(
        answer => answer.json() as Promise<{ sendings: { transactionId: string }[] }>,
      )
      expect(list.sendings.map(it => it.transactionId)).toEqual(told)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })
})

describe('a copy of the directory', () => {
  const stage = useStage()

  it('T12: taken while requests go on starts with what had been written, or is refused; never with half a change', async () => {
    const mock = await stage.start(undefined, 'os', stage.data('data'))
    let refused = 0
    for (let round = 0; round < 8; round++) {
      const working = Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          send(mock, `${round}-${n}`, 'demo', { name: 'n'.repeat(90_000) }),
        ),
      )
      const copy = stage.data(`copy-${round}`)
      mkdirSync(copy)
      // File by file, as a copy is made, and requests in between.
      for (const folder of ['spaces', 'fixtures']) {
        mkdirSync(`${copy}/${folder}`)
        for (const name of readdirSync(stage.data('data', folder)).reverse()) {
          try {
            cpSync(stage.data('data', folder, name), `${copy}/${folder}/${name}`)
          } catch (error) {
            expect((error as NodeJS.ErrnoException).code).toBe('ENOENT') // gone since the directory was read
          }
          await new Promise(setImmediate)
        }
      }
      await working
      const there = await stage.start(undefined, 'os', copy).catch((error: Error) => error)
      if (there instanceof Error) {
        refused++
        expect(there.message).toMatch(/a file is missing|has no end|is missing/)
        await stage.kill()
        continue
      }
      const found = await listed(there)
      for (const id of found) expect((await send(there, id)).status).toBe(200)
      const { tables } = there.space().data
      expect([...tables.platformSendings.changes()]).toHaveLength(found.length)
      expect([...tables.platformMailings.changes()]).toHaveLength(found.length)
      await stage.kill()
    }
    expect(refused).toBeLessThan(8)
  })
})

describe('a stop', () => {
  const path = synchronizationPath(ids.ready, '/sendings')
  const post = (mock: Running, transactionId: string, scenario?: string) =>
    fetch(mock.url + path, {
      method: 'POST',
      headers: {
        authorization: basic('demo'),
        'content-type': 'application/json',
        ...(scenario && { 'X-Mock-Scenario': scenario }),
      },
      body: JSON.stringify({ transactionId }),
    })

  it('T03: amid requests, with some that hang, is over within the grace, and what was acknowledged is in one snapshot', async () => {
    using directory = temporaryDirectory()
    const args = ['--data', directory.at('data')]
    await using first = await start(args)
    const hanging = Array.from({ length: 5 }, (_, n) =>
      post(first, `hanging-${n}`, 'hang-after').catch(() => {}),
    )
    const told: string[] = []
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let n = 0; ; n++) {
        const { status } = await post(first, `${client}-${n}`)
        if (status === 201) told.push(`${client}-${n}`)
      }
    })
    const left = Promise.allSettled(clients)
    while (told.length < 20) await new Promise(setImmediate)
    const { code, errors } = await first.stop('SIGTERM')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    await left
    await Promise.all(hanging)
    expect(readdirSync(directory.at('data', 'spaces')).filter(name => name.endsWith('.jsonl'))).toEqual([])
    await using second = await start(args)
    for (const id of told) expect((await post(second, id)).status, id).toBe(200)
  })
})

describe('a program with a journal on disk', () => {
  it('a program that was killed has all requests that it answered, and judges them as before', async () => {
    using directory = temporaryDirectory()
    const args = ['--data', directory.path, '--journal-on-disk']
    const headers = { authorization: basic('demo'), 'content-type': 'application/json' }
    const read = async ({ url }: Running, path: string) =>
      (await fetch(`${url}/_mock/spaces/demo${path}`, { headers: { accept: 'text/plain' } })).text()
    const before = await start(args)
    for (const scenario of ['loss-after-reset-1', 'loss-after-500-1', 'loss-bound-truncate-1'])
      for (let attempt = 0; attempt < 2; attempt++)
        await fetch(`${before.url}${synchronizationPath(ids.ready, '/sendings')}`, {
          method: 'POST',
          headers: { ...headers, 'X-Mock-Scenario': scenario },
          body: JSON.stringify({ transactionId: scenario }),
        })
          .then(it => it.text())
          .catch(() => {})
    const texts = [await read(before, '/requests'), await read(before, '/verdict')]
    await before.stop('SIGKILL')
    await using after = await start(args)
    expect([await read(after, '/requests'), await read(after, '/verdict')]).toEqual(texts)
    expect(texts[0]).toContain('loss-bound-truncate-1')
  })
})
