import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const token = 'a-token-of-our-own'
const stage = useStage(['--token', token], token)
/** The console tells of the refusal that leads to the sign-in page. */
const expects = [/status of 401/]

test('somebody who follows a link signs in once, and is where the link leads', async () => {
  const { _links: links } = await stage.as('demo').get(synchronizationPath(ids.both))
  const page = await stage.open(links['svc:mailing-editor'].href, { expects })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await holdsInEveryView(page, 'sign-in')
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Spring launch' }).first().waitFor()
  expect(page.url()).toBe(links['svc:mailing-editor'].href)

  const [cookie, ...others] = await page.context().cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/_mock', expires: -1 })
  expect(cookie!.value).not.toContain(token)
  expect(await page.content()).not.toContain(token)
  expect(await page.evaluate(() => document.cookie)).toBe('')
})

test('a wrong token is told in words, and the right one leads on', async () => {
  const page = await stage.open('/_mock/spaces/demo/requests?status=4xx', { expects })
  const field = page.getByLabel('Token')
  await field.fill('a-wrong-token')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('not the token').waitFor()
  expect(await page.context().cookies()).toEqual([])
  expect(page.url()).not.toContain('token')
  expect(await field.inputValue()).toBe('')
  await holdsInEveryView(page, 'sign-in, wrong')

  await field.fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  expect(page.url()).toBe(`${stage.url}/_mock/spaces/demo/requests?status=4xx`)
})

test('whoever has signed in sees what happens, and can change it', async () => {
  await stage.control('PUT', '/spaces/demo%2Bsigned-in')
  const page = await stage.open('/_mock/spaces/demo%2Bsigned-in', { expects })
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#live-state', { hasText: 'live' }).waitFor()
  await stage
    .as('demo+signed-in')
    .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'seen-signed-in' })
  await page.getByText('seen-signed-in').waitFor()

  const { _links: links } = await stage.as('demo+signed-in').get(synchronizationPath(ids.draftOnly))
  await page.goto(links['svc:mailing-editor'].href)
  await page.getByRole('button', { name: 'Approve the draft' }).click()
  await page.getByText(/Version \d+ is approved/).waitFor()
})

test('signing in needs no script', async () => {
  const page = await stage.open('/_mock/spaces/demo', { expects, scripts: false })
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
})

test('whoever is signed out meanwhile is told how to go on', async () => {
  const page = await stage.open('/_mock/spaces/demo/clock', { expects })
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#live-state', { hasText: 'live' }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('button', { name: '1 day: move the clock ahead' }).click()
  await page.getByText('You are signed out. Reload the page to sign in.').waitFor()
})
