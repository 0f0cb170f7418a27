import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const sendings = synchronizationPath(ids.ready, '/sendings')
/** A private space whose clock stands still. */
const begin = (story: string) =>
  stage.control('PUT', `/spaces/demo%2B${story}`, { clock: { now: '2026-11-01T10:00:00Z', frozen: true } })
const openScenario = (story: string, expects: readonly RegExp[] = []): Promise<Page> =>
  stage.open(`/_mock/spaces/demo%2B${story}/scenario`, { expects })
const send = (story: string, transactionId: string) =>
  stage.as(`demo+${story}`).post(sendings, { transactionId })
const inForce = (page: Page) => page.locator('#in-force')
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

test('a scenario is found, put in force and struck; PENDING becomes CREATED when the clock is advanced', async () => {
  await begin('story')
  const page = await openScenario('story')
  await isLive(page)
  await inForce(page).getByText('Undisturbed').waitFor()
  await page.getByLabel('Name, words or tag').pressSequentially('pending-for-a while')
  await expect.poll(() => page.locator('.catalogue > li').count()).toBe(1)
  await page.getByRole('button', { name: 'Activate: pending-for-a-while' }).click()
  await page.getByText('pending-for-a-while is in force.').waitFor()
  await inForce(page).getByText('never fired').first().waitFor()

  expect(await send('story', 'waits')).toMatchObject({ state: 'PENDING' })
  await inForce(page).getByText('fired 1×').first().waitFor()

  await page.getByRole('link', { name: 'Clock', exact: true }).click()
  await page.getByText('sending waits becomes CREATED').waitFor()
  await page.getByRole('button', { name: '1 minute: move the clock ahead' }).click()
  await page.getByText('The clock was moved by 1 minute.').waitFor()
  expect(await send('story', 'waits')).toMatchObject({ state: 'CREATED' })
  await page.getByRole('link', { name: 'Scenario', exact: true }).click()
  await inForce(page).getByText('fired 2×').first().waitFor()
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await inForce(page).getByText('Undisturbed').waitFor()
})

describe('the editor', () => {
  const text = (page: Page) => page.getByRole('textbox', { name: 'Write one' })
  const state = (page: Page) => page.locator('#yaml-state')
  const mistakes = (page: Page) => page.getByRole('list', { name: 'Mistakes' })

  test('the editor shows a mistake in its place while it is written, and no more when it is mended', async () => {
    await begin('mistake')
    const page = await openScenario('mistake')
    await state(page).getByText('The scenario is valid.').waitFor()
    await text(page).fill('rules:\n  - on: createSending\n    steps:\n      - { state: PENDNG }\n')
    await state(page).getByText('1 mistake').waitFor()
    await mistakes(page).getByText('did you mean "PENDING"?').waitFor()
    expect(await page.locator('.gutter .wrong').allTextContents()).toEqual(['4'])
    expect(await text(page).getAttribute('aria-invalid')).toBe('true')
    await page.setViewportSize({ width: 1366, height: 1000 })
    const note = await page.getByText('did you mean "PENDING"?', { exact: true }).boundingBox()
    const number = await page.locator('.gutter .wrong').boundingBox()
    expect(Math.abs(note!.y - number!.y)).toBeLessThanOrEqual(2)
    expect(note!.y + note!.height).toBeLessThanOrEqual(1000)
    await holdsInEveryView(page, 'scenario mistake')
    await mistakes(page).getByRole('button', { name: 'line 4, column 18' }).click()
    await page.keyboard.press('Shift+End')
    await page.keyboard.type('PENDING }')
    await state(page).getByText('The scenario is valid.').waitFor()
    expect(await mistakes(page).count()).toBe(0)
    expect(await page.locator('.gutter .wrong, .line-notes span').count()).toBe(0)

    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await inForce(page).getByText('unnamed scenario').waitFor()
    expect(await send('mistake', 'by-own-text')).toMatchObject({ state: 'PENDING' })
    await inForce(page).getByText('fired 1×').first().waitFor()
  })

  test('the result of a button stands in the window, however long the catalogue is below it', async () => {
    await begin('far')
    const page = await openScenario('far')
    await isLive(page)
    await page
      .getByRole('button', { name: /^Activate: / })
      .first()
      .click()
    const told = (await page.getByText(/ is in force\.$/).boundingBox())!
    expect(told.y + told.height).toBeLessThanOrEqual(page.viewportSize()!.height)
    // The button is gone: the focus stays in its row.
    await page.locator('.catalogue li:focus', { hasText: 'in force' }).waitFor()
  })

  test('the editor refuses to put in force what is wrong, and keeps what is in force', async () => {
    await begin('wrong')
    const page = await openScenario('wrong')
    await text(page).fill('description: only words')
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await mistakes(page).getByText('expected rules or dials').waitFor()
    expect((await stage.control('GET', '/spaces/demo%2Bwrong/scenario')).scenario).toBeNull()
  })

  test('the editor takes one of the catalogue, and gives back what stood in it before', async () => {
    await begin('takes')
    const page = await openScenario('takes')
    // On a busy machine a click can come before the scripts of the page.
    await state(page).getByText('The scenario is valid.').waitFor()
    await isLive(page)
    await text(page).fill('# mine')
    await page.getByRole('button', { name: 'Edit reset-after' }).click()
    expect(await text(page).inputValue()).toContain('fault: reset')
    await state(page).getByText('The scenario is valid.').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(() => text(page).inputValue()).toBe('# mine')
  })

  test('the editor restores a draft after a reload, for its space alone, until it is discarded or in force', async () => {
    await begin('draft')
    const page = await openScenario('draft')
    const usual = await text(page).inputValue()
    await text(page).fill('description: half a thought')
    await page.reload()
    await page.getByText('Restored draft').waitFor()
    expect(await text(page).inputValue()).toBe('description: half a thought')
    await holdsInEveryView(page, 'scenario draft')
    await page.goto('/_mock/spaces/demo/scenario')
    await state(page).getByText('The scenario is valid.').waitFor()
    expect(await text(page).inputValue()).toBe(usual)
    await page.goBack()
    await page.getByRole('button', { name: 'Discard the restored draft' }).click()
    expect(await text(page).inputValue()).toBe(usual)
    await page.reload()
    await state(page).getByText('The scenario is valid.').waitFor()
    expect(await text(page).inputValue()).toBe(usual)
    expect(await page.getByText('Restored draft').count()).toBe(0)

    await text(page).fill(usual.replace('503', '500'))
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await inForce(page).getByText('unnamed scenario').waitFor()
    await page.reload()
    await state(page).getByText('The scenario is valid.').waitFor()
    expect(await page.getByText('Restored draft').count()).toBe(0)
  })

  test('the editor keeps what is written while requests come', async () => {
    await begin('keeps')
    await stage.control('PUT', '/spaces/demo%2Bkeeps/scenario', { name: 'close-after' })
    await stage.control('DELETE', '/spaces/demo%2Bkeeps/scenario')
    const page = await openScenario('keeps')
    await isLive(page)
    await text(page).fill('# being written')
    await stage.control('PUT', '/spaces/demo%2Bkeeps/scenario', { name: 'pending-for-ever' })
    await send('keeps', 'x')
    await inForce(page).getByText('fired 1×').first().waitFor()
    expect(await text(page).inputValue()).toBe('# being written')
    expect(await text(page).evaluate(it => it === document.activeElement)).toBe(true)
  })
})

