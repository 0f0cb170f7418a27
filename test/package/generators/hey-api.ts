import { client } from './hey-api/client.gen'
import { createSending } from './hey-api/sdk.gen'

const { MOCK_URL: baseUrl = '', MOCK_USER: user = '' } = process.env
client.setConfig({ baseUrl, auth: `${user}:demo` })
const { data, response } = await createSending({
  path: { id: '22222222-0000-4000-8000-000000000001' },
  body: { transactionId: 'generated' },
})
const state: 'PENDING' | 'CREATED' | 'FAILED' | 'INDETERMINATE_FAILURE' | undefined = data?.state
console.log(response?.status, state, data?.target.sendingId)
