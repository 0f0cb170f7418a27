import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const sendings = synchronizationPath(ids.ready, '/sendings')
const pageOf = (space: string, rest = '') => `/_mock/spaces/${encodeURIComponent(space)}${rest}`
const send = (space: string, transactionId: string) => stage.as(space).post(sendings, { transactionId })
const state = (page: Page, words: string) => page.locator('#live-state', { hasText: words }).waitFor()
const isOpen = async (space: string) =>
  (await stage.control('GET', '/spaces'))._embedded.spaces.some((it: { name: string }) => it.name === space)
const never = [/status of 404/]

describe('a page of a space that is not open', () => {
  test('a page of a space that is not open turns live by itself when a client asks, and asks for nothing until then', async () => {
    const page = await stage.open(pageOf('demo+later'), { expects: never })
    await state(page, 'not open')
    await holdsInEveryView(page, 'space, not open')
    let asked = 0
    page.on('request', request => {
      if (request.resourceType() === 'fetch') asked++
    })
    for (let n = 0; n < 10; n++) await send(`demo+other-${n}`, 'elsewhere')
    expect(asked).toBe(0)
    await send('demo+later', 'the-first')
    await page.getByRole('row', { name: 'the-first' }).waitFor()
    await state(page, 'live')
  })

  test('a page of a space that is not open is opened by its button, and stands where it was asked for', async () => {
    const page = await stage.open(pageOf('demo+by-hand', '/clock'), { expects: never })
    await page.getByRole('button', { name: 'Open it now' }).click()
    await page.getByRole('heading', { name: 'Clock', level: 1 }).waitFor()
    expect(await isOpen('demo+by-hand')).toBe(true)
  })
})

describe('a page whose space is removed', () => {
  test('a page whose space is removed says so at once, keeps what it shows, and its buttons open no other space', async () => {
    const space = 'demo+removed'
    await send(space, 'before')
    const page = await stage.open(pageOf(space, '/clock'), { expects: never })
    await state(page, 'live')
    const advance = page.getByRole('button', { name: '1 minute: move the clock ahead' })
    expect(await advance.isEnabled()).toBe(true)
    await stage.control('DELETE', `/spaces/${encodeURIComponent(space)}`)
    const said = page.getByRole('alert')
    await said.getByText('This space was removed.').waitFor()
    await state(page, 'gone')
    expect(await advance.isEnabled()).toBe(false)
    // Whatever else asks for a change is refused in the page.
    await page.locator('form[data-call]').first().dispatchEvent('submit')
    await page.getByText('Nothing was done: this space is gone.').first().waitFor()
    expect(await isOpen(space)).toBe(false)
    await holdsInEveryView(page, 'space, gone')

    await said.getByRole('button', { name: 'Open it now' }).click()
    await state(page, 'live')
    expect(await isOpen(space)).toBe(true)
    expect(await advance.isEnabled()).toBe(true)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a page whose space is removed turns to the new one when a client opens it', async () => {
    const space = 'demo+anew'
    await send(space, 'before')
    const list = await stage.open(pageOf(space), { expects: never })
    await state(list, 'live')
    await stage.control('DELETE', `/spaces/${encodeURIComponent(space)}`)
    await list.getByRole('alert').waitFor()
    await stage.as(space).get('/mailings')
    await list.getByRole('row', { name: 'listMailings' }).waitFor()
    await state(list, 'live')
    expect(await list.getByText('before', { exact: true }).count()).toBe(0)
  })

  test('that is of a single request keeps it, with a way to the new one', async () => {
    const space = 'demo+kept'
    await send(space, 'before')
    const page = await stage.open(pageOf(space), { expects: never })
    await page.getByRole('link', { name: 'createSending' }).click()
    await page.getByRole('heading', { name: 'Explained' }).waitFor()
    await state(page, 'live')
    await stage.control('DELETE', `/spaces/${encodeURIComponent(space)}`)
    await page.getByRole('alert').getByText('This space was removed.').waitFor()
    await stage.as(space).get('/mailings')
    await page.getByRole('alert').getByText('What stands below is not there any more').waitFor()
    await page.getByRole('heading', { name: 'Explained' }).waitFor()
    await page.getByRole('link', { name: 'See how it is now.' }).click()
    await page.getByRole('row', { name: 'listMailings' }).waitFor()
  })
})

describe('a page whose space had to make room', () => {
  const small = useStage(['--space-limit', '1'])

  test('a page whose space had to make room says so', async () => {
    await small.as('demo+one').post(sendings, { transactionId: 'before' })
    const page = await small.open(pageOf('demo+one'), { expects: never })
    await state(page, 'live')
    await small.as('demo+two').get('/mailings')
    await page.getByRole('alert').getByText('This space was removed to make room for others').waitFor()
  })
})

describe('a page of something that its space does not have', () => {
  test('the page of a request says that a reset took it back, and does not turn into another one of the same ID', async () => {
    const space = 'demo+taken-back'
    await send(space, 'before')
    const page = await stage.open(pageOf(space, '/requests/r0-1'), { expects: never })
    await state(page, 'live')
    await stage.control('POST', `/spaces/${encodeURIComponent(space)}/reset`)
    await page.getByRole('alert').getByText('What stands below is not there any more').waitFor()
    await holdsInEveryView(page, 'request, taken back')
    const read = page.waitForResponse(it => it.url().endsWith('/requests/r0-1') && it.status() === 200)
    await stage.as(space).get('/mailings')
    await (await read).finished()
    await state(page, 'not there any more')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('createSending')
    await page.getByRole('link', { name: 'See how it is now.' }).click()
    await page.getByRole('row', { name: 'listMailings' }).waitFor()
  })

  test('the page of a draft is live while there is none, and shows it whole as soon as it is made', async () => {
    const space = 'demo+no-draft'
    await stage.control('PUT', `/spaces/${encodeURIComponent(space)}`)
    const mailing = `/mailings/${ids.mailing.ready}`
    const page = await stage.open(pageOf(space, `${mailing}/draft`), { expects: never })
    await page.getByText('This mailing has no draft').waitFor()
    await state(page, 'live')
    await stage.control('POST', `/spaces/${encodeURIComponent(space)}${mailing}/draft`)
    await page.frameLocator('iframe').locator('body').waitFor()
    await state(page, 'live')
  })
})
