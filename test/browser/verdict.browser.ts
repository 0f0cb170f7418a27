import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { hostile } from './hostile.ts'
import { walk } from './keyboard.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

const path = synchronizationPath(ids.ready, '/sendings')
const pageOf = (space: string) => `/_mock/spaces/${encodeURIComponent(space)}/verdict`
const send = (space: string, body: object) => stage.as(space).post(path, body)
/** What a client does that takes an error for a failure. */
async function guess(space: string): Promise<void> {
  for (const transactionId of ['mock:error-500-after:run-1', 'run-2']) await send(space, { transactionId })
}
const isLive = (page: Page) => page.locator('#live-state', { hasText: 'live' }).waitFor()

describe('the verdict on a space', () => {
  test('the verdict on a space says how to begin where there is nothing to judge', async () => {
    await stage.control('PUT', '/spaces/demo%2Bjudged')
    const page = await stage.open(pageOf('demo+judged'))
    await page.getByText('Nothing to judge yet').waitFor()
    await holdsInEveryView(page, 'verdict, none')
  })

  test('the verdict on a space changes as its client goes on, and keeps open what somebody has opened', async () => {
    const space = 'demo+goes-on'
    await send(space, { transactionId: 'not well formed' })
    const page = await stage.open(pageOf(space))
    await isLive(page)
    await page.getByRole('heading', { name: 'guilty' }).waitFor()
    const spared = page.locator('#R20 details')
    await spared.getByText('When this rule does not apply').click()
    await guess(space)
    await page.getByRole('heading', { name: 'Suspected', exact: true }).waitFor()
    expect(await spared.evaluate(it => (it as HTMLDetailsElement).open)).toBe(true)
    await holdsInEveryView(page, 'verdict')
  })

  test('the verdict on a space is settled by what only its reader knows, and taken up again where nobody knows', async () => {
    const space = 'demo+settled'
    await guess(space)
    const page = await stage.open(pageOf(space))
    await page.getByRole('heading', { name: 'suspected R02 is suspected' }).waitFor()
    const isSent = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'It was sent' }) })
    expect(await isSent.innerText()).toMatch(/sent twice/)
    expect(await page.locator('#client-end li', { hasText: 'not sent' }).innerText()).toMatch(
      /sent unnoticed/,
    )
    await page.getByRole('button', { name: 'It was sent' }).click()
    await page
      .getByRole('heading', {
        name: 'guilty R02 was broken: new transactionId after an error or a timeout. One mailing was sent twice.',
      })
      .waitFor()
    expect(await page.getByRole('button', { name: 'It was sent' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByText('2 mailings were sent, where 1 was meant. The service sends a mailing').waitFor()
    await holdsInEveryView(page, 'verdict, settled')
    await page.getByRole('link', { name: 'timeline' }).first().click()
    await page.locator('.lane-outcome', { hasText: 'sent twice' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Take it back' }).click()
    await page.getByRole('heading', { name: 'suspected R02 is suspected' }).waitFor()
  })

  test('Enter in the number of mailings changes the number, and says nothing for the client', async () => {
    const space = 'demo+enter'
    await guess(space)
    const page = await stage.open(pageOf(space))
    await page.getByLabel('Mailings to send').fill('3')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/verdict?expected=3&workers=')
    await page.getByText('if 3 mailings were meant.').waitFor()
    expect(await page.locator('#client-end [aria-pressed=true]').count()).toBe(0)
    await page.getByRole('button', { name: 'All were sent', exact: true }).click()
    await page.waitForURL('**believes=sent**')
    await page.getByLabel('Mailings to send').fill('2')
    await page.keyboard.press('Enter')
    await page.waitForURL('**expected=2**')
    expect(await page.locator('#client-end [aria-pressed=true]').innerText()).toBe('All were sent')
  })

  test('the verdict on a space leads to all rules, and can be gone through by keyboard', async () => {
    await guess('demo+rules')
    const page = await stage.open(pageOf('demo+rules'))
    expect((await walk(page)).filter(({ isSeen }) => !isSeen)).toEqual([])
    await page.locator('#R02').getByRole('link', { name: 'R02', exact: true }).click()
    await page.getByText('Credentials sent to another host').first().waitFor()
  })

  test('the verdict on a space names what never fired, and what is no longer on record', async () => {
    const space = '/spaces/demo%2Bmissing'
    await send('demo+missing', { transactionId: 'forgotten' })
    await stage.control('DELETE', `${space}/requests`)
    await stage.control('PUT', `${space}/scenario`, { name: 'reset-upload' })
    await stage.as('demo+missing').get('/mailings')
    const page = await stage.open(pageOf('demo+missing'))
    await page.getByRole('heading', { name: 'Never fired' }).waitFor()
    await page.getByRole('heading', { name: 'Not on record' }).waitFor()
    await holdsInEveryView(page, 'verdict, missing')
  })

  test('whatever a client sent is shown as text', async () => {
    const space = 'demo+hostile-conduct'
    for (const { text } of hostile) await send(space, { transactionId: text('transactionId') })
    const page = await stage.open(pageOf(space))
    await page.locator('#R20').waitFor()
    await holdsInEveryView(page, 'hostile verdict')
  })
})

test('exams hold in every view, and a case leads to the verdict on its client', async () => {
  const exam = await stage.control('POST', '/exams', { only: ['pending-for-ever', 'reset-after'] })
  const page = await stage.open('/_mock/exams')
  await isLive(page)
  const [{ name, user, synchronizationId }] = exam.cases
  await stage.as(user).post(synchronizationPath(synchronizationId, '/sendings'), { transactionId: 'a' })
  await stage.control('POST', `/exams/${exam.id}/cases/${name}`, { believes: 'not-sent' })
  await page.getByText('error R10').waitFor()
  await holdsInEveryView(page, 'exams')
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { name: 'guilty' }).waitFor()
})
