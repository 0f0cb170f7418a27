import { constants } from 'node:crypto'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:https'
import { hostname, networkInterfaces } from 'node:os'
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import type { Files } from '../store/files.ts'
import { getOrMake } from '../store/maps.ts'
import { type CertificateAuthority, openCertificateAuthority, readCertificate } from './certificates.ts'

interface HttpsOptions {
  /** Where the certificate authority is kept. */
  readonly files: Files
  /** Files of the user's own with a certificate, which is shown for every name, and its private key. */
  readonly own: { readonly cert: string; readonly key: string } | undefined
  /** Names that clients may use besides those of this machine. */
  readonly hostNames: readonly string[]
  /** Whether the mock answers requests to this host name. */
  readonly isAllowed: (hostname: string) => boolean
  readonly warn: (sentence: string) => void
}

/** What a mock serves HTTPS with. */
export interface Https {
  readonly authority: CertificateAuthority
  /** What clients have to trust, PEM: the certificate of the authority, unless the user has given a certificate. */
  readonly ca: string | undefined
  /**
   * A server as `node:http` makes it, over TLS.
   * @param onPlainRequest called with a connection over which a client sends HTTP without TLS; the TCP connection below
   * it can still be written to
   */
  createServer(
    options: ServerOptions,
    answer: RequestListener,
    onPlainRequest: (connection: TLSSocket) => void,
  ): Server
}

/** Evidence of receipt is per connection. HTTP/2 carries many requests over one at the same time. */
const onlyProtocol = 'http/1.1'

/** Maximum number of names with a certificate of their own, since clients may ask for any. */
const maxNames = 200

/** OpenSSL knows most methods of HTTP; those that it does not know look like an unknown version to it. */
const plainRequestCodes = ['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER']

/**
 * Prepares the certificates of a mock.
 * @throws UserError when the user's own certificate or the authority that is kept cannot be used
 */
export async function openHttps(options: HttpsOptions): Promise<Https> {
  const { files, hostNames } = options
  const own = options.own && readCertificate(options.own.cert, options.own.key)
  const warn = oncePerSentence(options.warn)
  const authority = await openCertificateAuthority(files)
  const usualNames = [...new Set([...localNames(), ...hostNames])]
  const usual = own ?? (await authority.issue({ names: usualNames }))
  const contexts = new Map<string, Promise<SecureContext>>()
  const issueFor = async (name: string) => createSecureContext(await authority.issue({ names: [name] }))

  /** The context for a name that a client asks for; without one, the usual certificate is shown. */
  async function contextFor(name: string): Promise<SecureContext | undefined> {
    if (own || usualNames.includes(name)) return undefined
    if (!options.isAllowed(name)) {
      warn(
        'a client asked for the certificate of a host that is not allowed; --allow-host names further hosts',
      )
      return undefined
    }
    if (contexts.size >= maxNames) contexts.clear()
    return getOrMake(contexts, name, issueFor)
  }

  return {
    authority,
    ca: own ? undefined : authority.cert,
    createServer(serverOptions, answer, onPlainRequest) {
      const server = createServer(
        {
          ...serverOptions,
          ...usual,
          minVersion: 'TLSv1.2',
          secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
          handshakeTimeout: serverOptions.headersTimeout!,
          SNICallback: (name, done) => {
            contextFor(name.toLowerCase()).then(context => done(null, context), done)
          },
          ALPNCallback: ({ protocols }) => {
            if (protocols.includes(onlyProtocol)) return onlyProtocol
            warn('a client insists on another protocol than HTTP/1.1, such as HTTP/2; it was refused')
            return undefined
          },
        },
        answer,
      )
      // Node would answer failed handshakes with HTTP.
      server.removeAllListeners('tlsClientError')
      server.on('tlsClientError', ({ code = '' }: NodeJS.ErrnoException, socket: TLSSocket) => {
        if (plainRequestCodes.includes(code)) return onPlainRequest(socket)
        if (/ALERT_(?:UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)$/.test(code))
          warn('a client does not trust the certificate; GET /_mock/ca.pem has what it has to trust')
        socket.destroy()
      })
      return server
    },
  }
}

/** Names of this machine, as far as it knows them. Clients that use an IP address do not say which. */
function localNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(them => them ?? [])
  const own = hostname().toLowerCase()
  return [
    'localhost',
    ...(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(own) ? [own] : []),
    ...['127.0.0.1', '::1', ...addresses.map(({ address }) => address)],
  ]
}

function oncePerSentence(warn: (sentence: string) => void): (sentence: string) => void {
  const said = new Set<string>()
  return sentence => {
    if (said.has(sentence)) return
    said.add(sentence)
    warn(sentence)
  }
}