describe('one-shot faults', () => {
  const faults = (page: Page) => page.locator('#faults')

  test('one-shot faults are armed by a form, shown as struck, and disarmed', async () => {
    await begin('fault')
    const page = await openScenario('fault')
    await isLive(page)
    await page
      .getByRole('combobox', { name: 'Fault', exact: true })
      .selectOption({ label: 'a problem with status 500' })
    await page.getByRole('combobox', { name: 'When', exact: true }).selectOption('before')
    await page.getByRole('form', { name: 'Arm a fault' }).getByRole('button', { name: 'Arm' }).click()
    await faults(page).getByText('never fired, 1 left').waitFor()
    await page.locator('#space-scenario').getByText('1 one-shot fault').waitFor()
    expect(await send('fault', 'struck')).toMatchObject({ detail: 'A scenario answers 500' })
    await faults(page).getByText('fired 1×, used up').waitFor()
    await page.locator('#space-scenario').getByText('1 used one-shot fault').waitFor()
    await holdsInEveryView(page, 'scenario fault')
    await page.getByRole('button', { name: 'Remove fault f1' }).focus()
    await page.keyboard.press('Enter')
    await faults(page).getByText('None is armed.').waitFor()
    const around = page.locator('[data-tells]', { has: faults(page) })
    await expect.poll(() => around.evaluate(it => it === document.activeElement)).toBe(true)
  })

  test('that somebody else arms appear as well', async () => {
    await begin('others')
    const page = await openScenario('others')
    await isLive(page)
    await stage.control('POST', '/spaces/demo%2Bothers/faults', { on: '*', answer: { fault: 'hang' } })
    await faults(page).getByText('f1').first().waitFor()
  })

  test('that change nothing are refused in words', async () => {
    await begin('nothing')
    const page = await openScenario('nothing', [/status of 400/])
    await page
      .getByRole('combobox', { name: 'Fault', exact: true })
      .selectOption({ label: 'none: the true response' })
    await page.getByRole('form', { name: 'Arm a fault' }).getByRole('button', { name: 'Arm' }).click()
    await page.getByRole('status').getByText('this changes nothing').waitFor()
  })
})

test('a held request is shown, and goes on when it is released', async () => {
  await begin('held')
  const page = await openScenario('held')
  await isLive(page)
  await stage.control('POST', '/spaces/demo%2Bheld/faults', { on: 'createSending', hold: 'gate' })
  const sent = send('held', 'waits')
  await page.locator('#held').getByText('holds 1 request').waitFor()
  await page.getByRole('button', { name: 'Release gate' }).click()
  expect(await sent).toMatchObject({ state: 'CREATED' })
  await expect.poll(() => page.locator('#held-title').count()).toBe(0)
})

test('the catalogue is paged, and keeps the page small', async () => {
  await begin('paged')
  const page = await openScenario('paged')
  expect(await page.locator('.catalogue > li').count()).toBe(20)
  await page.getByRole('link', { name: '192 loss-matrix' }).click()
  await page.locator('#catalogue').getByText('1 to 20 of 192').waitFor()
  await page.getByRole('link', { name: 'Next', exact: true }).click()
  await page.locator('#catalogue').getByText('21 to 40 of 192').waitFor()
  expect(await page.locator('*').count()).toBeLessThan(1_500)
})

test.each([
  ['undisturbed', undefined],
  ['in force', 'loss-partial-reset-2'],
])('holds in every view, %s', async (how, name) => {
  const story = `views-${how === 'in force'}`
  await begin(story)
  if (name) await stage.control('PUT', `/spaces/demo%2B${story}/scenario`, { name })
  const page = await openScenario(story)
  await isLive(page)
  await page.locator('#yaml-state', { hasText: 'The scenario is valid' }).waitFor()
  await page.getByText('Rules, and other ways to choose it').first().click()
  await holdsInEveryView(page, `scenario ${how}`)
})
