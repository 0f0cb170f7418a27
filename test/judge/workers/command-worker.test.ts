import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'
import { startCommandWorker } from '../../../src/lib/command-worker.ts'
import { temporaryDirectory } from '../../process.ts'

const started = (folder: { at(name: string): string }, program: string, patience?: number) => {
  const file = folder.at('client.mjs')
  writeFileSync(file, program)
  const data = { command: [process.execPath, file], environment: {}, speed: 1, patience }
  return startCommandWorker(data, new RunningProcesses())
}

const callOf = (folder: { readonly path: string }) => ({
  ...{ case: 'plan', user: 'demo', password: 'demo', synchronizationId: '1', state: folder.path },
  ...{ speed: 1, url: '', caFile: undefined, scheduleDate: undefined },
})

/** A warm client that closes its connection as soon as the answer begins. */
const leaving = `
  import { request } from 'node:http'
  import { createInterface } from 'node:readline'
  for await (const line of createInterface({ input: process.stdin })) {
    const response = await new Promise(resolve => request(JSON.parse(line).MAILING_SYNC_URL, resolve).end())
    response.destroy()
    await new Promise(resolve => response.once('close', resolve))
  }`

/** A warm client that asks, and waits. */
const waiting = `
  import { request } from 'node:http'
  import { createInterface } from 'node:readline'
  for await (const line of createInterface({ input: process.stdin }))
    request(JSON.parse(line).MAILING_SYNC_URL).on('error', () => {}).end()`

it('before time passes to the end of a time limit, half of that limit has passed in real time', async () => {
  using folder = temporaryDirectory()
  const worker = await started(folder, waiting, 4_000)
  const before = performance.now()
  await worker.begin(callOf(folder), 0)
  await worker.approach!(4_000)
  // The request came after that.
  expect(performance.now() - before).toBeGreaterThanOrEqual(2_000)
  await worker.kill()
})

it('an answer that its client no longer takes makes the order one that cannot be followed', async () => {
  using folder = temporaryDirectory()
  const worker = await started(folder, leaving)
  const words = await worker.begin(callOf(folder), 0)
  expect(words).toMatchObject([{ kind: 'request', request: { number: 1, method: 'GET' } }])
  const bytes = new Uint8Array(8_000_000)
  const head = { kind: 'head', status: 200, statusText: 'OK', headers: [] as [string, string][] } as const
  const parts = [head, { kind: 'bytes', bytes }, { kind: 'bytes', bytes }, { kind: 'end' }] as const
  await expect(worker.deliver(1, parts, 0)).rejects.toThrow('the time limit of a request passed')
  await worker.kill()
})
