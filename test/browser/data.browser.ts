import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const sendings = synchronizationPath(ids.ready, '/sendings')
const begin = (story: string) => stage.control('PUT', `/spaces/demo%2B${story}`)
const openData = (story: string, expects: readonly RegExp[] = []): Promise<Page> =>
  stage.open(`/_mock/spaces/demo%2B${story}/data`, { expects })
const send = (story: string, transactionId: string) =>
  stage.as(`demo+${story}`).post(sendings, { transactionId })
const requests = async (story: string) => (await stage.control('GET', `/spaces/demo%2B${story}`)).requests
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()
const told = (page: Page, words: string | RegExp) => page.getByRole('status').getByText(words).waitFor()

test('a reset is asked for twice, and brings the space back to its beginning', async () => {
  await begin('reset')
  const page = await openData('reset')
  await isLive(page)
  await send('reset', 'before')
  await page.locator('#keeping').getByText('1 request, 1 sent').waitFor()
  const button = page.getByRole('button', { name: 'Reset demo+reset' })
  expect(await button.isVisible()).toBe(false)
  await page.getByText('Reset…').click()
  expect(await requests('reset')).toBe(1)
  await button.click()
  await told(page, 'demo+reset is back at its beginning.')
  await page.locator('#keeping').getByText('0 requests, 0 sent').waitFor()
  expect(await button.isVisible()).toBe(false)
  await page.locator('summary:focus', { hasText: 'Reset…' }).waitFor()
  expect(await requests('reset')).toBe(0)
})

describe('a snapshot', () => {
  const file = (name: string, content: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  })
  const button = (page: Page) => page.getByRole('button', { name: /^Replace everything/ })
  const replace = async (page: Page) => {
    await page.getByText('Replace…').click()
    await button(page).click()
  }

  test('a snapshot is downloaded as a file, and the space goes on from it', async () => {
    await begin('round')
    const { id } = await send('round', 'kept')
    const page = await openData('round')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the snapshot' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('demo+round.snapshot.json')
    const text = await readFile((await download.path())!, 'utf8')
    await stage.control('POST', '/spaces/demo%2Bround/reset')
    expect((await stage.as('demo+round').get(`${sendings}/${id}`)).id).toBeUndefined()
    await page.getByLabel('Restore from a file').setInputFiles(file('kept.json', text))
    // What cannot be undone is asked for twice; the key that sends a form does not do it either.
    expect(await button(page).isVisible()).toBe(false)
    await replace(page)
    await told(page, 'The space goes on from kept.json.')
    expect(await stage.as('demo+round').get(`${sendings}/${id}`)).toMatchObject({ id })
    await page.locator('#keeping').getByText('as created or last reset').waitFor()
  })

  test('that cannot be used is refused in words, and changes nothing', async () => {
    await begin('refused')
    await send('refused', 'stays')
    const page = await openData('refused', [/status of 400/])
    await page.getByLabel('Restore from a file').setInputFiles(file('cut.json', '{"users": ['))
    await replace(page)
    await told(page, /^cut.json is no JSON: /)
    await page.getByLabel('Restore from a file').setInputFiles(file('odd.json', '{"mailings": []}'))
    await replace(page)
    await told(page, /users: expected a list/)
    expect(await requests('refused')).toBe(1)
    await holdsInEveryView(page, 'data refused')
  })
})

test('a dial is turned for the space, tells what it means, and goes back', async () => {
  await begin('dials')
  const page = await openData('dials')
  await isLive(page)
  await page.getByText(/^All \d+ dials$/).click()
  const row = page.locator('#dial-absent-configuration')
  await page.getByLabel('absent-configuration', { exact: true }).selectOption('permit-all')
  await told(page, 'The dial is changed.')
  await row.getByText('turned here', { exact: true }).last().waitFor()
  await page.getByLabel('error-body', { exact: true }).selectOption('minimal')
  await page.getByText('2 turned here.').waitFor()
  expect((await stage.control('GET', '/spaces/demo%2Bdials/dials')).turned).toEqual({
    'absent-configuration': 'permit-all',
    'error-body': 'minimal',
  })
  await holdsInEveryView(page, 'data dials')
  // Somebody else turns one back: a test, say.
  await stage.control('PUT', '/spaces/demo%2Bdials/dials', { 'error-body': 'minimal' })
  await page.getByText('1 turned here.').waitFor()
  await expect.poll(() => page.getByLabel('absent-configuration', { exact: true }).inputValue()).toBe('')
  await page.getByRole('button', { name: 'All back' }).click()
  await page.getByText('None is turned here.').waitFor()
  expect((await stage.control('GET', '/spaces/demo%2Bdials/dials')).turned).toEqual({})
})

test('a private space is opened, and one that is there stays as it is', async () => {
  await begin('is-there')
  await send('is-there', 'kept')
  const page = await stage.open('/_mock/spaces/demo/connect', { expects: [/status of 404/] })
  for (const word of ['fresh', 'is-there']) {
    await page.getByRole('textbox', { name: 'demo+' }).fill(word)
    await page.getByRole('button', { name: 'Open this copy' }).click()
    await page.getByRole('button', { name: `Copy user demo+${word}`, exact: true }).waitFor()
  }
  expect(await requests('is-there')).toBe(1)
})

test('what a client needs can be copied', async () => {
  await begin('copied')
  const page = await stage.open('/_mock/spaces/demo%2Bcopied/connect')
  const copied = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('data-copy')
  expect(await copied('Copy base URL')).toBe(stage.url)
  expect(await copied('Copy the environment')).toContain('export MAILING_SYNC_USER=demo+copied')
  expect(await copied('Copy the curl line')).toMatch(/^curl -u demo\+copied:demo .*\/sendings$/)
  await holdsInEveryView(page, 'connect')
})

test('holds in every view', async () => {
  await begin('views')
  const page = await openData('views')
  await isLive(page)
  await page.getByText('Reset…').click()
  await holdsInEveryView(page, 'data')
})
