import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type ClientCall, functionClient } from '../../../src/judge/exam/client.ts'
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

/** Situations of a portrait, learned while the machine was late. @param delay milliseconds */
async function situationsSeen(keepAlive: boolean, delay: number): Promise<string[]> {
  const { portrait } = await examine({
    client: functionClient(clientOf(keepAlive)),
    plans: ['500-nothing'],
    startDelayMeter: () => () => delay,
  })
  return portrait!.situations.map(({ name }) => name)
}

test('what follows an answer of a late machine says nothing, unless the connection goes on', async () => {
  expect(await situationsSeen(false, 0)).toEqual(['first attempt', '5xx', 'CREATED'])
  expect(await situationsSeen(false, 60_000)).toEqual(['first attempt'])
  expect(await situationsSeen(true, 60_000)).toEqual(['first attempt', '5xx'])
})
