import { isIP } from 'node:net'
import { operationIds, operations, pathsOf } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import { withoutLastDot } from './host-names.ts'

export interface AddressSettings {
  /** Base of all links in answers, independent of the request. Our own pages stay at the address that the browser used. */
  readonly publicUrl: string | undefined
  /** Base of the links to editor, previews and report, if they are on a host of their own. */
  readonly pagesUrl: string | undefined
  /** Host names beyond those that are always allowed. */
  readonly allowedHosts: readonly string[]
  /** Whether `X-Forwarded-*` headers are trusted. */
  readonly trustProxy: boolean
}

type Header = (name: string) => string | undefined

/** Two addresses of this server for one request, without a trailing slash. */
export interface BaseUrls {
  /** Prefix of links. */
  readonly base: string
  /** The address that the client itself uses: where a browser finds our pages, and their origin. */
  readonly cameBy: string
}

interface RequestOrigin {
  readonly host: string
  readonly proto: string
  /** Path prefix that a proxy adds. */
  readonly prefix: string
}

/** Maximum number of cached hosts. Limits the memory that a client can fill with invented names. */
const maxCachedHosts = 1_000

/**
 * The addresses under which clients see this server, and the check of host names against DNS rebinding. An attack by
 * rebinding needs a name that the attacker owns. So IP addresses, single-label names and the suffixes reserved for local
 * use are always allowed; other names only with `--allow-host`, `--public-url` or
 * `--pages-url`.
 */
export class Addressing {
  readonly #settings: AddressSettings
  readonly #public: URL | undefined
  readonly #pages: URL | undefined
  readonly #bases = new Map<string, BaseUrls>()

  constructor(settings: AddressSettings) {
    this.#settings = settings
    this.#public = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl)
    this.#pages = settings.pagesUrl === undefined ? undefined : new URL(settings.pagesUrl)
  }

  /**
   * The addresses for a request.
   * @param scheme of the connection
   * @param isOurs whether the request comes from this process, which may use any host name
   * @throws Problem 421 for a host that is not allowed
   */
  resolve(scheme: string, header: Header, urlHost: string, isOurs = false): BaseUrls {
    const host = header('host') ?? urlHost
    const isAny = isOurs && host === urlHost
    if (!this.#settings.trustProxy) {
      const key = scheme === 'http' ? host : `${scheme}://${host}`
      return this.#cached(key, { host, proto: scheme, prefix: '' }, host, isAny)
    }

    const forwarded = (name: string) => header(`x-forwarded-${name}`)?.split(',')[0]?.trim()
    const origin = {
      host: forwarded('host') ?? host,
      proto: forwarded('proto') ?? scheme,
      prefix: forwarded('prefix') ?? '',
    }
    const key = `${host} ${origin.proto} ${origin.host} ${origin.prefix}`
    return this.#cached(key, origin, host, isAny)
  }

