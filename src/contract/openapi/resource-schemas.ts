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

/** The schemas of links, by their names in the OpenAPI document. */
export const linkComponents = {
  Link: 'link',
  PageLink: 'page',
  TemplatedLink: 'template',
  Curies: 'curies',
} as const

/** The schema of each form and collection of this deployment. Objects are open: a client must accept unknown members. */
export function resourceSchemas(deployment: Deployment) {
  const { names, dials } = deployment
  const all = linkSchemas(deployment)
  const { link, curies } = all
  const rel = (name: string) => `${names.relationPrefix}:${name}`
  const formSchema = ({ members, links, hasCuries }: AnyForm): z.ZodType => {
    const own = schemasFor(members, dials)
    if (!links) return z.object(own)
    const rels = Object.entries(links).map(([name, { kind, isPrefixed, isOptional }]) => {
      const schema = all[kind]
      return [isPrefixed ? rel(name) : name, isOptional?.(dials) ? schema.optional() : schema]
    })
    const hasAny = hasCuries === true || dials.curies === 'everywhere' || dials.curies === hasCuries
    return z.object({ ...own, _links: z.object({ ...Object.fromEntries(rels), ...(hasAny && { curies }) }) })
  }
  const collectionSchema = ({ relation, item, links = {} }: Collection): z.ZodType => {
    const entries = z.object({ [rel(relation)]: z.array(write(item)) })
    const whenEmpty = dials['empty-collection']
    const embedded = whenEmpty === 'empty-embedded' ? entries.partial() : entries
    const others = Object.keys(links).map(name => [rel(name), link.optional()])
    return z.object({
      _embedded: whenEmpty === 'no-embedded' ? embedded.optional() : embedded,
      _links: z.object({ self: link, next: link.optional(), ...Object.fromEntries(others), curies }),
    })
  }
  /** Each once, so that a collection can refer to the schema of its items. */
  const shown = new Map<AnyForm | Collection, z.ZodType>()
  const write = (it: AnyForm | Collection): z.ZodType =>
    getOrMake(shown, it, () => (isCollection(it) ? collectionSchema(it) : formSchema(it)))
  return { links: all, shown: new Map(resources.map(it => [it, write(it)])) }
}
