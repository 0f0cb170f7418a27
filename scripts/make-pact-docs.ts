import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { providerStates } from '../src/control/pact/states.ts'

const [start, end] = ['<!-- the states, written by `npm run generate` -->', '<!-- end -->']

/** docs/pact.md with the table of provider states as they are. The rest of the page is written by hand. */
export function makePactDocs(): string {
  const page = readFileSync(new URL('../docs/pact.md', import.meta.url), 'utf8')
  const [before, rest = ''] = page.split(`${start}\n`)
  const [, after] = rest.split(`\n${end}`)
  const table = ['| State | Is | Parameters | Gives |', '|---|---|---|---|', ...providerStates.map(row)]
  return `${before}${start}\n${table.join('\n')}\n${end}${after}`
}

const code = (text: string) => `\`${text}\``

function row({ name, alsoNamed, description, params, values }: (typeof providerStates)[number]): string {
  const names = name === '' ? '(none)' : [name, ...alsoNamed].map(code).join('<br>')
  const parameters = Object.entries(params.shape as Record<string, z.ZodType>).map(
    ([parameter, schema]) =>
      code(parameter) + (schema.safeParse(undefined).success ? '' : ' (must be given)'),
  )
  return `| ${names} | ${description} | ${parameters.join(', ')} | ${Object.keys(values).map(code).join(', ')} |`
}
