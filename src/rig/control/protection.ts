import { problems } from '../../service/problem.ts'
import type { ControlCall } from './route.ts'

type Seen = Pick<ControlCall, 'base' | 'cameBy' | 'header'>

/**
 * A change must come from a program or from our own pages. A page elsewhere can send a simple request here without
 * being asked, but not with this content type; and its browser says where it comes from.
 * @throws Problem 415 or 403
 */
export function refuseForeignChange(call: Seen): void {
  const mediaType = call.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json')
    throw problems.unsupportedControlType(mediaType === undefined ? 'missing' : `"${mediaType}"`)
  refuseForeignPage(call)
}

/**
 * A browser says which page a request comes from; only our own pages may change something or listen. They stand at the
 * address by which the request came, whose host is one of those that are allowed, or at the public URL.
 * @throws Problem 403
 */
export function refuseForeignPage({ base, cameBy, header }: Seen): void {
  const origin = header('origin')
  if (origin !== undefined && origin !== new URL(cameBy).origin && origin !== new URL(base).origin)
    throw problems.foreignOrigin(`Origin "${origin}"`)
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw problems.foreignOrigin(`Sec-Fetch-Site "${site}"`)
}
