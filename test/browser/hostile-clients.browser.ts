import { request } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { everyPayload, hostile } from './hostile.ts'
import { useStage } from './stage.ts'
import { injected } from './trouble.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const sendings = synchronizationPath(ids.ready, '/sendings')
const pageOf = (space: string, rest = '') => `/_mock/spaces/${encodeURIComponent(space)}${rest}`

/** As it goes over the wire: a client need not encode what stands in a path. Blanks cannot stand there; HTML takes a slash. */
const inPath = (text: string) => text.replaceAll(/[\s#?]+/g, '/')
/** A header's value has no line breaks. */
const inLine = (text: string) => text.replaceAll('\n', ' ')

/** Asks without any of the care that fetch takes. */
function ask(user: string, method: string, path: string, headers: Record<string, string>, body = '') {
  return new Promise<void>((resolve, reject) => {
    const asked = request(stage.url, {
      method,
      path,
      headers: { authorization: basic(user), 'content-type': halType, ...headers },
    })
    asked.on('response', response => response.resume().on('end', resolve)).on('error', reject)
    asked.end(body)
  })
}

/** Looks at pages one after the other in one window; each must be there, and nothing of a payload part of it. */
async function lookAtAll(page: Page, addresses: readonly string[], name: string): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    expect(await injected(page), address).toEqual([])
  }
  await holdsInEveryView(page, name)
}

/** Where the links of a list's rows lead. */
const rowsOf = (page: Page) =>
  page.locator('tbody .what a').evaluateAll(links => links.map(it => (it as HTMLAnchorElement).href))

test('whatever a request holds is shown as text, in the list and in its own page', async () => {
  const user = 'demo+asks'
  await ask(user, 'GET', `/${inPath(everyPayload('path'))}`, {})
  await ask(user, 'GET', `${sendings}?cursor=${inPath(everyPayload('query'))}`, {})
  await ask(user, 'GET', sendings, { 'user-agent': inLine(everyPayload('agent')) })
  await ask(user, 'GET', sendings, { 'x-mock-scenario': inLine(everyPayload('scenario')) })
  await ask(user, 'POST', sendings, {}, JSON.stringify({ transactionId: everyPayload('transactionId') }))
  await ask(user, 'POST', sendings, { 'content-type': inLine(everyPayload('type')) }, everyPayload('body'))
  await ask(user, 'POST', sendings, {}, JSON.stringify({ [everyPayload('member')]: everyPayload('value') }))
  const page = await stage.open(pageOf('demo+asks'))
  await page.locator('#requests tbody tr').first().waitFor()
  await holdsInEveryView(page, 'hostile requests')
  const found = await rowsOf(page)
  expect(found.length).toBe(7)
  for (const row of await page.locator('#requests tbody tr').allInnerTexts())
    expect(row.length).toBeLessThan(400)
  await lookAtAll(page, found, 'hostile request')

  const filters = {
    transactionId: everyPayload('filter').slice(0, 200),
    scenario: hostile[0]!.text('filter'),
  }
  await lookAtAll(
    page,
    [`${pageOf('demo+asks', '/requests')}?${new URLSearchParams(filters)}`],
    'hostile filter',
  )
})

test('a name of a space is shown as text, wherever it stands', async () => {
  // A colon ends the name of a user, so no private space has one.
  const names = hostile.map(({ text }) => `demo+${text('space').replaceAll(':', '')}`)
  for (const name of names) {
    await stage.control('PUT', `/spaces/${encodeURIComponent(name)}`)
    await ask(name, 'GET', sendings, {})
  }
  const page = await stage.open('/_mock')
  await expect.poll(async () => (await rowsOf(page)).length).toBe(names.length + 2)
  await holdsInEveryView(page, 'hostile spaces')
  await lookAtAll(page, await rowsOf(page), 'hostile space')
})

test('a response that a scenario makes up is shown as text', async () => {
  const space = '/spaces/demo%2Bmade-up'
  await stage.control('PUT', space)
  await stage.control('PUT', `${space}/scenario`, {
    description: everyPayload('description'),
    rules: [
      {
        on: 'createSending',
        steps: [
          {
            answer: {
              status: 200,
              headers: { 'Content-Type': 'text/html', 'X-Own': inLine(everyPayload('answer header')) },
              body: { text: everyPayload('answer') },
            },
          },
        ],
      },
    ],
  })
  await stage.as('demo+made-up').post(sendings, { transactionId: 'made-up' })
  const page = await stage.open(pageOf('demo+made-up'))
  await page.getByRole('link', { name: 'createSending' }).click()
  await page.getByRole('heading', { name: 'Explained' }).waitFor()
  await page.getByText(hostile[0]!.text('answer')).waitFor()
  await holdsInEveryView(page, 'hostile answer')
})

test('a problem that names what was asked for shows it as text', async () => {
  const page = await stage.open('/_mock', { expects: [/status of 404/, /status of 400/] })
  const [payload, short] = [everyPayload('address'), hostile[0]!.text('address')].map(encodeURIComponent)
  const places = [
    `/_mock/relations/${payload}`,
    `/_mock/problems/${payload}`,
    `/_mock/spaces/${short}`,
    `/_mock/spaces/demo%2B${short}`,
    `/_mock/spaces/demo/requests/${payload}`,
    `/_mock/spaces/demo/requests?since=${payload}`,
    `/_mock/spaces/demo/mailings/${payload}`,
    `/_mock/spaces/demo/sendings/${payload}/report`,
  ]
  await lookAtAll(page, places, 'hostile address')
})
