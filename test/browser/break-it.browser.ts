import { expect, test } from 'vitest'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

test.each([
  ['Lose the response', /sent 3 times/],
  ['PENDING', /lost/],
  ['FAILED', /lost/],
  ['INDETERMINATE_FAILURE', /lost/],
  ['500', /sent 3 times/],
  // On a busy machine the wrong client gives one of its requests up, and sends once more.
  ['Click twice', /sent (?:twice|\d times)/],
])('%s harms the wrong client and not the right one, side by side', async (button, harm) => {
  const expects = button === '500' ? [/status of 500/] : []
  const page = await stage.open('/_mock/break-it', { width: 1440, expects })
  await page.getByRole('button', { name: button }).click()
  const [wrong, right] = [page.locator('.side').first(), page.locator('.side').last()]
  await right.locator('.lane').waitFor()
  expect(await wrong.locator('.card').innerText()).toMatch(harm)
  expect(await wrong.locator('.card .chip.good').count()).toBe(0)
  expect(await right.locator('.card').innerText()).toContain('innocent')
  expect(await wrong.locator('.lane').count()).toBeGreaterThan(0)
  expect((await wrong.boundingBox())!.y).toBe((await right.boundingBox())!.y)
  expect(await page.getByRole('button', { name: button }).getAttribute('aria-pressed')).toBe('true')
  await holdsInEveryView(page, `break it, ${button}`)
  const request = await wrong.locator('a.lane-step').first().getAttribute('href')
  expect(request).toMatch(/\/requests\/r\d+-\d+\?believes=(?:not-)?sent&expected=1/)
})

test('it says whether the mock still answers, as every page does', async () => {
  const page = await stage.open('/_mock/break-it', { expects: [/ERR_FAILED/] })
  await page.locator('#live-state[data-state=live]').waitFor()
  await page.route('**/events', route => route.abort())
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.locator('#live-state[data-state=offline]').waitFor()
})

test('one run at a time: no button takes a second click before both clients have ended', async () => {
  const page = await stage.open('/_mock/break-it', { width: 1440 })
  await page.getByRole('button', { name: 'Lose the response' }).click()
  await page.getByRole('status').getByText('Both clients are at work').waitFor()
  const others = page.locator('[data-trouble]')
  expect(await others.evaluateAll(all => all.map(it => (it as HTMLButtonElement).disabled))).toEqual(
    Array(6).fill(true),
  )
  await page
    .locator('[data-trouble=pending]')
    .click({ force: true, timeout: 5_000 })
    .catch(() => {})
  await page.waitForURL('**/break-it?trouble=lost&*')
  await page.locator('.side .lane').first().waitFor()
  expect(await page.locator('.side').last().locator('.card').innerText()).toContain('innocent')
  expect(await page.locator('[data-trouble]:enabled').count()).toBe(6)
  await page.goBack()
  await expect.poll(() => page.locator('[data-trouble]:enabled').count()).toBe(6)
})
