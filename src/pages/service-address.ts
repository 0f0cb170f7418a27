import { knownServiceBase } from '../rig/control/service-base.ts'
import { shownPassword } from '../store/passwords.ts'
import { homeOf } from '../store/space-names.ts'
import type { PageCall } from './page.ts'

/** Of a service that listens nowhere yet: the one that it has unless told. */
const usualPort = 4025

/**
 * Where the service is answered, for a line to copy, without a slash at the end. On a control port of its own that is
 * the public URL, or the port of the service on the host by which the browser came.
 * @param host as a client of the service named it, if there was one
 */
export function serviceBase(call: PageCall, host?: string): string {
  const { isAlone, service } = call.tools
  if (host !== undefined && isAlone && service.publicUrl === undefined) return `http://${host}`
  return knownServiceBase(call) ?? `http://${new URL(call.cameBy).hostname}:${usualPort}`
}

/** What a user signs in as: a private copy adds its own part to the name. */
export const userIn = (space: string, name: string): string => name + space.slice(homeOf(space).length)

/**
 * A user's name and password for a space, as a fixture has them; of a password that is not shown the name alone, so that
 * curl asks for it. A private copy adds its own part to the name.
 * @param name without what a copy adds; unless given, that of the first user who may write
 */
export function userOf(call: PageCall, space: string, name?: string): string | undefined {
  const users = call.tools.spaces.beginning(space)?.users ?? []
  const user =
    name === undefined
      ? (users.find(({ rights }) => rights.includes('write')) ?? users[0])
      : users.find(it => it.name === name)
  if (!user) return undefined
  const password = shownPassword(user.password)
  const inSpace = userIn(space, user.name)
  return password === undefined ? inSpace : `${inSpace}:${password}`
}
