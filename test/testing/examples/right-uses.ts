import { randomUUID } from 'node:crypto'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import { handleAll, retry } from 'cockatiel'
import got from 'got'
import ky from 'ky'
import pRetry from 'p-retry'
import { Agent, RetryAgent, request } from 'undici'
import type { ClientOptions, Send } from '../../../examples/clients/client.d.ts'
import { basic, synchronizationPath } from '../../mock.ts'

/** One mailing in one request: the transaction ID is made once, and whatever repeats the request repeats its bytes. */
const requestOf = ({ url, user, password, synchronizationId }: ClientOptions) => ({
  url: url + synchronizationPath(synchronizationId, '/sendings'),
  headers: { authorization: basic(user, password), 'content-type': 'application/json' },
  body: JSON.stringify({ transactionId: randomUUID() }),
})

const sendOnce = async ({ url, ...init }: ReturnType<typeof requestOf>) => {
  const response = await fetch(url, { method: 'POST', ...init })
  if (!response.ok) throw new Error(`the status is ${response.status}`)
}

/** Libraries that are told to repeat a POST with the same transaction ID. */
const libraries: Readonly<Record<string, (asking: ReturnType<typeof requestOf>) => Promise<unknown>>> = {
  'axios-retry': ({ url, headers, body }) => {
    const client = axios.create()
    axiosRetry(client, { retries: 3, retryCondition: () => true })
    return client.post(url, body, { headers })
  },
  cockatiel: asking => retry(handleAll, { maxAttempts: 3 }).execute(() => sendOnce(asking)),
  got: ({ url, ...asking }) => got.post(url, { ...asking, retry: { limit: 3, methods: ['POST'] } }),
  ky: ({ url, ...asking }) => ky.post(url, { ...asking, retry: { limit: 3, methods: ['post'] } }),
  'p-retry': asking => pRetry(() => sendOnce(asking), { retries: 3 }),
  undici: ({ url, ...asking }) =>
    request(url, {
      ...asking,
      method: 'POST',
      dispatcher: new RetryAgent(new Agent(), { methods: ['POST'] }),
    }),
}

/** Each as a client by its name. */
export const rightUses = Object.entries(libraries).map(([name, post]): [string, Send] => [
  name,
  async options => {
    await post(requestOf(options))
    return 'sent'
  },
])
