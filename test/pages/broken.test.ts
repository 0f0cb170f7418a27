import { expect, it } from 'vitest'
import { startMock } from '../mock.ts'

it('an error of ours is told to a person without its details, and reported', async () => {
  const reported: unknown[] = []
  const mock = await startMock({ report: error => reported.push(error) })
  mock.spaces.names = () => {
    throw new Error('details that are nobody’s business')
  }
  const headers = { accept: 'text/html' }
  const response = await mock.fetch(new Request('http://localhost/_mock', { headers }))
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=UTF-8'])
  expect(text).toContain('The page could not be made; nothing was changed.')
  expect(text).not.toMatch(/details|\bat \//)
  expect(reported.map(String)).toEqual(['Error: details that are nobody’s business'])
})
