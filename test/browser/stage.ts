import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { basic, halType, type Json } from '../mock.ts'
import { type Running, start } from '../process.ts'
import { findChromium } from './chromium.mjs'
import { picture } from './pictures.ts'
import { injected, type Trouble, watch } from './trouble.ts'
import { heights, type View } from './views.ts'

/** How a page is opened. */
export interface Opening extends Partial<View> {
  /**
   * Trouble that belongs to the story, such as the console's word on a refused call: `[/status of 404/]`. Everything
   * else fails the test, and so does an expected trouble that does not come.
   */
  readonly expects?: readonly RegExp[]
  /** False for a person whose browser runs no scripts. */
  readonly scripts?: boolean
}

/** A mock that runs, a browser, and people who sit before it. */
export interface Stage {
  /** Where the mock answers, such as http://localhost:41234. */
  readonly url: string
  /**
   * Opens an address of the mock, one that it gave as a link, or a whole one of another mock, in a browser window of its own with nothing kept from
   * others: light and 900 px wide, unless told otherwise. When the test ends, it fails if the page was in trouble:
   * errors or warnings in the console, a breach of the Content-Security-Policy, a request to elsewhere, a dialog,
   * a payload of `hostile.ts` that worked.
   */
  open(address: string, how?: Opening): Promise<Page>
  /** Speaks to the service as a user whose password is demo. Gives the JSON of whatever answer. */
  as(user: string): Speaker
  /**
   * Makes a control call below /_mock: `control('POST', '/spaces/demo/clock', { advance: '5m' })`.
   * @throws an error with the answer's words, unless it was a success
   */
  control(method: string, path: string, body?: unknown): Promise<Json>
}

/** What a user of the service asks and sends. */
export interface Speaker {
  get(path: string, headers?: Record<string, string>): Promise<Json>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Json>
}

/**
 * Gives a test file a fresh mock, and takes it away at its end, and a browser. Call it once, at the top of the file;
 * tests keep apart by using private spaces (`demo+this-test`). Waiting is for a condition, never for a time:
 * Playwright's own methods wait until an element can be used, and for texts and counts there is vitest's poll:
 *
 *     const stage = useStage()
 *     test('a sending appears', async () => {
 *       const page = await stage.open('/_mock/spaces/demo%2Bappears')
 *       await stage.as('demo+appears').post(path, body)
 *       await page.getByRole('row', { name: 'createSending' }).waitFor()
 *       await expect.poll(() => page.getByRole('row').count()).toBe(2)
 *     })
 *
 * @param args flags of the mock beside --in-memory
 * @param token the mock's token, which control calls of the stage (never the pages) then carry
 */
export function useStage(args: readonly string[] = [], token?: string): Stage {
  let mock: Running
  let browser: Browser
  let windows: { context: BrowserContext; page: Page; trouble: Trouble }[] = []

  beforeAll(async () => {
    const [running, launched] = await Promise.all([start(['--in-memory', ...args]), shared()])
    mock = running
    browser = launched
  })
  afterAll(() => mock?.stop())
  afterEach(async ({ task }) => {
    const opened = windows
    windows = []
    const troubles: string[] = []
    for (const { context, page, trouble } of opened) {
      if (task.result?.state === 'fail') await picture(page, `failed ${task.name}`)
      troubles.push(...trouble.all(), ...(await injected(page)))
      await context.close()
    }
    if (troubles.length > 0) throw new Error(`the page was in trouble:\n${troubles.join('\n')}`)
  })

  return {
    get url() {
      return mock.url
    },
    async open(address, { scheme = 'light', width = 900, expects = [], scripts = true } = {}) {
      const context = await browser.newContext({
        baseURL: mock.url,
        colorScheme: scheme,
        viewport: { width, height: heights[width] ?? 900 },
        javaScriptEnabled: scripts,
        reducedMotion: 'reduce',
      })
      context.setDefaultTimeout(60_000)
      const trouble = await watch(context, new URL(address, mock.url).origin, expects)
      const page = await context.newPage()
      windows.push({ context, page, trouble })
      await page.goto(address)
      return page
    },
    as: user => {
      const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
        const response = await fetch(new URL(path, mock.url), {
          method,
          headers: { authorization: basic(user), 'content-type': halType, ...headers },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        })
        return jsonIn(await response.text())
      }
      return {
        get: (path, headers = {}) => call('GET', path, headers),
        post: (path, body, headers = {}) => call('POST', path, headers, body),
      }
    },
    async control(method, path, body) {
      const response = await fetch(`${mock.url}/_mock${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token && { 'x-mock-token': token }) },
        ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} /_mock${path} answered ${response.status}: ${text}`)
      return jsonIn(text)
    },
  }
}

let kept: Promise<Browser> | undefined

/** The browser of all files of this process, which ends with it: windows keep nothing from others anyway. */
async function shared(): Promise<Browser> {
  if (!(await kept)?.isConnected()) kept = launch()
  return kept!
}

/** A browser that reaches nothing beyond this machine, whatever a page asks of it. */
export function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium found: set CHROMIUM to its path')
  return chromium.launch({
    executablePath,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'],
  })
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