  /**
   * The Host header is checked even behind a proxy, since a rebound page can forge forwarded headers.
   * @param isAny whether any host is allowed; the result is not cached, since that holds for this request only
   */
  #cached(key: string, origin: RequestOrigin, host: string, isAny: boolean): BaseUrls {
    const earlier = this.#bases.get(key)
    if (earlier !== undefined) return earlier
    const hostname = parseHostname(host)
    if (hostname !== undefined && isAny && !isAllowedHost(hostname, this.#settings))
      return this.#build(origin)
    if (hostname === undefined || !isAllowedHost(hostname, this.#settings)) {
      const excerpt = host.length > 100 ? `${host.slice(0, 97)}…` : host
      throw problems.misdirected(
        `Host "${excerpt}" is not allowed; possible: IP addresses, names without a dot, *.localhost, *.local, *.internal, and what --allow-host, --public-url or --pages-url names`,
      )
    }
    const bases = this.#build(origin)
    if (this.#bases.size >= maxCachedHosts) this.#bases.clear()
    this.#bases.set(key, bases)
    return bases
  }

  #build(origin: RequestOrigin): BaseUrls {
    const { publicUrl, pagesUrl } = this.#settings
    if (pagesUrl !== undefined && origin.prefix === '' && isHostOf(origin.host, this.#pages))
      return { base: publicUrl ?? formatBase(origin), cameBy: pagesUrl }
    if (publicUrl === undefined) {
      const wrong = findForwardedProblem(origin)
      if (wrong !== undefined) throw problems.misdirected(wrong)
      return { base: formatBase(origin), cameBy: formatBase(origin) }
    }
    return { base: publicUrl, cameBy: this.#cameByPublicUrl(origin) ? publicUrl : formatBase(origin) }
  }

  /**
   * A proxy that keeps the public name in a request does not have to say which path prefix it removed. With a public URL,
   * no forwarded header can turn a name that is not allowed into an origin of ours.
   */
  #cameByPublicUrl(origin: RequestOrigin): boolean {
    const hostname = parseHostname(origin.host)
    if (
      hostname === undefined ||
      findForwardedProblem(origin) !== undefined ||
      !isAllowedHost(hostname, this.#settings)
    )
      return true
    return origin.prefix === '' && isHostOf(origin.host, this.#public)
  }
}

/** Whether a mock with these settings answers requests to this host, without its port and in lower case. */
export function isAllowedHost(name: string, settings: AddressSettings): boolean {
  const hostname = withoutLastDot(name)
  if (hostname.startsWith('[') || isIP(hostname)) return true
  if (!hostname.includes('.') || /\.(?:localhost|local|internal)$/.test(hostname)) return true
  return [...settings.allowedHosts, ...ownHostNames(settings)].includes(hostname)
}

/** The host names in addresses of the mock's own, without a port. */
export const ownHostNames = ({ publicUrl, pagesUrl }: AddressSettings): string[] =>
  [publicUrl, pagesUrl].filter(it => it !== undefined).map(it => withoutLastDot(new URL(it).hostname))

/**
 * The paths of addresses of the mock's own. Not one that begins like a path of the mock itself: below it nobody could tell
 * whether a proxy has removed it.
 */
export const ownBasePaths = ({ publicUrl, pagesUrl }: AddressSettings, platformSegment: string): string[] => {
  const own = [
    '_mock',
    ...operationIds.flatMap(id => pathsOf(operations[id], platformSegment)).map(firstSegment),
  ]
  return [publicUrl, pagesUrl]
    .filter(it => it !== undefined)
    .map(it => new URL(it).pathname.replace(/\/$/, ''))
    .filter(path => path !== '' && !own.includes(firstSegment(path)))
}

const firstSegment = (path: string) => path.split('/')[1]!

/** The target of a request without the base path that it begins with, if any. */
export function withoutBasePath(target: string, basePaths: readonly string[]): string {
  for (const base of basePaths) {
    const rest = target.startsWith(base) ? target.slice(base.length) : ' '
    if (rest === '' || rest[0] === '?') return `/${rest}`
    if (rest[0] === '/') return rest
  }
  return target
}

/** What is wrong with the forwarded headers of a trusted proxy; undefined when they are fine. */
function findForwardedProblem({ host, proto, prefix }: RequestOrigin): string | undefined {
  if (parseHostname(host) === undefined) return 'X-Forwarded-Host is not a host'
  if (proto !== 'http' && proto !== 'https') return 'X-Forwarded-Proto is neither http nor https'
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(prefix)) return 'X-Forwarded-Prefix is not a path'
  return undefined
}

/** Whether a Host header names the host of an address. */
const isHostOf = (host: string, url: URL | undefined): boolean =>
  url !== undefined && host.toLowerCase().replace(/\.(?=:|$)/, '') === url.host.replace(/\.(?=:|$)/, '')

const formatBase = ({ host, proto, prefix }: RequestOrigin) =>
  `${proto}://${host.toLowerCase()}${prefix.replace(/\/$/, '')}`

/** The host name in a Host header, in lower case; undefined when the header is not valid. */
function parseHostname(host: string): string | undefined {
  const [, name, port] = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65535) return undefined
  if (name.startsWith('.') || name.includes('..')) return undefined
  return name.toLowerCase()
}
