import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../../src/pages/styles/', import.meta.url)

it.each(readdirSync(folder))(
  '%s has a dark form in its colours alone, so that no part looks different',
  file => {
    expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/prefers-color-scheme/)
  },
)
