import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core'
import { hostilePath } from './hostile.ts'

/** What went wrong in a browser window that was watched. */
export interface Trouble {
  /** Each trouble in a sentence, and each that was expected but did not come. */
  all(): string[]
}

/**
 * Watches a window from its beginning: errors and warnings in its console (breaches of its Content-Security-Policy are
 * among them), errors that no script caught, dialogs, further windows, requests that leave for anywhere but the mock,
 * and payloads of `hostile.ts` that worked, in whichever frame.
 * @param home the mock's origin
 * @param expects what belongs to the story; each must come
 */
export async function watch(
  context: BrowserContext,
  home: string,
  expects: readonly RegExp[] = [],
): Promise<Trouble> {
  const seen: string[] = []
  const abroad = new Set<Request>()
  // Known to every frame, whether its scripts are ours or a payload's.
  await context.exposeBinding('hit', ({ frame }, what: unknown) => {
    seen.push(`a payload worked: ${String(what)}, in ${frame.url()}`)
  })
  context.on('console', message => {
    if (['error', 'warning', 'assert'].includes(message.type()) && !isHeldBackInPreview(message))
      seen.push(`console ${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', error => void seen.push(`uncaught: ${error.error().message}`))
  context.on('dialog', dialog => {
    seen.push(`a dialog opened: ${dialog.type()} "${dialog.message()}"`)
    void dialog.dismiss()
  })
  context.on('page', page => {
    if (context.pages().length > 1) seen.push(`a further window opened: ${page.url()}`)
  })
  context.on('request', request => {
    const { protocol, origin, pathname } = new URL(request.url())
    if (/^https?:$/.test(protocol) && origin !== home) abroad.add(request)
    if (pathname.startsWith(hostilePath)) seen.push(`a payload made a request: ${request.url()}`)
  })
  // What the policy held back never left. In a page of ours, that it was tried stands in the console.
  context.on('requestfailed', request => {
    if (request.failure()?.errorText === 'csp') abroad.delete(request)
  })
  return {
    all: () => {
      const sentences = [
        ...seen,
        ...[...abroad].map(request => `a request left for elsewhere: ${request.url()}`),
      ]
      return [
        ...sentences.filter(sentence => !expects.some(it => it.test(sentence))),
        ...expects
          .filter(it => !sentences.some(sentence => it.test(sentence)))
          .map(it => `expected ${it}, which did not come`),
      ]
    },
  }
}

/** What a mailing tried in the frame of its preview, and was not let: that is how it should be. */
function isHeldBackInPreview(message: ConsoleMessage): boolean {
  const page = message.page()
  const { url } = message.location()
  const previews = page?.frames().filter(frame => frame !== page.mainFrame()) ?? []
  return (
    url !== page?.mainFrame().url() &&
    (url === 'about:srcdoc' || previews.some(frame => frame.url() === url)) &&
    /violates the following Content Security Policy directive|frame is sandboxed/.test(message.text())
  )
}

/**
 * What of a payload of `hostile.ts` has become an element, an attribute or a link of the page itself, rather than text.
 * Looked at when each test ends; a test that goes on to another page asks before it leaves.
 */
export async function injected(page: Page): Promise<string[]> {
  if (page.isClosed()) return []
  const found = await page
    .locator('[data-hostile], [href^="javascript:" i], [src^="javascript:" i], [action^="javascript:" i]')
    .evaluateAll(elements => elements.map(element => (element.cloneNode() as Element).outerHTML))
  return found.map(html => `a payload is part of the page: ${html}`)
}
