import { afterEach, describe, expect, it } from 'vitest'
import { describeService } from '../../../src/control/service-description.ts'
import { assembleMock, makeMock } from '../../../src/lib/assemble-mock.ts'
import { defaultDials } from '../../../src/service/dials.ts'
import { operations } from '../../../src/service/operations.ts'
import { jsonOf } from '../../mock.ts'
import { startTester, type Tester } from '../../rig/control/tester.ts'

const patience = 60_000
const testers: Tester[] = []
const start = async (...options: Parameters<typeof startTester>) => {
  const tester = await startTester(...options)
  testers.push(tester)
  return tester
}
afterEach(async () => {
  for (const tester of testers.splice(0)) await tester.close()
})

describe('GET /_mock/openapi.json', { timeout: patience }, () => {
  it('GET /_mock/openapi.json is openapi.yaml, at the address that was asked', async () => {
    const tester = await start()
    const { headers, text, json } = await tester.get('/openapi.json')
    expect(headers.get('content-type')).toBe('application/json')
    expect(json.servers).toEqual([{ url: 'http://localhost' }])
    const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
    const document = await describeService({ names, dials: defaultDials }, makeMock)
    expect(text.replaceAll('http://localhost', 'http://localhost:4025')).toBe(JSON.stringify(document))
  })

  it('GET /_mock/openapi.json has the public address and the names of the deployment', async () => {
    const publicUrl = 'https://mock.example.com/so"far'
    const tester = await start({ publicUrl, relationPrefix: 'acme', platformSegment: 'sender' })
    const { json, text } = await tester.get('/openapi.json')
    expect(json.servers).toEqual([{ url: publicUrl }])
    expect(Object.keys(json.paths)).toContain('/integrations/sender/mailing-synchronizations')
    expect(json.components.schemas.Sendings.properties._embedded.required).toEqual(['acme:sendings'])
    expect(text).not.toContain('svc:sendings":')
    expect(text).not.toContain('http://localhost')
  })

  it('GET /_mock/openapi.json has the dials of the start; that of a space those that are turned there', async () => {
    const tester = await start({ dials: { 'not-ready-status': '422' } })
    const statuses = async (path: string) => {
      const { json } = await tester.get(path)
      return Object.keys(json.paths['/integrations/mailing-platform/mailing-synchronizations'].post.responses)
    }
    const dials = async (path: string) => (await tester.get(path)).json['x-dials']
    expect((await dials('/openapi.json'))['not-ready-status'].value).toBe('422')
    expect(await statuses('/openapi.json')).toContain('201')
    await tester.put('/spaces/demo/dials', { 'created-synchronization-status': '200' })
    expect(await statuses('/spaces/demo/openapi.json')).not.toContain('201')
    expect((await dials('/spaces/demo/openapi.json'))['not-ready-status'].value).toBe('422')
    expect(await statuses('/openapi.json')).toContain('201')
    await tester.put('/spaces/demo/dials', {})
    expect(await statuses('/spaces/demo/openapi.json')).toContain('201')
  })

  it('GET /_mock/openapi.json says so where the service is on another port', async () => {
    const mock = await assembleMock({ logLevel: 'silent', hasControlPort: true }, false)
    try {
      const { url } = await mock.listenForControl()
      const { servers, paths } = await jsonOf(await fetch(`${url}/_mock/openapi.json`))
      expect(servers).toEqual([{ url, description: expect.stringContaining('another port') }])
      expect(Object.keys(paths)).toHaveLength(new Set(Object.values(operations).map(({ path }) => path)).size)
      const service = await mock.listen()
      const listening = await jsonOf(await fetch(`${url}/_mock/openapi.json`))
      expect(listening.servers.map((it: { url: string }) => it.url)).toEqual([service.url])
      const exam = await fetch(`${url}/_mock/exams`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ only: ['reset-after'] }),
      })
      expect((await jsonOf(exam)).cases.map((it: { url: string }) => it.url)).toEqual([service.url])
      expect((await mock.fetch('http://localhost/_mock/openapi.json')).status).toBe(404)
    } finally {
      await mock.close()
    }
  })

  it('GET /_mock/openapi.json is refused for a space that there is not', async () => {
    const tester = await start()
    expect((await tester.get('/spaces/nobody/openapi.json')).status).toBe(404)
  })

  it('GET /_mock/openapi.json leaves the spaces of the mock as they were', async () => {
    const tester = await start()
    await tester.as('demo').get('/mailings')
    const before = (await tester.get('/spaces/demo')).json.requests
    await tester.get('/openapi.json')
    expect((await tester.get('/spaces/demo')).json.requests).toBe(before)
  })
})
