import type { EntryView } from '../../rig/entry-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { curl } from '../curl.ts'
import type { PageCall } from '../page.ts'
import { serviceBase, userOf } from '../service-address.ts'

/** Headers that curl makes itself, or that were about that one connection or client. */
const own =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|authorization|keep-alive|expect|te|upgrade|priority|forwarded|via|x-forwarded-.*|sec-.*|origin|referer|cookie)$/

/** The request as a line that makes it again; undefined where its body is not at hand as text. */
export function curlOf(call: PageCall, rig: SpaceRig, view: EntryView): string | undefined {
  const { method, target, headers, user, body } = view
  if (body && (body.isCut || body.encoding !== 'utf8')) return undefined
  const { host } = headers
  return curl({
    method,
    url: serviceBase(call, typeof host === 'string' ? host : undefined) + target,
    user: userOf(call, rig.space.name, user) ?? user,
    headers: Object.entries(headers)
      .filter(([name]) => !own.test(name.toLowerCase()))
      .flatMap(([name, value]) => [value].flat().map(one => [name, one] as const))
      .filter(([, value]) => !value.includes('(hidden)')),
    body: body?.text,
  })
}
