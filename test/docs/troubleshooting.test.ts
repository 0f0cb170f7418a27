import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problemKinds } from '../../src/service/problem.ts'

const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8')

/** What stands as code in the first cells of the page's tables: sentences, `…` for whatever is filled in. */
const entries = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([^`]+)`/g)].map(([, code]) => code!),
)

test('every problem of the service has its cure on the page', () => {
  const missing = Object.keys(problemKinds).filter(kind => !entries.includes(kind))
  expect(missing, 'add an entry to docs/troubleshooting.md: what it means, what to do').toEqual([])
})

test('the page has no sentence that nobody says any more', () => {
  const words = ['src/', 'examples/kits/'].map(textOf).join('\n')
  // What a 404 says is lacking begins in the same way everywhere.
  const parts = (entry: string) => entry.replace(/^There is no /, '').split('…')
  const isSaid = (entry: string) => parts(entry).every(part => words.includes(part.trim()))
  expect(entries.filter(entry => !isSaid(entry))).toEqual([])
})

/** All text of a folder's sources. */
function textOf(folder: string): string {
  const at = new URL(`../../${folder}`, import.meta.url)
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:[jt]sx?|java|php|py)$/.test(name))
    .map(name => readFileSync(new URL(name, at), 'utf8'))
    .join('\n')
}
