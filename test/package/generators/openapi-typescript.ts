import createClient from 'openapi-fetch'
import type { paths } from './openapi-typescript/schema'

const { MOCK_URL: baseUrl = '', MOCK_USER: user = '' } = process.env
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Basic ${btoa(`${user}:demo`)}` } })
const path = '/integrations/mailing-platform/mailing-synchronizations/{id}/sendings'
const { data, response } = await client.POST(path, {
  params: { path: { id: '22222222-0000-4000-8000-000000000001' } },
  body: { transactionId: 'generated' },
})
const state: 'PENDING' | 'CREATED' | 'FAILED' | 'INDETERMINATE_FAILURE' | undefined = data?.state
console.log(response.status, state, data?.target.sendingId)
