import { z } from 'zod'
import { type ResourceName, resources } from '../../contract/openapi/resources/resources.ts'
import { withDials } from '../../service/dials.ts'
import type { Exchange } from '../exchange.ts'
import { bare, isObject } from '../hal.ts'
import type { Kind } from '../sightings.ts'
import type { World } from '../world.ts'

/** A member that no document names. */
export interface Undocumented {
  readonly kind: Kind
  readonly path: string
  readonly from: Exchange
}

/** The resources that a kind may look like: alone and listed, and with what other dials give it. */
const schemasOf: Record<Kind, readonly ResourceName[]> = {
  'mailing item': ['MailingItem'],
  mailing: ['MailingItem', 'Mailing'],
  synchronization: ['MailingSynchronization'],
  sending: ['CreatedSending', 'SendingItem'],
  'mailing-upload': ['MailingUpload'],
  statistics: ['SendingStatistics'],
  preview: ['Preview'],
  'test profile': ['TestProfile'],
  'test-mail group': ['TestMailGroup'],
  customer: ['AccessibleCustomer'],
  list: ['List'],
  configuration: ['AccessibleListsConfiguration'],
}

/** Members of everything that was seen which the OpenAPI document of the service does not describe. */
export function undocumented(world: World): Undocumented[] {
  const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
  const described = resources({ names, dials: withDials({ 'links-to-nothing': 'present' }) })
  return (Object.keys(schemasOf) as Kind[]).flatMap(kind => {
    const known = new Set(schemasOf[kind].flatMap(name => [...pathsOf(described[name].schema)]))
    return world.sightings
      .of(kind)
      .flatMap(({ value, from }) =>
        [...members(value)].filter(path => !isKnown(path, known)).map(path => ({ kind, path, from })),
      )
  })
}

/** Curies are told by clauses of their own. */
const isKnown = (path: string, known: ReadonlySet<string>): boolean =>
  known.has(path) || path.startsWith('_links.curies') || /^_links\.[^.]+\.templated$/.test(path)

/** Paths of all members of an object, relations without their prefix; what is inside arrays is not looked at. */
function* members(value: unknown, before = ''): Iterable<string> {
  if (!isObject(value)) return
  for (const [name, inside] of Object.entries(value)) {
    const path = `${before}${before === '_links.' ? bare(name) : name}`
    yield path
    yield* members(inside, `${path}.`)
  }
}

function* pathsOf(schema: unknown, before = ''): Iterable<string> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    yield* pathsOf(schema.unwrap(), before)
  if (!(schema instanceof z.ZodObject)) return
  for (const [name, inside] of Object.entries(schema.shape)) {
    const path = `${before}${before === '_links.' ? bare(name) : name}`
    yield path
    yield* pathsOf(inside, `${path}.`)
  }
}
