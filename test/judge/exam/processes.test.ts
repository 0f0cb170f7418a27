import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'

test('a client that ended by itself may have left processes behind, and one that was killed has not', async () => {
  const running = new RunningProcesses()
  const start = (script: string) => {
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' })
    running.add(child, script)
    return child
  }
  const killed = start('sleep 1000; true')
  const exit = once(killed, 'exit')
  process.kill(-killed.pid!, 'SIGKILL')
  await exit
  expect(running.leftBehind).toBe(0)
  const leaving = start('sleep 1000 & exit')
  await once(leaving, 'exit')
  expect(running.leftBehind).toBe(1)
})
