import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

/** Mailings of the default fixture, by the versions that they have. */
const approvedOnly = ids.mailing.ready
const draftOnly = ids.mailing.draftOnly
const both = ids.mailing.both

/** Each test has a private space, named for its story. */
const openEditor = (story: string, mailing: string): Promise<Page> =>
  stage.open(`/_mock/spaces/demo%2B${story}/mailings/${mailing}`)
const begin = (story: string) => stage.control('PUT', `/spaces/demo%2B${story}`)
const edit = (story: string, mailing: string, body: object) =>
  stage.control('POST', `/spaces/demo%2B${story}/mailings/${mailing}/edit`, body)
const approveButton = (page: Page) => page.getByRole('button', { name: 'Approve the draft' })
const draftButton = (page: Page) => page.getByRole('button', { name: 'Make a new draft' })

/** Marks the page, so that a reload would be noticed. */
const mark = (page: Page) => page.evaluate(() => document.body.setAttribute('data-marked', 'yes'))
const isMarked = (page: Page) => page.evaluate(() => document.body.dataset.marked === 'yes')

test('approving makes the synchronization ready, and a sending possible', async () => {
  await begin('approving')
  const demo = stage.as('demo+approving')
  expect(await demo.post(synchronizationPath(ids.draftOnly, '/sendings'), {})).toMatchObject({
    title: 'Not ready for sending',
  })
  const page = await openEditor('approving', draftOnly)
  await page.getByText('not ready', { exact: true }).waitFor()
  await mark(page)
  await approveButton(page).click()
  await page.getByText('Version 1 is approved.').waitFor()
  await page.getByRole('cell', { name: 'ready', exact: true }).waitFor()
  await page.getByText('No draft', { exact: true }).waitFor()
  expect(await approveButton(page).isDisabled()).toBe(true)
  expect(await draftButton(page).isEnabled()).toBe(true)

  const { id } = await demo.post(synchronizationPath(ids.draftOnly, '/sendings'), { transactionId: 'now' })
  await page.getByRole('row', { name: /CREATED now/ }).waitFor()
  expect(await isMarked(page)).toBe(true)
  await page.getByRole('link', { name: id }).click()
  await page.getByRole('heading', { name: 'Openings and clicks over time' }).waitFor()
})

test('by keyboard alone one version is approved and the next one begun, and the focus stays where one works', async () => {
  await begin('keys')
  const page = await openEditor('keys', draftOnly)
  await page.locator('#live-state', { hasText: 'live' }).waitFor()
  const isAroundFocused = () => page.locator('[data-tells]').evaluate(it => it === document.activeElement)
  await approveButton(page).focus()
  await page.keyboard.press('Space')
  await page.getByText('Version 1 is approved.').waitFor()
  await expect.poll(() => approveButton(page).isDisabled()).toBe(true)
  // A button that can do no more would leave it at the page's beginning.
  await expect.poll(isAroundFocused).toBe(true)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Version 2 is a draft.').waitFor()
  await expect.poll(isAroundFocused).toBe(true)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Approve the draft')
  expect(await page.locator('[data-tells][tabindex]').count()).toBe(0)
})

test('a new draft stands beside the approved version', async () => {
  await begin('drafting')
  const page = await openEditor('drafting', approvedOnly)
  await page.getByText('No draft', { exact: true }).waitFor()
  await draftButton(page).click()
  await page.getByText('Version 2 is a draft.').waitFor()
  await page.getByRole('region', { name: 'Draft', exact: true }).getByText('draft 2').waitFor()
  await page.getByRole('region', { name: 'Approved version' }).getByText('approved 1').waitFor()
  expect(await draftButton(page).isDisabled()).toBe(true)
  const { mailingHasDraft } = await stage.as('demo+drafting').get(synchronizationPath(ids.ready))
  expect(mailingHasDraft).toBe(true)
})

test('renaming changes the name everywhere, and the keyboard is enough', async () => {
  await begin('renaming')
  const page = await openEditor('renaming', both)
  await page.getByLabel('Name', { exact: true }).fill('Summer launch')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Summer launch' }).waitFor()
  expect(await stage.as('demo+renaming').get(synchronizationPath(ids.both))).toMatchObject({
    mailingName: 'Summer launch',
    approvedMailingName: 'Spring launch',
  })
})

test('a refusal is told in words beside what was tried', async () => {
  await begin('refused')
  const page = await stage.open(`/_mock/spaces/demo%2Brefused/mailings/${both}`, {
    expects: [/status of 409/],
  })
  // Somebody else is quicker, and this page has not heard of it.
  await page.route('**/mailings/*/approve', async route => {
    await stage.control('POST', `/spaces/demo%2Brefused/mailings/${both}/approve`)
    await route.continue()
  })
  await approveButton(page).click()
  await page
    .getByRole('status')
    .getByText(/has no draft: its version 3 is approved already/)
    .waitFor()
})

test('what somebody else does appears by itself; what one writes meanwhile stays', async () => {
  await begin('together')
  const page = await openEditor('together', both)
  await page.locator('#live-state', { hasText: 'live' }).waitFor()
  await mark(page)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Half a na')
  await edit('together', both, { name: 'By somebody else', html: '<p id="x">Fresh content</p>' })
  await page.getByRole('heading', { level: 1, name: 'By somebody else' }).waitFor()
  await page.frameLocator('#version-draft iframe').getByText('Fresh content').waitFor()
  expect(await name.inputValue()).toBe('Half a na')
  expect(await name.evaluate(it => it === document.activeElement)).toBe(true)
  expect(await isMarked(page)).toBe(true)
})

