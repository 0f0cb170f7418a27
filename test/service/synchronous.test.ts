import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const files = readdirSync('src/service', { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.ts'),
)

it('the service can await nothing between looking a transaction ID up and claiming it: it has no promise at all', () => {
  expect(files.length).toBeGreaterThan(20)
  for (const file of files)
    expect(readFileSync(join('src/service', file), 'utf8'), file).not.toMatch(/\b(?:async|await|Promise)\b/)
})
