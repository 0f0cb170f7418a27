import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostile, type Payload } from './hostile.ts'
import { launch } from './stage.ts'
import { injected, watch } from './trouble.ts'

const htmx = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))

/** Pages that do everything wrong: nothing is escaped, and no policy holds anything back. */
const careless: Record<Payload['sink'], (text: string) => string> = {
  text: text => `<p>${text}</p>`,
  value: text => `<input value="${text}">`,
  href: text => `<a href="${text}">a link</a>`,
  srcdoc: text => `<iframe srcdoc="${text}"></iframe>`,
  'raw text': text => `<textarea>${text}</textarea>`,
}

let browser: Browser
let server: Server
let home: string
beforeAll(async () => {
  browser = await launch()
  server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url!, home)
    if (pathname === '/htmx.js') return response.setHeader('content-type', 'text/javascript').end(htmx)
    const sink = searchParams.get('sink') as Payload['sink'] | null
    if (!sink) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html')
    return response.end(
      `<!doctype html><html lang="en"><title>x</title><script src="/htmx.js"></script>${careless[sink](searchParams.get('text')!)}`,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})

describe('on a page that is careless', () => {
  test.each(hostile)('$name works, and is noticed', async ({ sink, text }) => {
    await using context = await browser.newContext()
    const trouble = await watch(context, home)
    const page = await context.newPage()
    const address = `${home}/?${new URLSearchParams({ sink, text: text('a-field') })}`
    await page.goto(address, { waitUntil: 'commit' })
    if (sink === 'href') await page.getByRole('link').click()
    await expect
      .poll(() => trouble.all().join('\n'))
      .toMatch(/a payload (worked|made a request).*a-field|left for elsewhere.*hostile\.example.*a-field/)
  })

  test('each is found as markup', async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false })
    // An answer without content keeps the page where it is, whatever it asks for.
    await context.route('**', route => route.fulfill({ status: 204 }))
    const page = await context.newPage()
    for (const { name, sink, text } of hostile) {
      await page.setContent(careless[sink](text('a-field')), { waitUntil: 'commit' })
      const found = await injected(page)
      // In a frame it is the frame's markup, and no part of the page.
      if (name.startsWith('script for srcdoc')) expect(found, name).toEqual([])
      else expect(found, name).not.toEqual([])
    }
  })
})

test('a payload is short enough for the name of a space', () => {
  for (const { name, text } of hostile) expect(text('space').length, name).toBeLessThan(190)
})
