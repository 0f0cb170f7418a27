import { z } from 'zod'
import type { DialValues } from '../../service/dials.ts'
import type { ServiceNames } from '../../service/links.ts'
import { resources } from '../../service/operations.ts'
import { type AnyForm, type Collection, isCollection, schemasFor } from '../../service/resource.ts'
import { getOrMake } from '../../store/maps.ts'

/** The service to describe: its names and its dials. */
export interface Deployment {
  readonly names: ServiceNames
  readonly dials: DialValues
}

const address = (format: string, pattern?: string) =>
  z.string().meta({ wire: { type: 'string', format, ...(pattern !== undefined && { pattern }) } })

function linkSchemas({ names, dials }: Deployment) {
  const curie = z.object({
    name: z.literal(names.relationPrefix),
    href: address('uri-template', '/relations/\\{rel\\}$'),
    templated: z.literal(true),
  })
  return {
    link: z.object({ href: address(dials['links-form'] === 'path' ? 'uri-reference' : 'uri') }),
    /** A link for a person, in a browser, to another host than the service. */
    page: z.object({ href: address('uri') }),
    template: z.object({ href: address('uri-template'), templated: z.literal(true) }),
    curies: z.array(curie).length(1),
  }
}

/** Writes the schemas of forms and collections. Objects are open: a client must accept unknown members. */
class SchemaWriter {
  readonly #deployment: Deployment
  readonly links: ReturnType<typeof linkSchemas>
  readonly #written = new Map<AnyForm, z.ZodType>()

  constructor(deployment: Deployment) {
    this.#deployment = deployment
    this.links = linkSchemas(deployment)
  }

  /** The same form has the same schema, so that a collection can refer to that of its items. */
  write(shown: AnyForm | Collection): z.ZodType {
    if (isCollection(shown)) return this.#collection(shown)
    return getOrMake(this.#written, shown, form => this.#form(form))
  }

  #form({ members, links, hasCuries }: AnyForm): z.ZodType {
    const { dials } = this.#deployment
    const own = schemasFor(members, dials)
    if (!links) return z.object(own)
    const rels = Object.entries(links).map(([name, { kind, isPrefixed, isOptional }]) => {
      const schema = this.links[kind]
      return [isPrefixed ? this.#rel(name) : name, isOptional?.(dials) ? schema.optional() : schema]
    })
    const curies = (hasCuries === true || dials.curies === 'everywhere' || dials.curies === hasCuries) && {
      curies: this.links.curies,
    }
    return z.object({ ...own, _links: z.object({ ...Object.fromEntries(rels), ...curies }) })
  }

  #collection({ relation, item, links = {} }: Collection): z.ZodType {
    const { link, curies } = this.links
    const entries = z.object({ [this.#rel(relation)]: z.array(this.write(item)) })
    const whenEmpty = this.#deployment.dials['empty-collection']
    const embedded = whenEmpty === 'empty-embedded' ? entries.partial() : entries
    const others = Object.keys(links).map(name => [this.#rel(name), link.optional()])
    return z.object({
      _embedded: whenEmpty === 'no-embedded' ? embedded.optional() : embedded,
      _links: z.object({ self: link, next: link.optional(), ...Object.fromEntries(others), curies }),
    })
  }

  #rel(name: string): string {
    return `${this.#deployment.names.relationPrefix}:${name}`
  }
}

/** The schemas of links, by their names in the OpenAPI document. */
export const linkComponents = {
  Link: 'link',
  PageLink: 'page',
  TemplatedLink: 'template',
  Curies: 'curies',
} as const

/** The schema of each form and collection as a client sees it, with this deployment's names and dials. */
export function resourceSchemas(deployment: Deployment) {
  const writer = new SchemaWriter(deployment)
  return { links: writer.links, shown: new Map(resources.map(it => [it, writer.write(it)])) }
}
