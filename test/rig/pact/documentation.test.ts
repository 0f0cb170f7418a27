import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { providerStates } from '../../../src/control/pact/pact.ts'

const file = 'docs/pact.md'
const [start, end] = [
  '<!-- the states: PACT=write npx vitest run test/rig/pact/documentation.test.ts -->',
  '<!-- end -->',
]

const code = (text: string) => `\`${text}\``

function row({ name, alsoNamed, description, params, values }: (typeof providerStates)[number]): string {
  const names = name === '' ? '(none)' : [name, ...alsoNamed].map(code).join('<br>')
  const parameters = Object.entries(params.shape as Record<string, z.ZodType>).map(
    ([parameter, schema]) =>
      code(parameter) + (schema.safeParse(undefined).success ? '' : ' (must be given)'),
  )
  return `| ${names} | ${description} | ${parameters.join(', ')} | ${Object.keys(values).map(code).join(', ')} |`
}

const table = ['| State | Is | Parameters | Gives |', '|---|---|---|---|', ...providerStates.map(row)].join(
  '\n',
)

it('docs/pact.md has the states as they are', () => {
  const page = readFileSync(file, 'utf8')
  const [before, rest] = page.split(`${start}\n`)
  const [, after] = rest!.split(`\n${end}`)
  const written = `${before}${start}\n${table}\n${end}${after}`
  if (process.env.PACT === 'write') writeFileSync(file, written)
  else expect(page).toBe(written)
})
