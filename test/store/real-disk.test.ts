import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { titleOr } from '../not-run.ts'
import { temporaryDirectory } from '../process.ts'
import { expectExactly, listed, send, useStage } from './stage.ts'

const stage = useStage()

const did = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
const mount = (at: string) => did('mount', '-t', 'tmpfs', '-o', 'size=512k', 'none', at)

/** Whether we may mount a file system of our own, as root outside of a sandbox may. */
function canMount(): boolean {
  using directory = temporaryDirectory()
  return mount(directory.path) && did('umount', directory.path)
}

/** What is simulated elsewhere, on a file system of half a megabyte. Where mounting is not allowed it is left out. */
const isAllowed = canMount()
const reason = isAllowed ? undefined : 'a file system may not be mounted here'
describe.skipIf(!isAllowed)(titleOr('a file system of its own', reason), () => {
  let small: string
  beforeEach(() => {
    small = stage.data('small')
    mkdirSync(small)
    expect(mount(small)).toBe(true)
  })
  afterEach(() => {
    expect(did('umount', '--lazy', small)).toBe(true)
  })

  it('T04: that is full refuses changes, does nothing of them, and goes on when there is room', async () => {
    const mock = await stage.start(undefined, 'os', small)
    await send(mock, 'first')
    writeFileSync(`${small}/ballast`, Buffer.alloc(64_000))
    const told = ['first']
    const refused: string[] = []
    for (let n = 0; refused.length < 5; n++) {
      const { status } = await send(mock, `t${n}`, 'demo', { name: 'n'.repeat(20_000) })
      ;(status === 201 ? told : refused).push(`t${n}`)
    }
    expect(told.length).toBeGreaterThan(1)
    expectExactly(mock, told)
    expect(await listed(mock)).toEqual([...told].sort())
    rmSync(`${small}/ballast`)
    expect((await send(mock, refused[0]!)).status).toBe(201)
    told.push(refused[0]!)
    expectExactly(mock, told)
    await stage.kill()
    const again = await stage.start(undefined, 'os', small)
    expectExactly(again, told)
    await stage.kill()
  })

  it('T05: that is read-only ends the start with a sentence, and changes nothing', async () => {
    const mock = await stage.start(undefined, 'os', small)
    await send(mock, 'a')
    await stage.stop(mock) // no file may be open
    expect(did('mount', '-o', 'remount,ro', small)).toBe(true)
    await expect(stage.start(undefined, 'os', small)).rejects.toThrow(
      /^cannot (use|lock) .*it is read-only here/,
    )
    expect(did('mount', '-o', 'remount,rw', small)).toBe(true)
    const again = await stage.start(undefined, 'os', small)
    expectExactly(again, ['a'])
    await stage.kill()
  })
})
