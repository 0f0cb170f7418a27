import { expect, it, onTestFinished } from 'vitest'
import { openRedirectTarget } from '../../../src/judge/exam/case-host.ts'

async function elsewhere() {
  const it = await openRedirectTarget()
  onTestFinished(() => it.close())
  return it
}

it('is another host than the service, which is addressed by number', async () => {
  expect((await elsewhere()).host).toMatch(/^localhost:\d+$/)
})

it('is nobody to go on with, and does not send anybody away for good', async () => {
  const { host } = await elsewhere()
  const { status } = await fetch(`http://${host}/sendings`, { method: 'POST', body: '{}' })
  expect(status).toBe(503)
})

it.each([
  ['notices that it was shown credentials', { authorization: 'Basic ZGVtbzpkZW1v' }, true],
  ['notices that it was not', {}, false],
])('%s', async (_, headers: Record<string, string>, expected) => {
  const it = await elsewhere()
  await fetch(`http://${it.host}/sendings`, { method: 'POST', headers, body: '{}' })
  expect(it.wasShownCredentials).toBe(expected)
})

it('answers on every loopback address that the name may stand for, and is gone when it is closed', async () => {
  const { host, close } = await openRedirectTarget()
  const port = host.split(':')[1]
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(503)
  await close()
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})
