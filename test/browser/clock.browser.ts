import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()
const frozen = { clock: { now: '2026-11-01T10:00:00Z', frozen: true } }

/** A private space whose clock stands still, and its page. */
async function openClock(story: string, expects: readonly RegExp[] = []) {
  await stage.control('PUT', `/spaces/demo%2B${story}`, frozen)
  return stage.open(`/_mock/spaces/demo%2B${story}/clock`, { expects })
}

test('a PENDING sending becomes CREATED by moving the clock to where that falls due', async () => {
  const page = await openClock('due')
  const path = synchronizationPath(ids.ready, '/sendings')
  const { id } = await stage
    .as('demo+due')
    .post(path, { transactionId: 'x' }, { 'X-Mock-Scenario': 'pending-for-a-while' })
  await page.getByText('sending x becomes CREATED').waitFor()
  await page.getByRole('button', { name: /Go there: sending x/ }).click()
  await page.getByText('Nothing waits for a time').waitFor()
  // The item of the button is gone: the focus stays in the list.
  await page.locator('#due:focus').waitFor()
  expect((await stage.as('demo+due').get(`${path}/${id}`)).state).toBe('CREATED')
})

test.each(['platform', 'requests', 'sendings', 'clock'])(
  'the page %s shows what the running clock alone brings',
  async name => {
    const space = `running-${name}`
    await stage.control('PUT', `/spaces/demo%2B${space}`, {})
    const page = await stage.open(`/_mock/spaces/demo%2B${space}/${name}`, {})
    await stage.control('PUT', `/spaces/demo%2B${space}/scenario`, {
      rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '2s' }, { state: 'CREATED' }] }],
    })
    await stage.as(`demo+${space}`).post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x' })
    const seen =
      name === 'clock' ? 'Nothing waits for a time' : name === 'platform' ? 'sent to 12,480' : /\bsent\b/
    if (name === 'clock') await page.getByText('sending x becomes CREATED').waitFor()
    await page.locator('main').getByText(seen).first().waitFor()
    if (name === 'requests') await page.locator('#glance').getByText('1 sent').waitFor()
    if (name === 'sendings') await page.getByText('the platform').first().waitFor()
  },
)

test('Spaces shows what the running clock of a space alone brings', async () => {
  await stage.control('PUT', '/spaces/demo%2Brunning-list', {})
  const page = await stage.open('/_mock?name=running-list', {})
  await stage.control('PUT', '/spaces/demo%2Brunning-list/scenario', {
    rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '2s' }, { state: 'CREATED' }] }],
  })
  await stage
    .as('demo+running-list')
    .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'x' })
  await page.locator('td.number').getByText('1', { exact: true }).nth(1).waitFor()
})

test('it is moved, set, frozen and paced, and says so', async () => {
  const page = await openClock('turned')
  await page.getByRole('button', { name: '1 hour: move the clock ahead' }).click()
  await page.locator('#standing').getByText('2026-11-01T11:00:00.000Z').waitFor()
  await page.getByLabel('To').fill('2026-12-24T18:00:00Z')
  await page.getByRole('button', { name: 'Set' }).click()
  await page.locator('#standing').getByText('2026-12-24T18:00:00.000Z').waitFor()
  await page.getByLabel('Rate').fill('60')
  await page.getByRole('button', { name: 'Change rate' }).click()
  await page.getByText('60 times as fast').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Freeze' }).waitFor()
  // The head has the time that runs.
  expect(await page.locator('#standing time').count()).toBe(0)
})

test('what is no duration is refused beside the field, in words', async () => {
  const page = await openClock('refused', [/status of 400/])
  await page.getByLabel('Ahead by', { exact: true }).fill('soon')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  const told = page.getByRole('status').getByText(/Ahead by: /)
  await told.waitFor()
  expect((await told.innerText()).match(/Ahead by: /g), 'said once').toHaveLength(1)
})

test('it holds in every view', async () => {
  await stage.control('PUT', '/spaces/demo%2Bviews', frozen)
  await stage.as('demo+views').post(synchronizationPath(ids.ready, '/sendings'), {
    transactionId: 'x'.repeat(100),
    scheduleDate: '2026-11-02T10:00:00Z',
  })
  await holdsInEveryView(await stage.open('/_mock/spaces/demo%2Bviews/clock'), 'clock')
})

test('the clock of a space stands still while the mock does not answer, and goes on when it does', async () => {
  await stage.control('PUT', '/spaces/demo%2Bunheard', { clock: { rate: 60 } })
  const page = await stage.open('/_mock/spaces/demo%2Bunheard/clock', { expects: [/ERR_FAILED/] })
  const state = (it: string) => page.locator(`#live-state[data-state=${it}]`).waitFor()
  const now = () => page.locator('#space-now').innerText()
  const begin = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await state('live')
  await page.route('**/events', route => route.abort())
  await begin()
  await state('offline')
  const stood = await now()
  await page
    .getByRole('alert')
    .getByText(/^The mock has not answered since [\d:]{8} UTC\./)
    .waitFor()
  // Longer than two steps of the page's clock.
  await page.evaluate(() => new Promise(done => setTimeout(done, 2_500)))
  expect(await now()).toBe(stood)
  await page.unroute('**/events')
  await begin()
  await state('live')
  expect(await page.getByRole('alert').count()).toBe(0)
  await expect.poll(now).not.toBe(stood)
})
