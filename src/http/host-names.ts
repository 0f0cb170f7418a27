/** A complete name may end with a dot (RFC 1034 3.1), which saves look-ups in clusters: it is the same name. */
export const withoutLastDot = (hostname: string): string => hostname.replace(/\.$/, '')

/** The address to listen on first for a host. `localhost` stands for both loopback addresses, in whatever order it resolves. */
export const listenAddress = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host)
