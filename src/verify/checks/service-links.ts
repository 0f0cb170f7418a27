import type { Exchange } from '../exchange.ts'
import { bare, isObject, linksOf } from '../hal.ts'
import type { World } from '../world.ts'

/** A link to the service itself. */
export interface ServiceLink {
  readonly relation: string
  readonly href: string
  /** Behind the base, with its query. */
  readonly path: string
  /** What stands before the path, undefined where the link is none but a path. */
  readonly base: string | undefined
  readonly from: Exchange
}

/** Relations that lead to the service; the others open pages for a person, or documentation. */
const relations = new Set([
  'self',
  'next',
  'sendings',
  'mailing-uploads',
  'statistics',
  'upcoming-modifications',
])
/** Relations that open a page in a browser. */
export const pageRelations = [
  'mailing-editor',
  'mailing-preview-draft',
  'mailing-preview-approved',
  'report',
] as const

/** All links to the service, in resources and their items. */
export const serviceLinks = (world: World): ServiceLink[] =>
  world.sightings.documents.flatMap(from =>
    linked(from.json).flatMap(([relation, href]) =>
      relations.has(bare(relation)) ? [split(world, relation, href, from)] : [],
    ),
  )

/** Every link of a document and of what it embeds, as relation and address. */
export function linked(json: unknown): [string, string][] {
  if (Array.isArray(json)) return json.flatMap(linked)
  if (!isObject(json)) return []
  const own = Object.entries(linksOf(json)).flatMap(([relation, link]): [string, string][] =>
    isObject(link) && typeof link.href === 'string' ? [[relation, link.href]] : [],
  )
  const { _embedded } = json
  return [...own, ...(isObject(_embedded) ? Object.values(_embedded).flatMap(linked) : [])]
}

/** The clause that tells of a path that is none of the document; undefined for one of the document. */
export function tellerOf(path: string, segment: string): OddPath | undefined {
  const [first, its, collection, ...others] = (path.split(/[?{]/)[0] ?? '').split('/').slice(1)
  if ([first, its, collection, ...others].some(part => /^v\d+$/.test(part ?? ''))) return '9'
  if (first === 'mailings') return collection === undefined ? undefined : 'S addressing'
  if (first !== 'integrations') return 'S addressing'
  if (its !== segment) return '2 path segment'
  return collections.has(collection ?? '') ? undefined : 'S addressing'
}

export type OddPath = '9' | 'S addressing' | '2 path segment'

const collections = new Set(['mailing-synchronizations', 'mailing-sychronizations', 'accessible-customers'])

function split(world: World, relation: string, href: string, from: Exchange): ServiceLink {
  const { base } = world.target
  if (href.startsWith('/')) {
    const { pathname } = new URL(base)
    const path = pathname !== '/' && href.startsWith(`${pathname}/`) ? href.slice(pathname.length) : href
    return { relation, href, path, base: undefined, from }
  }
  if (href.startsWith(`${base}/`)) return { relation, href, path: href.slice(base.length), base, from }
  const at = href.search(/\/(?:integrations|mailings)(?:[/?{]|$)/)
  return at < 0
    ? { relation, href, path: href, base: href, from }
    : { relation, href, path: href.slice(at), base: href.slice(0, at), from }
}
