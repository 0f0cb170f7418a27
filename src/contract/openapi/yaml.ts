import { stringify } from 'yaml'
import type { Json } from './deployment.ts'

const heading = `# Written by \`npm run openapi\` from src/contract/openapi, the schemas that check requests and the clauses of the fidelity
# register. Do not edit it: \`npm test\` fails when this is not what would be written now.
`

/** The document as a page for people and tools: openapi.yaml. */
export const toYaml = (document: Json): string =>
  heading +
  stringify(document, {
    lineWidth: 110,
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
    // Many readers know YAML 1.1, to which a bare date is no text.
    compat: 'yaml-1.1',
  })
