import { describe, expect, it } from 'vitest'
import { startMock, synchronizationsPath } from '../mock.ts'
import { scenarioOf } from '../rig/stage.ts'

const html = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: { text: '<script>fetch("/_mock/spaces")</script>' },
}
const withAnswer = (answer: object) => (name: string) =>
  scenarioOf([{ on: '*', steps: [{ phase: 'before', answer }] }], name)
const navigation = { 'sec-fetch-dest': 'document', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('an answer of the service to a navigation', () => {
  it.each([
    ['of the service', synchronizationsPath, {}],
    ['that refuses the address', '/nowhere', {}],
    ['that refuses the credentials', synchronizationsPath, { authorization: 'Basic eDp5' }],
    ['of a scenario', synchronizationsPath, { 'x-mock-scenario': 'one' }],
  ])('%s runs nothing', async (_, path, headers) => {
    const mock = await startMock({ scenario: withAnswer(html) })
    const sandboxed = await mock.as('demo').get(path, { ...navigation, ...headers })
    expect(sandboxed.headers.get('content-security-policy')).toBe('sandbox')
    expect(sandboxed.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each(['wrong-content-type', 'chunked'])('through fault %s runs nothing', async fault => {
    const mock = await startMock({ scenario: withAnswer({ fault }) })
    const { headers } = await mock
      .as('demo')
      .get(synchronizationsPath, { ...navigation, 'x-mock-scenario': 'one' })
    expect(headers.get('content-security-policy')).toBe('sandbox')
  })

  it.each(['iframe', 'frame', 'object', 'embed'])('as %s runs nothing', async destination => {
    const mock = await startMock()
    const { headers } = await mock.as('demo').get(synchronizationsPath, { 'sec-fetch-dest': destination })
    expect(headers.get('content-security-policy')).toBe('sandbox')
  })

  it('runs nothing where the browser tells its wish by Accept alone', async () => {
    const mock = await startMock()
    const { headers } = await mock.as('demo').get(synchronizationsPath, { accept: navigation.accept })
    expect(headers.get('content-security-policy')).toBe('sandbox')
  })

  it('a program gets no such header', async () => {
    const mock = await startMock({ scenario: withAnswer(html) })
    for (const headers of [
      {},
      { accept: '*/*' },
      { 'sec-fetch-dest': 'empty' },
      { 'x-mock-scenario': 'one' },
    ]) {
      const plain = await mock.as('demo').get(synchronizationsPath, headers as Record<string, string>)
      expect(plain.headers.has('content-security-policy')).toBe(false)
      expect(plain.headers.has('x-content-type-options')).toBe(false)
    }
  })
})

it('a problem repeats what was sent, but no markup', async () => {
  const mock = await startMock()
  const { text, json } = await mock.as('demo').get('/mailings?pageSize=<img src=x>')
  expect(text).not.toContain('<')
  expect(JSON.stringify(json)).toContain('<img src=x>')
})
