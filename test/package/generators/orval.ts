import { createSending } from './orval/service'

const { MOCK_URL: baseUrl = '', MOCK_USER: user = '' } = process.env
const { fetch } = globalThis
globalThis.fetch = (path, options) => fetch(`${baseUrl}${path}`, options)
const { data, status } = await createSending(
  '22222222-0000-4000-8000-000000000001',
  { transactionId: 'generated' },
  { headers: { Authorization: `Basic ${btoa(`${user}:demo`)}` } },
)
if (status !== 201) throw new Error(`answered with ${status}`)
const state: 'PENDING' | 'CREATED' | 'FAILED' | 'INDETERMINATE_FAILURE' = data.state
console.log(status, state, data.target.sendingId)
