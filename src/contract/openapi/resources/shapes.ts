import { z } from 'zod'
import type { Deployment } from '../deployment.ts'

/** A resource of the service as a client sees it, with where the register tells of its members. */
export interface Resource {
  readonly schema: z.ZodType
  /** What its clauses begin with: `2.2`, or `2.9 list`. */
  readonly section: string
}

const text = (format: string, pattern?: string) =>
  z.string().meta({ wire: { type: 'string', format, ...(pattern !== undefined && { pattern }) } })

export const uuid = text('uuid', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
/** IDs of lists, profiles, groups and of the platform. */
export const number = z.int().positive()
export const count = z.int().nonnegative()
/** UTC, three fraction digits, `Z` (documented beyond the spec). */
export const dateTime = text('date-time', '\\.\\d{3}Z$')

type Links = Readonly<Record<string, z.ZodType>>

/** How this deployment writes HAL: links, curies, collections. Objects are open: a client must bear more members. */
export class Hal {
  readonly dials: Deployment['dials']
  readonly #prefix: string
  /** To the service itself. */
  readonly link: z.ZodType
  /** For a person, in a browser: elsewhere than the service. */
  readonly pageLink = z.object({ href: text('uri') })
  readonly templatedLink = z.object({ href: text('uri-template'), templated: z.literal(true) })
  readonly curies: z.ZodType

  constructor({ names, dials }: Deployment) {
    this.dials = dials
    this.#prefix = names.relationPrefix
    this.link = z.object({ href: text(dials['links-form'] === 'path' ? 'uri-reference' : 'uri') })
    const curie = z.object({
      name: z.literal(names.relationPrefix),
      href: text('uri-template', '/relations/\\{rel\\}$'),
      templated: z.literal(true),
    })
    this.curies = z.array(curie).length(1)
  }

  /** A relation of the service with its prefix. */
  rel(name: string): string {
    return `${this.#prefix}:${name}`
  }

  /** Of what uses no relation of the service, or stands inside a collection. */
  links(rels: Links) {
    const isEverywhere = this.dials.curies === 'everywhere'
    return z.object({ ...rels, ...(isEverywhere && { curies: this.curies }) })
  }

  linksWithCuries(rels: Links) {
    return z.object({ ...rels, curies: this.curies })
  }

  collection(name: string, item: z.ZodType, further: Links = {}) {
    const entries = z.object({ [this.rel(name)]: z.array(item) })
    const whenEmpty = this.dials['empty-collection']
    const embedded = whenEmpty === 'empty-embedded' ? entries.partial() : entries
    return z.object({
      _embedded: whenEmpty === 'no-embedded' ? embedded.optional() : embedded,
      _links: this.linksWithCuries({ self: this.link, next: this.link.optional(), ...further }),
    })
  }
}
