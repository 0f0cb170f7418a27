import { matchesGlob } from '../../rig/conditions.ts'
import { nearest } from '../../rig/nearby.ts'
import { type ExamCase, isSlow, slowTags } from './exam-case.ts'

/** Which cases are wanted. */
export interface Choice {
  /** Names, in which `*` stands for any characters and `?` for one. */
  readonly only?: readonly string[] | undefined
  /** A case needs one of them. */
  readonly tags?: readonly string[] | undefined
  /** Also those in which a client has to wait for minutes; names and slow tags bring them in as well. */
  readonly slow?: boolean | undefined
}

/** A choice that names what there is not. The message says what there is. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError'
}

/** Where whoever has no mock at hand sees what there is. */
const listed = 'mailing-sync-mock exam --list --slow shows all that there are'

/**
 * @param where tells where all cases can be seen
 * @throws ChoiceError for a name or tag that fits no case: an exam of nothing would always be passed
 */
export function chosen(cases: readonly ExamCase[], choice: Choice, where: string = listed): ExamCase[] {
  const { only, tags, slow = false } = choice
  for (const glob of only ?? [])
    if (!cases.some(({ name }) => matchesGlob(glob, name)))
      throw new ChoiceError(
        `no case has the name "${shown(glob)}"; ${meant(
          glob,
          cases.map(({ name }) => name),
        )}${where}`,
      )
  const known = new Set(cases.flatMap(it => it.tags))
  for (const tag of tags ?? [])
    if (!known.has(tag))
      throw new ChoiceError(`no case has the tag "${shown(tag)}"; there are ${[...known].sort().join(', ')}`)
  const withSlow = slow || only !== undefined || (tags ?? []).some(tag => slowTags.includes(tag))
  const found = cases.filter(
    it =>
      (withSlow || !isSlow(it)) &&
      (only === undefined || only.some(glob => matchesGlob(glob, it.name))) &&
      (tags === undefined || tags.some(tag => it.tags.includes(tag))),
  )
  if (found.length === 0) throw new ChoiceError(`no case fits all that was asked for; ${where}`)
  return found
}

const shown = (text: string) => (text.length > 80 ? `${text.slice(0, 77)}...` : text)

function meant(given: string, names: readonly string[]): string {
  const near = nearest(given, names)
  return near === undefined ? '' : `did you mean "${near}"? `
}
