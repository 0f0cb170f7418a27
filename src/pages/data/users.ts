import { shownPassword } from '../../store/passwords.ts'
import { homeOf } from '../../store/space-names.ts'
import type { PageCall } from '../page.ts'

/** Somebody who can log in to a space. */
export interface SpaceUser {
  readonly name: string
  readonly rights: readonly string[]
  /** Undefined where it is not one that our documentation gives away anyway. */
  readonly password: string | undefined
}

/** The users of a space, those who may write first; in a private copy with what leads there. */
export function usersOf(call: PageCall, space: string): SpaceUser[] {
  const ofCopy = space.slice(homeOf(space).length)
  const users = (call.tools.spaces.beginning(space)?.users ?? []).map(({ name, rights, password }) => ({
    name: name + ofCopy,
    rights,
    password: shownPassword(password),
  }))
  const mayWrite = (user: SpaceUser) => user.rights.includes('write')
  return [...users.filter(mayWrite), ...users.filter(it => !mayWrite(it))]
}
