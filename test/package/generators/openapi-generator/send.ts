import { Configuration, SendingsApi } from './typescript-fetch'

const { MOCK_URL: basePath = '', MOCK_USER: username = '' } = process.env
const sendings = new SendingsApi(new Configuration({ basePath, username, password: 'demo', fetchApi: fetch }))
const response = await sendings.createSendingRaw({
  id: '22222222-0000-4000-8000-000000000001',
  sendingRequest: { transactionId: 'generated' },
})
const { state, target } = await response.value()
console.log(response.raw.status, state, target.sendingId)
