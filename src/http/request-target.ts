import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'

/**
 * Brings a request into the form that the app reads: a path, and the host beside it. An absolute target is read by RFC 9112
 * 3.2.2: its authority counts in place of the Host header, and is checked as that is. HTTP/1.0 needs no Host: then it is the
 * address of the connection.
 * @returns what is wrong; undefined when it is fine
 */
export function readTarget(incoming: IncomingMessage): string | undefined {
  const { url = '', headers, httpVersion } = incoming
  if (headers.host === undefined && httpVersion !== '1.0')
    return 'The request has no Host header, which HTTP/1.1 requires'
  if (url[0] !== '/') {
    const wrong = readAbsolute(incoming, url)
    if (wrong !== undefined) return wrong
  }
  headers.host ??= addressOf(incoming.socket)
  // A URL parser drops the fragment and would see a different path than a text comparison.
  return url.includes('#') ? 'The request target has a fragment (#)' : undefined
}

function readAbsolute(incoming: IncomingMessage, url: string): string | undefined {
  const [, scheme = '', authority, rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/is.exec(url) ?? []
  if (authority === undefined) return 'The request target is not a path'
  const ownScheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  if (scheme.toLowerCase() !== ownScheme)
    return `The request target begins with ${scheme.toLowerCase()}://, but this port speaks ${ownScheme.toUpperCase()}`
  if (authority.includes('@'))
    return 'The request target names a user: credentials belong into the Authorization header'
  if (incoming.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1)
    return 'The request has more than one Host header'
  incoming.url = rest[0] === '/' ? rest : `/${rest}`
  incoming.headers.host = authority
  return undefined
}

/** The own address of a connection, as in a URL. */
function addressOf({ localAddress = '127.0.0.1', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`
}
