import { expect, test } from 'vitest'
import { ids, synchronizationPath } from '../mock.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage(['--journal', '2'])

test('what went out by requests that are no longer on record holds in every view', async () => {
  const path = synchronizationPath(ids.ready, '/sendings')
  for (let n = 1; n <= 12; n++) await stage.as('demo+forgotten').post(path, { transactionId: `number-${n}` })
  const page = await stage.open('/_mock/spaces/demo%2Bforgotten/platform')
  expect(await page.getByText(/^r\d+-\d+, no longer on record$/).count()).toBe(10)
  await holdsInEveryView(page, 'platform, forgotten')
  for (const [name, words] of [
    ['sendings', 'were dropped to make room'],
    ['requests', 'were dropped to make room'],
    ['verdict', 'dropped to make room'],
  ] as const) {
    await page.goto(`/_mock/spaces/demo%2Bforgotten/${name}`)
    await page.getByText(words).first().waitFor()
    await holdsInEveryView(page, `${name}, forgotten`)
  }
})
