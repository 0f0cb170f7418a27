import { stringify } from 'yaml'
import type { Json } from '../src/contract/openapi/json-schema.ts'

const yamlHeading = `# Written by \`npm run generate\`. Do not edit it: \`npm test\` fails when this is not what would be written now.
`

/** An OpenAPI document as YAML. */
export const toYaml = (document: Json): string =>
  yamlHeading +
  stringify(document, {
    lineWidth: 110,
    blockQuote: 'literal',
    aliasDuplicateObjects: false,
    // Many parsers follow YAML 1.1, which reads a bare date as something else than text.
    compat: 'yaml-1.1',
  })
