import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'
import { startCommandWorker } from '../../../src/lib/command-worker.ts'
import { temporaryDirectory } from '../../process.ts'

/** A warm client that closes its connection as soon as the answer begins. */
const leaving = `
  import { request } from 'node:http'
  import { createInterface } from 'node:readline'
  for await (const line of createInterface({ input: process.stdin })) {
    const response = await new Promise(resolve => request(JSON.parse(line).MAILING_SYNC_URL, resolve).end())
    response.destroy()
    await new Promise(resolve => response.once('close', resolve))
  }`

it('an answer that its client no longer takes makes the order one that cannot be followed', async () => {
  using folder = temporaryDirectory()
  const file = folder.at('client.mjs')
  writeFileSync(file, leaving)
  const data = { command: [process.execPath, file], environment: {}, speed: 1, patience: undefined }
  const worker = await startCommandWorker(data, new RunningProcesses())
  const call = {
    case: 'plan',
    user: 'demo',
    password: 'demo',
    synchronizationId: '1',
    state: folder.path,
    speed: 1,
  }
  const words = await worker.begin({ ...call, url: '', caFile: undefined, scheduleDate: undefined }, 0)
  expect(words).toMatchObject([{ kind: 'request', request: { number: 1, method: 'GET' } }])
  const bytes = new Uint8Array(8_000_000)
  const head = { kind: 'head', status: 200, statusText: 'OK', headers: [] as [string, string][] } as const
  const parts = [head, { kind: 'bytes', bytes }, { kind: 'bytes', bytes }, { kind: 'end' }] as const
  await expect(worker.deliver(1, parts, 0)).rejects.toThrow('the time limit of a request passed')
  await worker.kill()
})
