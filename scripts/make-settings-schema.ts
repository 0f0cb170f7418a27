import { parse } from 'yaml'
import { settings } from '../src/lib/settings.ts'
import { dials } from '../src/service/dials.ts'

/** The JSON Schema of files for `--config`: docs/settings.schema.json. */
export const makeSettingsSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Settings of mailing-sync-mock',
      description:
        'A file for --config, in YAML or JSON: the flags by their names. Written by `npm run generate`.',
      type: 'object',
      properties: {
        $schema: { type: 'string' },
        ...Object.fromEntries(Object.values(settings).map(setting => [setting.name, schemaOf(setting)])),
      },
      additionalProperties: false,
    },
    null,
    2,
  )}\n`

function schemaOf({
  name,
  flag,
  help,
  defaultText,
  isList,
  parse: reader,
}: (typeof settings)[keyof typeof settings]) {
  const about = { description: defaultText ? `${help} (default: ${defaultText})` : help }
  if (!flag.includes('<')) return { ...about, type: 'boolean' }
  const text = { type: 'string', minLength: 1 }
  const list = { type: 'array', items: text }
  if (name === 'dial')
    return {
      ...about,
      anyOf: [{ type: 'object', properties: dialSchemas(), additionalProperties: false }, text],
    }
  if (name === 'generate')
    return {
      ...about,
      anyOf: [{ type: 'object', additionalProperties: { type: 'integer', minimum: 0 } }, list, text],
    }
  if (isList) return { ...about, anyOf: [list, text] }
  return { ...about, ...(reader.schema ?? text) }
}

/** A value that YAML reads as a number, a Boolean or null may be written as one. */
const dialSchemas = () =>
  Object.fromEntries(
    Object.entries(dials).map(([name, { description, values, default: usual }]) => [
      name,
      {
        description: `${description} (default: ${usual})`,
        enum: Object.keys(values).flatMap(value => [...new Set([value, parse(value)])]),
      },
    ]),
  )
