import { homeOf } from '../store/space-names.ts'
import type { PageCall } from './page.ts'

/** Stands for the service's address on a control port of its own, which does not know it. */
const elsewhere = 'http://localhost:4025'

/**
 * Where the service is answered, for a line to copy, without a slash at the end.
 * @param host as a request named it, if there was one
 */
export function serviceBase(call: PageCall, host?: string): string {
  if (!call.tools.isAlone) return call.base
  return host === undefined ? elsewhere : `http://${host}`
}

/**
 * A user's name and password for a space, as a fixture has them. A private copy adds its own part to the name.
 * @param name without what a copy adds; unless given, that of the first user who may write
 */
export function userOf(call: PageCall, space: string, name?: string): string | undefined {
  const users = call.tools.spaces.beginning(space)?.users ?? []
  const user =
    name === undefined
      ? (users.find(({ rights }) => rights.includes('write')) ?? users[0])
      : users.find(it => it.name === name)
  return user && `${user.name}${space.slice(homeOf(space).length)}:${user.password}`
}
