import { type Exchange, isSuccess } from '../exchange.ts'
import { hrefOf, isObject, member } from '../hal.ts'
import type { World } from '../world.ts'
import { type OddPath, type ServiceLink, serviceLinks, tellerOf } from './service-links.ts'

/** An answer whose own self link does not lead back to it. */
export interface Misled {
  readonly href: string
  /** Where it should lead, as a path behind the base. */
  readonly back: string
  readonly from: Exchange
  /** What stands there instead, where that was asked. */
  readonly there?: Exchange
}

/** A target all of whose paths are of its own making is not asked for each of them again. */
const mostFollowed = 20

/**
 * Answers whose own self link leads elsewhere. Its path tells, without another request: only a path that is none of the
 * document is followed, since it may lead back all the same. Of those that do, other clauses tell.
 */
export async function misled(world: World): Promise<readonly Misled[]> {
  const found: Misled[] = []
  let followed = 0
  for (const from of world.sightings.documents) {
    const href = hrefOf(from.json, 'self')
    const back = pathOf(world, from.url)
    if (href === undefined || isWayBack(pathOf(world, href), back, from)) continue
    if (tellerOf(pathOf(world, href), world.segment) === undefined) found.push({ href, back, from })
    else if (followed++ < mostFollowed) {
      const there = await world.get(withoutVariables(href))
      if (!isAlike(there, from)) found.push({ href, back, from, there })
    }
  }
  return found
}

/** Links to paths that a clause tells of, but for self links that do not lead back: of those `2 self` tells. */
export async function oddLinks(
  world: World,
  clause: OddPath,
): Promise<{ readonly first: ServiceLink | undefined; readonly isToldAsSelf: boolean }> {
  const odd = serviceLinks(world).filter(it => tellerOf(it.path, world.segment) === clause)
  const lost = new Set((await misled(world)).map(({ href }) => href))
  const others = odd.filter(it => it.relation !== 'self' || !lost.has(it.href))
  return { first: others[0], isToldAsSelf: odd.length > 0 && others.length === 0 }
}

/** The path behind the base that a link means, without query and variables, and in the right one of both spellings of 4.8. */
export function pathOf(world: World, address: string): string {
  const url = world.target.resolve(address.split(/[?{#]/)[0]!)
  const path = URL.canParse(url) ? new URL(url).pathname : url
  const before = new URL(world.target.base).pathname.replace(/\/$/, '')
  const behind = path.startsWith(`${before}/`) ? path.slice(before.length) : path
  return decoded(behind).replace('/mailing-sychronizations/', '/mailing-synchronizations/')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What was created stands below the address that it was sent to, and `latest` is another name for an upload. */
function isWayBack(path: string, back: string, { method }: Exchange): boolean {
  const [, uploads] = /^(.*\/mailing-uploads)\/latest$/.exec(back) ?? []
  const parent = method === 'POST' ? back : uploads
  if (parent === undefined) return path === back
  return path.startsWith(`${parent}/`) && !path.slice(parent.length + 1).includes('/')
}

const withoutVariables = (href: string): string => href.replace(/\{.*\}/, '')

/** Whether two answers show one resource, as far as its name and its members tell. */
function isAlike(one: Exchange, other: Exchange): boolean {
  if (!isSuccess(one) || !isObject(one.json) || !isObject(other.json)) return false
  const tells = ({ json }: Exchange) =>
    JSON.stringify([
      member(json, 'id'),
      member(json, 'name'),
      Object.keys(json as object).toSorted(),
      Object.keys((member(json, '_embedded') ?? {}) as object),
    ])
  return tells(one) === tells(other)
}
