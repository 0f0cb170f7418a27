import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { type Client, type ClientCall, functionClient } from '../../../src/judge/exam/client.ts'
import { RunningProcesses } from '../../../src/judge/exam/client-processes.ts'
import { warmClient } from '../../../src/judge/exam/warm-client.ts'
import { examine } from '../../../src/lib/run-exam.ts'
import { halType, synchronizationPath } from '../../mock.ts'

/** Repeats the same ID once, over one connection for all its requests or over one for each. */
const clientOf =
  (keepAlive: boolean) =>
  async ({ url, user, password, synchronizationId }: ClientCall) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 })
    const send = () =>
      new Promise<number>((resolve, reject) => {
        const options = {
          ...{ agent, method: 'POST', auth: `${user}:${password}` },
          headers: { 'content-type': halType },
        }
        request(url + synchronizationPath(synchronizationId, '/sendings'), options, response =>
          text(response).then(() => resolve(response.statusCode!), reject),
        )
          .on('error', reject)
          .end(JSON.stringify({ transactionId: 'one' }))
      })
    const statuses = [await send(), await send()]
    agent.destroy()
    return statuses[1] === 201 ? ('sent' as const) : ('unknown' as const)
  }

const running = new RunningProcesses()
afterAll(() => running.killAll())

/** Situations of a portrait. @param delay milliseconds by which the mock was late */
async function situationsSeen(client: Client, delay: number, speed?: number): Promise<string[]> {
  const { portrait } = await examine({
    ...{ client, speed, plans: ['500-nothing'] },
    startDelayMeter: () => () => delay,
  })
  return portrait!.situations.map(({ name }) => name)
}

test('what follows an answer of a late mock says nothing, unless the connection goes on', async () => {
  const [several, one] = [false, true].map(it => functionClient(clientOf(it)))
  expect(await situationsSeen(several!, 0)).toEqual(['first attempt', '5xx', 'CREATED'])
  expect(await situationsSeen(several!, 60_000)).toEqual(['first attempt'])
  expect(await situationsSeen(one!, 60_000)).toEqual(['first attempt', '5xx'])
})

test('what a warm client does so late that it may have given an answer up says nothing', async () => {
  const conduct = `await ask(0)
    await send('one')
    for (const end = Date.now() + 300; Date.now() < end; ) {}
    await ask(1_000)
    await send('one')
    believe('sent')`
  const program = join(import.meta.dirname, '../exam/warm-client.mjs')
  const client = warmClient([process.execPath, program, conduct], process.env, running)
  expect(await situationsSeen(client, 0, 60)).not.toContain('5xx')
})
