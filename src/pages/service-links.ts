import { findServiceBase } from '../control/openapi.ts'
import { recogniseOperation } from '../service/operations.ts'
import { halType } from '../service/response.ts'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import { documentedPassword, homeOf } from '../store/tenant-directory.ts'
import { curl } from './curl.ts'
import type { PageCall } from './page-call.ts'

/**
 * Base address of the service for a line to copy, without a trailing slash. With a control port: the public URL, or the
 * service's port on the host that the browser used.
 * @param host as a client of the service named it, if known
 */
export function serviceBase(call: PageCall, host?: string): string {
  const { isAlone, service } = call.tools
  if (host !== undefined && isAlone && service.publicUrl === undefined)
    return `${new URL(service.url() ?? 'http://unknown').protocol}//${host}`
  // The default port, for a service that does not listen yet.
  return findServiceBase(call) ?? `http://${new URL(call.cameBy).hostname}:4025`
}

/** Whether a program has to be told to trust the service's certificate. */
export const isUntrusted = (call: PageCall): boolean =>
  call.tools.authority !== undefined && serviceBase(call).startsWith('https:')

/** The user's name for signing in: a private space appends its suffix. */
export const userNameIn = (space: string, name: string): string => name + space.slice(homeOf(space).length)

/**
 * `name:password` of a user in a space. Only the name if the password is not a documented one: then curl asks for it.
 * @param name without a private space's suffix; by default that of the first user with write access
 */
export function credentialsOf(call: PageCall, space: string, name?: string): string | undefined {
  const users = listUsers(call, space)
  const user = name === undefined ? users[0] : users.find(it => it.name === userNameIn(space, name))
  return user && (user.password === undefined ? user.name : `${user.name}:${user.password}`)
}

/** An open space, or one that can be opened. */
interface SpaceToTry {
  readonly name: string
  readonly data: { readonly tables: Pick<Tables, 'synchronizations' | 'mailings'> }
}

/** A curl line for the first request in a space: it creates a sending, or lists the mailings when none is approved. */
export function firstRequestLine(call: PageCall, space: SpaceToTry, transactionId = 'first-try') {
  const base = serviceBase(call)
  const client = { user: credentialsOf(call, space.name), isUntrusted: isUntrusted(call) }
  const id = readySynchronization(space)
  if (id === undefined) return curl({ ...client, method: 'GET', url: `${base}/mailings` })
  return curl({
    ...client,
    method: 'POST',
    url: `${base}/integrations/${call.tools.names.platformSegment}/mailing-synchronizations/${id}/sendings`,
    headers: [['Content-Type', halType.split(';')[0]!]],
    body: JSON.stringify({ transactionId }),
  })
}

/** The first synchronization that is ready for sending. */
export function readySynchronization({ data }: Pick<SpaceToTry, 'data'>): string | undefined {
  const { synchronizations, mailings } = data.tables
  for (const { id, mailingId, removedAt } of synchronizations.rows())
    if (removedAt === undefined && unlessRemoved(mailings.get(mailingId))?.approved) return id
  return undefined
}

/** Resolves a text that may be an address to a link; undefined when there is none. */
export type ResolveLink = (text: string) => string | undefined

/**
 * Links from addresses in responses to pages of the mock, at the address that the browser used. A browser cannot open a
 * resource of the service, because it would ask for a password. The link leads to the operation's page in the API
 * reference, with the form filled in.
 * @param from the request with that response: its user and its Host header
 */
export function createLinkResolver(
  call: PageCall,
  space: string,
  from: { readonly user: string; readonly host: string | undefined },
): ResolveLink {
  const { pagesUrl } = call.tools.service
  const bases = [
    ...new Set([call.base, call.cameBy, serviceBase(call, from.host), ...(pagesUrl ? [pagesUrl] : [])]),
  ]
  const user = credentialsOf(call, space, from.user)?.split(':')[0]
  return text => {
    const base = bases.find(it => text.startsWith(`${it}/`))
    if (base === undefined) return undefined
    // Without the variables of a URI template.
    const target = text.slice(base.length).replaceAll(/\{[^{}]*\}/g, '')
    if (!URL.canParse(target, base)) return undefined
    // A template of the mock's own names no page.
    if (target.startsWith('/_mock/'))
      return text.includes('{') ? undefined : call.at(target.slice('/_mock'.length))
    const operation = recogniseOperation('GET', target, call.tools.names.platformSegment)
    if (!operation) return undefined
    const asked = new URLSearchParams({ target, ...(user !== undefined && { user }) })
    return call.at(`/docs/${operation.id}?${asked}#try`)
  }
}

/** The users of a space, those with write access first; each with its password, if it is a documented one. */
export const listUsers = ({ tools }: PageCall, space: string) =>
  (tools.spaces.directory.contentOf(space)?.users ?? [])
    .map(({ name, rights, password }) => ({
      name: userNameIn(space, name),
      rights,
      password: documentedPassword(password),
    }))
    .sort((one, other) => +other.rights.includes('write') - +one.rights.includes('write'))
