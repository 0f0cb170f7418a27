import { beforeAll, describe, expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { hostile } from './hostile.ts'
import { hostileFixture } from './hostile-space.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

/** Where the service's links of one mailing lead, by what a person calls the page. */
async function linksOf(user: string): Promise<Record<string, string>> {
  const { _links: links } = await stage.as(user).get(synchronizationPath(ids.both))
  const sendings = await stage.as(user).get(links['svc:sendings'].href)
  return {
    editor: links['svc:mailing-editor'].href,
    'preview of the draft': links['svc:mailing-preview-draft'].href,
    'preview of the approved version': links['svc:mailing-preview-approved'].href,
    report: sendings._embedded['svc:sendings'][0]._links['svc:report'].href,
  }
}
const pages = ['editor', 'preview of the draft', 'preview of the approved version', 'report']

test.each(pages)('the %s holds in every view', async name => {
  const page = await stage.open((await linksOf('demo'))[name]!)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await holdsInEveryView(page, name)
})

describe('in a space where everything that somebody wrote is hostile', () => {
  beforeAll(async () => {
    await stage.control('PUT', '/spaces/demo%2Bhostile', { fixture: await hostileFixture() })
  })

  test.each(pages)('the %s shows it as text', async name => {
    const page = await stage.open((await linksOf('demo+hostile'))[name]!)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const words = await page.locator('main').textContent()
    const field = { report: 'transactionId', editor: 'name' }[name] ?? 'subject'
    for (const payload of hostile) expect(words, payload.name).toContain(payload.text(field).slice(0, 40))
    await holdsInEveryView(page, `hostile ${name}`)
  })
})
