import { operationAt } from '../service/recognise.ts'
import type { PageCall } from './page.ts'
import { serviceBase, userOf } from './service-address.ts'

/** Where a text leads that may be an address; undefined for what leads nowhere. */
export type Follow = (text: string) => string | undefined

/**
 * Leads from addresses in answers to pages of ours, at the address by which the browser came. What the service has behind an
 * address cannot be opened by a browser, which would ask for a password: its operation in the API reference is, with
 * everything filled in, so that somebody can ask with a click.
 * @param from the request whose answer it is: its user, and the host that it named
 */
export function followIn(
  call: PageCall,
  space: string,
  from: { readonly user: string; readonly host: string | undefined },
): Follow {
  const bases = [...new Set([call.base, call.cameBy, serviceBase(call, from.host)])]
  const user = userOf(call, space, from.user)?.split(':')[0]
  return text => {
    const base = bases.find(it => text.startsWith(`${it}/`))
    if (base === undefined) return undefined
    // Without the variables of a template.
    const target = text.slice(base.length).replaceAll(/\{[^{}]*\}/g, '')
    if (!URL.canParse(target, base)) return undefined
    if (target.startsWith('/_mock/')) return call.at(target.slice('/_mock'.length))
    const operation = operationAt('GET', target.split('?', 1)[0]!, call.tools.names.platformSegment)
    if (!operation) return undefined
    const asked = new URLSearchParams({ target, ...(user !== undefined && { user }) })
    return call.at(`/docs/${operation.id}?${asked}#try`)
  }
}
