import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generatedFiles } from '../../scripts/generated-files.ts'

/** Words that people write: the table of states in docs/pact.md is generated. */
const countWords = (file: string) =>
  readFileSync(file, 'utf8')
    .replace(/<!-- the states.*?<!-- end -->/s, '')
    .split(/\s+/)
    .filter(Boolean).length

/** The pages for users that people write; generated references are looked up, not read. */
const written = [
  'README.md',
  ...readdirSync('docs')
    .filter(name => name.endsWith('.md') && (name === 'pact.md' || !(`docs/${name}` in generatedFiles)))
    .map(name => `docs/${name}`),
]

it.each([
  ['README.md', 900],
  ['docs/troubleshooting.md', 6_000],
])('%s has at most %i words', (file, most) => {
  expect(countWords(file)).toBeLessThanOrEqual(most)
})

it('what a user reads has at most 35,000 words, generated references aside', () => {
  const words = written.map(file => [file, countWords(file)] as const)
  expect(words.length).toBeGreaterThan(20)
  const total = words.reduce((sum, [, count]) => sum + count, 0)
  expect(total, JSON.stringify(words)).toBeLessThanOrEqual(35_000)
})
