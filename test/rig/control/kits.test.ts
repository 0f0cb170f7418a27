import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startTester } from './tester.ts'

it.each([
  ['python', 'python/mailing_sync_mock.py'],
  ['java', 'java/MailingSyncMock.java'],
  ['php', 'php/MailingSyncMock.php'],
])('a running mock gives the kit for %s, under the name that its file has', async (language, file) => {
  const { get } = await startTester()
  const { status, headers, text } = await get(`/kits/${language}`)
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${file.split('/')[1]}"`)
  expect(text).toBe(readFileSync(`examples/kits/${file}`, 'utf8'))
})

it('a running mock lists its kits, and each leads to its file', async () => {
  const { get } = await startTester()
  const { _embedded } = JSON.parse((await get('/kits')).text)
  expect(_embedded.kits.map((it: { language: string }) => it.language)).toEqual(['java', 'php', 'python'])
  for (const { file, _links } of _embedded.kits) {
    const { headers } = await get(new URL(_links.self.href).pathname.replace('/_mock', ''))
    expect(headers.get('content-disposition')).toContain(file)
  }
})

it('of a language without a kit it says which languages have one', async () => {
  const { get } = await startTester()
  const { status, text } = await get('/kits/pyhton')
  expect(status).toBe(404)
  expect(text).toContain('did you mean \\"python\\"?')
})
