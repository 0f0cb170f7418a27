import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { basic, ids, synchronizationPath } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { eventually, type Running, start, temporaryDirectory } from '../process.ts'

/** Whether a process can be watched here, and its calls to the system made to fail. */
const canTrace =
  spawnSync('strace', ['-D', '-f', '-qq', '-e', 'trace=none', '-e', 'inject=getppid:error=EIO', 'true'])
    .status === 0

const canLimit = spawnSync('prlimit', ['--nofile=64', 'true']).status === 0

/** The number of its status, or 0 where no answer came. */
async function post({ url }: Running, transactionId: string): Promise<number> {
  try {
    const { status } = await fetch(`${url}${synchronizationPath(ids.ready)}/sendings`, {
      method: 'POST',
      headers: { Authorization: basic('demo'), 'Content-Type': 'application/json' },
      body: JSON.stringify({ transactionId }),
    })
    return status
  } catch {
    return 0
  }
}

/** What each of so many creates, one after another, was told. */
async function told(mock: Running, count: number): Promise<Map<string, number>> {
  const all = new Map<string, number>()
  for (let n = 0; n < count; n++) all.set(`t-${n}`, await post(mock, `t-${n}`))
  return all
}

/** Everything acknowledged is there, and nothing that was refused. */
async function expectKept(data: string, answers: ReadonlyMap<string, number>): Promise<void> {
  await using again = await start(['--data', data])
  for (const [id, status] of answers)
    expect(await post(again, id), `${id}, which was told ${status}`).toBe(status === 201 ? 200 : 201)
}

const refusals = (answers: ReadonlyMap<string, number>) =>
  [...answers.values()].filter(status => status !== 201)

/** The real system's calls, made to fail by it and not by a seam of ours. Left out where there is no strace. */
const noTrace = canTrace ? undefined : 'strace is not here, or may not watch a process'
describe.skipIf(!canTrace)(titleOr('a real system that fails', noTrace), () => {
  /**
   * A mock that has been there before.
   * @param injected calls, and what becomes of them
   * @param isOfLog whether only those on the log of the space that it sends in
   */
  async function failing(data: string, injected: string, isOfLog: boolean): Promise<Running> {
    const before = await start(['--data', data])
    await post(before, 'before')
    await before.stop('SIGKILL')
    const first = readdirSync(`${data}/spaces`).find(name => name.endsWith('.1.log.jsonl'))!
    const log = `${data}/spaces/${first.replace('.1.log', '.2.log')}`
    const calls = ['-e', `trace=${injected.split(':', 1)}`, '-e', `inject=${injected}`]
    // -D: the mock stays the process that was started, to be killed as such.
    const strace = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', ...calls, ...(isOfLog ? ['-P', log] : [])]
    // One thread for the disk, since calls are counted for each.
    const env = { UV_THREADPOOL_SIZE: '1' }
    return start(['--data', data, '--durability', 'fsync'], env, strace)
  }

  it.each(['EOPNOTSUPP', 'EPERM', 'EINVAL'])(
    'a data directory on a file system without sockets, which says %s, is refused with the cure',
    async error => {
      using folder = temporaryDirectory()
      const strace = [
        'strace',
        '-D',
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        'trace=bind',
        '-e',
        `inject=bind:error=${error}`,
      ]
      await expect(start(['--data', folder.at('data')], {}, strace)).rejects.toThrow(
        /it ended with 2 .*: cannot lock \S+: .+; the lock is a socket, which some shared file systems do not have: use a local directory or a volume, or --in-memory\n$/s,
      )
    },
  )

  it.each([
    ['T06: of which a write fails', 'write,pwrite64,writev,pwritev:error=EIO:when=7'],
    ['T06: of which a sync fails', 'fsync,fdatasync:error=EIO:when=7'],
    ['T07: that says it has written and has not', 'write,pwrite64,writev,pwritev:retval=3:when=7'],
  ])('%s refuses what it lost, goes on, and keeps all else', async (_, injected) => {
    using directory = temporaryDirectory()
    const data = directory.at('data')
    const mock = await failing(data, injected, true)
    const answers = await told(mock, 20)
    // After a failed sync changes are refused until a snapshot is on disk, which takes as long as the disk takes.
    await eventually('changes to be taken again', async () => {
      const id = `t-${answers.size}`
      answers.set(id, await post(mock, id))
      return answers.get(id) === 201 || undefined
    })
    await mock.stop('SIGKILL')
    const refused = refusals(answers)
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused)).toEqual(new Set([500]))
    await expectKept(data, answers)
  })

  it('T06: a snapshot that cannot take its name ends the stop with a sentence, and the logs have everything', async () => {
    using directory = temporaryDirectory()
    const data = directory.at('data')
    const mock = await failing(data, 'rename,renameat,renameat2:error=EIO', false)
    const answers = await told(mock, 5)
    const { code, errors } = await mock.stop('SIGTERM')
    expect(code).toBe(1)
    expect(errors).toMatch(/EIO/)
    expect(refusals(answers)).toEqual([])
    await expectKept(data, answers)
  })

  it('T03: a second signal ends it at once, while the first one waits for the disk', async () => {
    using directory = temporaryDirectory()
    const data = directory.at('data')
    const mock = await failing(data, 'rename,renameat,renameat2:delay_enter=5000000', false)
    const answers = await told(mock, 5)
    process.kill(mock.pid, 'SIGTERM')
    await eventually('the first signal to be heard', async () =>
      (await post(mock, 'too late')) === 0 ? true : undefined,
    )
    expect((await mock.stop('SIGTERM')).code).toBe(1)
    await expectKept(data, answers)
  })
})

const noLimit = canLimit ? undefined : 'there is no prlimit here'
describe.skipIf(!canLimit)(titleOr('few open files', noLimit), () => {
  it('T08: at the limit nobody more is let in, and it goes on when others have left', async () => {
    using directory = temporaryDirectory()
    const data = directory.at('data')
    const mock = await start(['--data', data], {}, ['prlimit', '--nofile=64'])
    const answers = await told(mock, 3)
    const idle = Array.from({ length: 100 }, () => connect(mock.port, 'localhost').on('error', () => {}))
    await eventually('some to be turned away', () => idle.some(({ closed }) => closed) || undefined)
    for (const socket of idle) socket.destroy()
    await eventually('it to answer again', async () => {
      const status = await post(mock, 'afterwards')
      return status === 201 || status === 200 ? true : undefined
    })
    answers.set('afterwards', 201)
    const { errors } = await mock.stop('SIGKILL')
    expect(errors).toBe('')
    await expectKept(data, answers)
  })
})
