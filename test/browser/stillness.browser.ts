import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { movedByItself } from './stillness.ts'

const stage = useStage()
const sendings = synchronizationPath(ids.both, '/sendings')

/** Addresses of pages in a space where something has happened, by their names. */
async function addresses(space: string): Promise<Record<string, string>> {
  for (let n = 1; n <= 30; n++) await stage.as(space).post(sendings, { transactionId: `number-${n}` })
  const { _links: links } = await stage.as(space).get(synchronizationPath(ids.both))
  const { _embedded: embedded } = await stage.as(space).get(sendings)
  const ownPage = `/_mock/spaces/${encodeURIComponent(space)}`
  return {
    dashboard: '/_mock',
    requests: ownPage,
    request: `${ownPage}/requests/r0-1`,
    sendings: `${ownPage}/sendings`,
    mailings: `${ownPage}/mailings`,
    platform: `${ownPage}/platform`,
    verdict: `${ownPage}/verdict`,
    editor: links['svc:mailing-editor'].href,
    report: embedded['svc:sendings'][0]._links['svc:report'].href,
  }
}

test.each([360, 1600])('nothing jumps while a page comes and goes on, %i px wide', async width => {
  const space = `demo+still-${width}`
  for (const [name, address] of Object.entries(await addresses(space))) {
    const page = await stage.open(address, { width })
    await page.locator('#live-state', { hasText: 'live' }).waitFor()
    // Until the page is no longer as it came: its clock has gone on, or it has heard of something.
    const clock = page.locator('#space-now')
    if (name === 'dashboard') {
      const row = page.locator('#spaces tbody tr').filter({ hasText: space })
      await stage.as(space).get('/mailings')
      await row.getByText('listMailings').waitFor()
    } else {
      const first = await clock.innerText()
      await expect.poll(() => clock.innerText()).not.toBe(first)
    }
    const { share, elements } = await movedByItself(page)
    expect(share, `${name}: ${elements.join('\n')}`).toBeLessThan(0.02)
  }
})

test('what does jump is noticed', async () => {
  const page = await stage.open('/_mock')
  await page.locator('#live-state', { hasText: 'live' }).waitFor()
  await page.locator('main').evaluate(main => {
    const late = document.createElement('div')
    late.textContent = 'late'
    late.style.height = '300px'
    main.prepend(late)
  })
  await expect.poll(async () => (await movedByItself(page)).share).toBeGreaterThan(0.1)
})
