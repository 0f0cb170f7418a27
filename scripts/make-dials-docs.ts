import { clauses } from '../src/contract/clauses.ts'
import { type Dial, dials } from '../src/service/dials.ts'
import { escapeMarkdown, markdownTable } from './markdown.ts'

const dialsIntro = `# Dials

Where the API document is silent, real deployments may differ, and a client must not depend on our guess. Each such
point is a dial: it has a default, which the [fidelity register](fidelity.md) describes, and the alternatives that we
find plausible. Turn them one by one, or all at once from a seed, and see whether your client still works.

This page is written from \`src/service/dials.ts\` by \`npm run generate\`. Do not edit it.
`

/** All dials as Markdown: docs/dials.md. */
export function makeDialsDocs(): string {
  const all: [string, Dial][] = Object.entries(dials)
  return [dialsIntro, ...all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(dialSection)].join('\n')
}

function dialSection([name, { description, values, default: usual }]: [string, Dial]): string {
  const turned = clauses.filter(clause => clause.dial === name).map(({ id }) => escapeMarkdown(id))
  const others = Object.keys(values).filter(value => value !== usual)
  const lines = [usual, ...others].map(value => [
    value === usual ? `\`${value}\` (default)` : `\`${value}\``,
    escapeMarkdown(values[value]!),
  ])
  return `## ${name}\n\n${escapeMarkdown(description)} Turns: ${turned.join(', ')}.\n\n${markdownTable(['Value', 'Means'], lines)}`
}
