import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const words = (file: string) =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')

const [paragraph] = /\*\*When a test fails at its end\.\*\* .*?(?= \*\*)/.exec(words('docs/conduct.md'))!
const [sentence] = /A test fails .*?\.(?= )/.exec(paragraph)!

it('examples/kits/README.md says when a test fails at its end as the rules of conduct do', () => {
  expect(words('examples/kits/README.md')).toContain(paragraph)
})

it.each(['README.md', 'docs/library.md', 'docs/testing-recipes.md'])(
  '%s begins to say when a test fails at its end as the rules of conduct do',
  file => {
    expect(words(file)).toContain(sentence.replace(/\.$/, ''))
  },
)
