import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { hostile } from './hostile.ts'
import { hostileFixture } from './hostile-space.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { injected } from './trouble.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const path = synchronizationPath(ids.ready, '/sendings')
const pageOf = (space: string, rest = '') => `/_mock/spaces/${encodeURIComponent(space)}/platform${rest}`
const row = (page: Page, words: string) => page.locator('.platform tbody tr').filter({ hasText: words })
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

describe('the platform of a space', () => {
  test('an empty one says how to begin; what goes out then appears, and leads to who caused it', async () => {
    await stage.control('PUT', '/spaces/demo%2Bledger')
    const page = await stage.open(pageOf('demo+ledger'))
    await page.getByText('Nothing has happened on the platform yet').waitFor()
    await isLive(page)
    await holdsInEveryView(page, 'platform, none')
    await stage.as('demo+ledger').post(path, { transactionId: 'seen-at-once' })
    await row(page, 'seen-at-once').getByText('sent').waitFor()
    await row(page, 'seen-at-once').locator('.platform-cause a').click()
    await page.getByRole('heading', { name: 'createSending', level: 1 }).waitFor()
  })

  test('what is scheduled goes out when its time comes', async () => {
    const { now } = await stage.control('PUT', '/spaces/demo%2Blater').then(({ clock }) => clock)
    const scheduleDate = new Date(Date.parse(now) + 3_600_000).toISOString()
    await stage.as('demo+later').post(path, { transactionId: 'later', scheduleDate })
    const page = await stage.open(pageOf('demo+later'))
    await isLive(page)
    await row(page, 'later').getByText('scheduled').waitFor()
    await stage.control('POST', '/spaces/demo%2Blater/clock', { advance: '2h' })
    await row(page, 'later').getByText('sent').waitFor()
  })

  test('the platform of a space holds in every view with all that can stand there, and is gone through by keyboard', async () => {
    const client = stage.as('demo+all')
    await client.post(path, {}, { 'x-mock-scenario': 'delivered-twice' })
    for (const transactionId of ['mock:orphan-mailing:o', 'plain'])
      await client.post(path, { transactionId }).catch(() => {})
    await client.post(path, { transactionId: 'later', scheduleDate: '2035-01-01T08:00:00Z' })
    await client.post(synchronizationPath(ids.ready, '/test-sendings'), {
      recipientAddresses: ['a@example.com'],
    })
    await client.post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    const page = await stage.open(pageOf('demo+all'))
    expect(await page.locator('.platform').getByText('sent twice', { exact: true }).count()).toBe(2)
    for (const words of ['orphan', 'scheduled', 'test mail', 'uploaded'])
      await page.getByText(words, { exact: true }).waitFor()
    await holdsInEveryView(page, 'platform')
    expect((await walk(page)).filter(({ isSeen }) => !isSeen)).toEqual([])
    await page.getByRole('link', { name: '2 sent too often' }).click()
    await expect.poll(() => page.locator('.platform tbody tr').count()).toBe(2)
    await page.getByRole('link', { name: 'Show them too' }).click()
    await page.getByRole('link', { name: /^All \d\d/ }).click()
    await page.getByText('the beginning').first().waitFor()
    await holdsInEveryView(page, 'platform with its beginning')
  })

  test('whatever somebody wrote is shown as text', async () => {
    const space = 'demo+hostile-ledger'
    await stage.control('PUT', `/spaces/${encodeURIComponent(space)}`, { fixture: await hostileFixture() })
    for (const { text } of hostile)
      await stage.as(space).post(path, { name: text('name'), subject: text('subject') })
    const page = await stage.open(pageOf(space))
    const words = await page.locator('main').textContent()
    for (const { name, text } of hostile) {
      expect(words, name).toContain(text('name'))
      expect(words, name).toContain(text('subject'))
    }
    await holdsInEveryView(page, 'hostile platform')
    expect(await injected(page)).toEqual([])
    await page.getByRole('link', { name: 'Show them too' }).click()
    await page.getByText('the beginning').first().waitFor()
  })
})
