import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { dialsPage } from '../../scripts/make-fidelity-docs.ts'
import { dialNames } from '../../src/service/dials.ts'

const path = new URL('../../docs/dials.md', import.meta.url)
const command = 'DIALS=write npx vitest run test/contract/dials-page.test.ts'

it('docs/dials.md tells what the table of dials tells', () => {
  if (process.env.DIALS === 'write') writeFileSync(path, dialsPage())
  expect(readFileSync(path, 'utf8') === dialsPage(), `docs/dials.md is stale: run "${command}"`).toBe(true)
})

it('the page has a section for every dial, the default first', () => {
  const page = dialsPage()
  expect(page.match(/^## .*$/gm)).toEqual(dialNames.toSorted().map(name => `## ${name}`))
  expect(page).toContain('| Value | Means |\n| --- | --- |\n| `as-in-examples` (default) |')
  expect(page).toContain(command)
})
