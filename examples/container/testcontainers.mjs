import { GenericContainer, Wait } from 'testcontainers'

const container = await new GenericContainer('registry.example.com/mailing-sync-mock:0.1.0')
  .withExposedPorts(4025)
  .withEnvironment({ MAILING_SYNC_MOCK_IN_MEMORY: 'true' })
  .withWaitStrategy(Wait.forHttp('/_mock/health', 4025))
  .start()
const url = `http://${container.getHost()}:${container.getMappedPort(4025)}`

const synchronization = '22222222-0000-4000-8000-000000000001'
const response = await fetch(
  `${url}/integrations/mailing-platform/mailing-synchronizations/${synchronization}/sendings`,
  {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('demo+my-test:demo')}`, 'Content-Type': 'application/hal+json' },
    body: JSON.stringify({ transactionId: 'my-test' }),
  },
)
console.log((await response.json()).state)
await container.stop()
