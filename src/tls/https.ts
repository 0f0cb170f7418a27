import { constants } from 'node:crypto'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { type Duplex, duplexPair } from 'node:stream'
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls'
import { reason } from '../store/disk.ts'
import type { Files } from '../store/files.ts'
import type { MemoryBudget } from '../store/memory-budget.ts'
import { nextTurn } from '../store/turns.ts'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSelfSignedIssue,
  type Issue,
  inDays,
  openCertificateAuthority,
  readCertificate,
} from './certificates.ts'
import { boundHandshakes } from './handshakes.ts'

interface HttpsOptions {
  /** Where the certificate authority is kept. */
  readonly files: Files
  /** Files of the user's own with a certificate, which is shown for every name, and its private key. */
  readonly own: { readonly cert: string; readonly key: string } | undefined
  /** Names that clients may use besides those of this machine. */
  readonly hostNames: readonly string[]
  /** Whether the mock answers requests to this host name. */
  readonly isAllowed: (hostname: string) => boolean
  readonly memory: MemoryBudget
  readonly warn: (sentence: string) => void
}

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
  /**
   * Does handshakes with a fault: one of `faultyIssue`, `old-protocol`, `handshake-cut`, `handshake-silent` or
   * `cut-after-handshake`.
   * @param handshakeTimeout in milliseconds
   * @param receive called with connections whose handshake is done
   * @returns takes a connection whose first bytes can still be read from it
   */
  openFault(
    fault: string,
    handshakeTimeout: number,
    receive: (socket: TLSSocket) => void,
  ): Promise<(connection: Socket) => void>
}

/** Issues certificates that a client has to refuse; undefined for a fault of something else. */
async function faultyIssue(fault: string, { issue }: CertificateAuthority): Promise<Issue | undefined> {
  if (fault === 'unknown-issuer') return (await createCertificateAuthority()).issue
  if (fault === 'self-signed') return createSelfSignedIssue()
  const issues: Record<string, Issue> = {
    expired: ({ names }) => issue({ names, notBefore: inDays(-31), notAfter: inDays(-1) }),
    'not-yet-valid': ({ names }) => issue({ names, notBefore: inDays(1), notAfter: inDays(31) }),
    'wrong-name': () => issue({ names: ['another-host.invalid'] }),
  }
  return issues[fault]
}

/** OpenSSL refuses the digests of TLS 1.1 at its usual level of security. */
const oldProtocol = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const

/** Evidence of receipt is per connection. HTTP/2 carries many requests over one at the same time. */
const onlyProtocol = 'http/1.1'

/** Names that a certificate is made for. A client may ask for anything that OpenSSL takes. */
const hostForm = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/** Maximum number of names with a certificate of their own, since clients may ask for any. */
const maxNames = 200

/** Maximum number of names that wait for one: making it takes some milliseconds. */
const maxNewNames = 100

/** A certificate for each name that clients ask for, made when it is first asked for. The names that were unused for longest go. */
export class NameCertificates<Made = SecureContext> {
  readonly #make: (name: string) => Promise<Made>
  /** The latest last. */
  readonly #byName = new Map<string, Promise<Made>>()
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(make: (name: string) => Promise<Made>) {
    this.#make = make
  }

  /** @throws Error when too many new names wait already */
  for(name: string): Promise<Made> {
    const made = this.#byName.get(name) ?? this.#makeInTurn(name)
    this.#byName.delete(name)
    this.#byName.set(name, made)
    const [unused] = this.#byName.keys()
    if (this.#byName.size > maxNames) this.#byName.delete(unused!)
    return made
  }

  /** One after another, each in a turn of the event loop of its own. */
  #makeInTurn(name: string): Promise<Made> {
    if (this.#waiting >= maxNewNames)
      throw new Error(
        `clients ask for certificates of more than ${maxNewNames} new host names at a time; further handshakes are refused for now`,
      )
    this.#waiting++
    const made = this.#last
      .then(nextTurn)
      .then(() => this.#make(name))
      .finally(() => this.#waiting--)
    this.#last = made.catch(() => this.#byName.delete(name))
    return made
  }
}

/** OpenSSL knows most methods of HTTP; those that it does not know look like an unknown version to it. */
const plainRequestCodes = ['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER']

/** Prepares the certificates of a mock. @throws UserError for a certificate or an authority that cannot be used */
export async function openHttps(options: HttpsOptions): Promise<Https> {
  const { files, hostNames } = options
  const own = options.own && readCertificate(options.own.cert, options.own.key)
  const said = new Set<string>()
  function warn(sentence: string): void {
    if (!said.has(sentence)) options.warn(sentence)
    said.add(sentence)
  }
  const authority = await openCertificateAuthority(files)
  const usualNames = [...new Set([...localNames(), ...hostNames])]

  /** Shows one certificate for the usual names, and one for each other name that a client asks for and may use. */
  async function show(issue: Issue): Promise<TlsOptions> {
    const certificates = new NameCertificates(async name =>
      createSecureContext({ ...(await issue({ names: [name] })) }),
    )
    async function contextFor(name: string): Promise<SecureContext | undefined> {
      if (usualNames.includes(name)) return undefined
      if (!hostForm.test(name) || !options.isAllowed(name)) {
        warn(
          'a client asked for the certificate of a host that is not allowed; --allow-host names further hosts',
        )
        return undefined
      }
      try {
        return await certificates.for(name)
      } catch (error) {
        warn(reason(error))
        throw error
      }
    }
    return {
      ...(await issue({ names: usualNames })),
      SNICallback: (name, done) => {
        contextFor(name.toLowerCase()).then(context => done(null, context), done)
      },
    }
  }
  const showUsual = async () => own ?? show(authority.issue)
  const usual = await showUsual()

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
          ALPNCallback: ({ protocols }) => {
            if (protocols.includes(onlyProtocol)) return onlyProtocol
            warn('a client insists on another protocol than HTTP/1.1, such as HTTP/2; it was refused')
            return undefined
          },
        },
        answer,
      )
      boundHandshakes(server, options.memory)
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
    async openFault(fault, handshakeTimeout, receive) {
      const issue = await faultyIssue(fault, authority)
      const server = createTlsServer(
        {
          ...(issue ? await show(issue) : await showUsual()),
          ...(fault === 'old-protocol' && oldProtocol),
          ALPNProtocols: [onlyProtocol],
          handshakeTimeout,
        },
        receive,
      )
      boundHandshakes(server, options.memory)
      server.on('tlsClientError', (_, socket: TLSSocket) => socket.destroy())
      const accept = (connection: Duplex) => server.emit('connection', connection)
      if (fault === 'handshake-cut') return connection => answerInPart(connection, accept, true)
      if (fault === 'handshake-silent') return connection => answerInPart(connection, accept, false)
      return accept
    },
  }
}

/** Sends half of what a server says first. @param isCut whether the connection ends then */
function answerInPart(connection: Socket, accept: (server: Duplex) => void, isCut: boolean): void {
  const [client, server] = duplexPair()
  accept(server)
  client.once('data', (answer: Buffer) => {
    const half = answer.subarray(0, answer.length / 2)
    if (isCut) connection.end(half)
    else connection.write(half)
    client.destroy()
    server.destroy()
  })
  connection.on('data', bytes => client.writable && client.write(bytes))
  connection.on('end', () => connection.end()).resume()
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
