import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { clientOf, mutants } from '../../examples/clients/mutants/registry.mjs'
import { runExam } from '../../src/lib/run-exam.ts'
import { htmlReport } from '../../src/pages/exam-report.tsx'
import { explored } from '../judge/explore/clients.ts'
import { temporaryDirectory } from '../process.ts'
import { fitsWidth } from './fitting.ts'
import { useStage } from './stage.ts'
import { holdsInEveryView } from './views.ts'

const stage = useStage()

test('the HTML report of an exam fits a telephone and a screen, and holds in every view, also with all of it unfolded; the words of its diagram can be read', async () => {
  const client = explored(clientOf(mutants.find(({ id }) => id === 'M7')!))
  const result = await runExam({ client, only: ['happy-path', 'failed-once'], depth: 1 })
  const reproduce = `npm start -- exam ${'--flag-of-some-length '.repeat(20)}`
  const situations = result.portrait!.situations.map(it => ({
    ...it,
    rows: it.rows.map(row => ({ ...row, reproduce })),
  }))
  using place = temporaryDirectory()
  const file = place.at('report.html')
  writeFileSync(file, htmlReport({ ...result, portrait: { ...result.portrait!, situations } }))
  const page = await stage.open(pathToFileURL(file).href)
  await page.getByRole('heading', { name: 'What the client does' }).waitFor()
  await page.locator('details').evaluateAll(all => {
    for (const it of all) (it as HTMLDetailsElement).open = true
  })
  for (const width of [390, 1366]) {
    await page.setViewportSize({ width, height: 800 })
    await fitsWidth(page)
    const word = page.locator('.states text').first()
    expect(await word.evaluate(it => it.getBoundingClientRect().height)).toBeGreaterThanOrEqual(11)
  }
  await holdsInEveryView(page, 'exam report')
})
