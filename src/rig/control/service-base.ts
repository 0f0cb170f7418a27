import type { Incoming } from './route.ts'

/**
 * Where the service is answered, without a slash at the end. On a control port of its own that is the public URL, or the
 * port of the service on the host by which the call came; undefined there while the service listens nowhere.
 */
export function knownServiceBase({ base, cameBy, tools }: Incoming): string | undefined {
  const { isAlone, service } = tools
  if (!isAlone || service.publicUrl !== undefined) return base
  const port = service.port()
  return port === undefined ? undefined : new URL(`http://${new URL(cameBy).hostname}:${port}`).origin
}
