import { z } from 'zod'
import { members } from '../../rig/control/shapes.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { problems } from '../../service/problem.ts'
import type { Mailing } from '../../store/rows.ts'
import { readerForm } from './editor-profiles.tsx'

/** Which of its versions a page shows. */
export type VersionKind = 'draft' | 'approved'

/** The page of a mailing and those of its versions may name who their previews are for. */
const reader = z
  .string()
  .regex(readerForm, 'expected the ID of a list and that of its test profile, such as 1001-7001')
  .optional()

export const previewQuery = members({ for: reader })

/** The address of a frame changes with its content, so that it loads anew then; that part says nothing more. */
export const frameQuery = members({ for: reader, content: z.string().optional() })

/** @throws Problem 404 */
export function mailingAt({ space }: SpaceRig, id: string): Mailing {
  const mailing = space.data.tables.mailings.get(id)
  if (mailing) return mailing
  throw problems.notFound(
    `mailing ${JSON.stringify(id.slice(0, 60))} in space "${space.name}"; a reset may have taken it back`,
  )
}

/** The version that an address below a mailing names: `/draft`, `/approved/html`. */
export const versionKind = ({ request }: { readonly request: Request }): VersionKind =>
  /\/draft(?:\/html)?\/?$/.test(new URL(request.url).pathname) ? 'draft' : 'approved'