describe('previews', () => {
  const frame = (page: Page, kind: string) => page.frameLocator(`#version-${kind} iframe`)

  test('previews are made for the test profile that is chosen, without a reload', async () => {
    await begin('profile')
    const page = await openEditor('profile', both)
    await frame(page, 'draft').getByText('we thought of you').waitFor()
    await mark(page)
    await page.getByLabel('Preview for').selectOption('Regular customer')
    await frame(page, 'draft').getByText('on Tuesday, Nadia').waitFor()
    await frame(page, 'approved').getByText('on Tuesday, Nadia').waitFor()
    expect(new URL(page.url()).search).toBe('?for=1001-7001')
    await edit('profile', both, { html: '<p>Dear {{firstName}}</p>' })
    await frame(page, 'draft').getByText('Dear Nadia').waitFor()
    expect(await isMarked(page)).toBe(true)
    await page.reload()
    await frame(page, 'draft').getByText('Dear Nadia').waitFor()
  })

  test('previews show HTML or text, wide or narrow', async () => {
    await begin('switches')
    const page = await openEditor('switches', both)
    const html = page.locator('#version-draft iframe')
    const text = page
      .locator('#version-draft')
      .getByRole('region', { name: 'Text part of the draft version' })
    await html.waitFor()
    expect(await text.isVisible()).toBe(false)
    await page.setViewportSize({ width: 1600, height: 1000 })
    const wide = (await html.boundingBox())!.width
    expect(wide).toBeGreaterThan(500)
    await page.getByRole('radio', { name: 'Narrow' }).check({ force: true })
    await expect.poll(async () => (await html.boundingBox())!.width).toBe(375)
    await page.getByRole('radio', { name: 'Text' }).check({ force: true })
    await text.waitFor()
    expect(await html.isVisible()).toBe(false)
    await stage.control('POST', `/spaces/demo%2Bswitches/mailings/${both}/approve`)
    await page.getByText('No draft', { exact: true }).waitFor()
    expect(await page.getByRole('radio', { name: 'Text' }).isChecked()).toBe(true)
  })

  test('work without scripts', async () => {
    await begin('scriptless')
    const page = await stage.open(`/_mock/spaces/demo%2Bscriptless/mailings/${both}`, { scripts: false })
    await page.getByLabel('Preview for').selectOption('Regular customer')
    await page.getByRole('button', { name: 'Show' }).click()
    await frame(page, 'draft').getByText('on Tuesday, Nadia').waitFor()
  })

  test('previews have no part in the page: no script, no way out, an origin of their own', async () => {
    await begin('cage')
    const html = `<p>Caged</p>
      <script>window.top.hit('script in a preview')</script>
      <img src="http://hostile.example/image" onerror="window.top.hit('image in a preview')">
      <a href="http://hostile.example/link" target="_top">out of here</a>
      <form action="/_mock/spaces/demo%2Bcage/reset" method="post"><button>send</button></form>
      <meta http-equiv="refresh" content="0;url=http://hostile.example/refresh">`
    await edit('cage', both, { html })
    const page = await stage.open(`/_mock/spaces/demo%2Bcage/mailings/${both}`, {
      expects: [/Refused to execute the redirect/, /Unsafe attempt to initiate navigation/],
    })
    const caged = frame(page, 'draft')
    await caged.getByText('Caged').waitFor()
    const address = page.url()
    await caged.getByRole('link', { name: 'out of here' }).click()
    await caged.getByRole('button', { name: 'send' }).click()
    expect(page.url()).toBe(address)
    await caged.getByText('Caged').waitFor()
    const origin = await page
      .frames()
      .find(it => it.url().includes('/draft/html'))!
      .evaluate(() => self.origin)
    expect(origin).toBe('null')
    expect((await stage.control('GET', `/spaces/demo%2Bcage/mailings/${both}`)).draft.number).toBe(3)
  })
})

describe('the list of mailings', () => {
  test('the list of mailings finds one by its name, and leads to it', async () => {
    await begin('finding')
    const page = await stage.open('/_mock/spaces/demo%2Bfinding/mailings')
    await page.getByLabel('Name has').fill('riverside')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: 'Riverside ride' }).click()
    await page.getByRole('heading', { level: 1, name: 'Riverside ride' }).waitFor()
  })

  test('the list of mailings shows by itself what was changed, on top', async () => {
    await begin('changing')
    const page = await stage.open('/_mock/spaces/demo%2Bchanging/mailings')
    await page.locator('#live-state', { hasText: 'live' }).waitFor()
    await edit('changing', approvedOnly, { name: 'To the top' })
    const first = page.locator('tbody tr').first()
    await first.getByRole('link', { name: 'To the top' }).waitFor()
    await first.getByText('draft 2').waitFor()
  })

  test('the list of mailings holds in every view', async () => {
    const page = await stage.open('/_mock/spaces/demo/mailings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await holdsInEveryView(page, 'mailings')
  })
})
