import { clauses } from '../src/contract/clauses.ts'
import { type Dial, dials, profiles } from '../src/service/dials.ts'
import { escapeMarkdown, markdownTable } from './markdown.ts'

const dialsIntro = `# Dials

Will your client also work with a service that differs from this mock, such as one with a rate limit? Where the API document is silent, real
deployments may differ, and a client must not depend on our guess. Each such point is a dial: it has a default, which the
[fidelity register](fidelity.md) describes, and the alternatives that we find plausible. Turn them one by one, or all at once from a seed, and see whether your client still works.

This page is written from \`src/service/dials.ts\` by \`npm run generate\`. Do not edit it.
`

/** All dials as Markdown: docs/dials.md. */
export function makeDialsDocs(): string {
  const all: [string, Dial][] = Object.entries(dials)
  return [
    dialsIntro,
    profilesSection(),
    ...all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(dialSection),
  ].join('\n')
}

/** The named sets of dials, which are what most users want. */
function profilesSection(): string {
  const sections = Object.entries(profiles).map(([name, profile]) => {
    const lines = Object.entries(profile.dials).map(([dial, value]) => [
      `[\`${dial}\`](#${dial})`,
      `\`${value}\``,
    ])
    return `### --profile ${name}\n\n${escapeMarkdown(profile.description)}\n\n${markdownTable(['Dial', 'Value'], lines)}`
  })
  const intro =
    'Two named sets turn what a client meets first. `npm start -- --profile documented`, `profile` of a settings file, or `createMock({ profile })` sets one for all spaces; a single dial beside it has precedence. The prefix of relations and the middle segment of paths are no dials: give `--relation-prefix` and `--platform-segment`. By default a date without milliseconds is taken, although public documentation demands them: the response then carries `X-Mock-Hint`, and the verdict a note.'
  return `## Profiles\n\n${intro}\n\n${sections.join('\n')}`
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
