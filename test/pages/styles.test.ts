import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../../src/pages/styles/', import.meta.url)

it.each(readdirSync(folder))(
  '%s has a dark form in its colours alone, so that no part looks different',
  file => {
    expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/prefers-color-scheme/)
  },
)

it.each(readdirSync(folder))('%s has no colours for widths between the narrowest and the widest', file => {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const between = text.split(/^(?=@)/m).filter(it => /^@\w+ .*<=? width <=? /.test(it))
  for (const block of between) expect(block.split(/^}/m)[0]).not.toMatch(/colou?r|background|opacity|filter:/)
})
