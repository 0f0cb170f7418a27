import { test } from 'vitest'
import { useStage } from './stage.ts'

const token = 'a-token-of-our-own'
const stage = useStage(['--token', token], token)

test('whoever has signed in tries control calls and the service', async () => {
  const page = await stage.open('/_mock/docs/turnClock', { expects: [/status of 401/] })
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByLabel('space in the path').fill('demo+signed-in')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await send.click()
  await page.getByRole('status').getByText('200 OK').waitFor()
  await page.goto('/_mock/docs/createSending')
  await send.click()
  await page.getByRole('status').getByText('201 Created').waitFor()
})
