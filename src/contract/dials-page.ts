import { type Dial, dials } from '../service/dials.ts'
import { clauses } from './clauses.ts'
import { escaped, table } from './markdown.ts'

const intro = `# Dials

Where the API document is silent, real deployments may differ, and a client must not depend on our guess. Each such
point is a dial: it has a default, which the [fidelity register](fidelity.md) describes, and the alternatives that we
find plausible. Turn them one by one, or all at once from a seed, and see whether your client still works.

This page is written from \`src/service/dials.ts\` by \`DIALS=write npx vitest run test/contract/dials-page.test.ts\`.
Do not edit it.
`

/** All dials as a page for people: docs/dials.md. */
export function dialsPage(): string {
  const all: [string, Dial][] = Object.entries(dials)
  return [intro, ...all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(section)].join('\n')
}

function section([name, { description, values, default: usual }]: [string, Dial]): string {
  const turned = clauses.filter(clause => clause.dial === name).map(({ id }) => escaped(id))
  const others = Object.keys(values).filter(value => value !== usual)
  const lines = [usual, ...others].map(value => [
    value === usual ? `\`${value}\` (default)` : `\`${value}\``,
    escaped(values[value]!),
  ])
  return `## ${name}\n\n${escaped(description)} Turns: ${turned.join(', ')}.\n\n${table(['Value', 'Means'], lines)}`
}
