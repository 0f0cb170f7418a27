import type { Duplex } from 'node:stream'

/**
 * The connection below TLS, or the socket itself. Node has no public name for it. A reset has to happen there, since a TLS socket
 * refuses it.
 */
export const rawSocketOf = <Connection extends Duplex>(socket: Connection): Connection =>
  (socket as { readonly _parent?: Connection | null })._parent ?? socket
