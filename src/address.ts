import { isIP } from 'node:net'
import { type Problem, problems } from './service/problem.ts'

export interface AddressSettings {
  /** Base of all links, whatever the request says. Our own pages stay at the address by which a browser came. */
  readonly publicUrl: string | undefined
  /** Host names beyond those that are always allowed. */
  readonly allowedHosts: readonly string[]
  /** Whether `X-Forwarded-*` headers are believed. */
  readonly trustProxy: boolean
}

type Header = (name: string) => string | undefined

/** Two addresses of this server for one request, without a slash at the end. */
export interface Bases {
  /** What links start with. */
  readonly base: string
  /** What the client itself has in front of the path: where a browser finds our pages, and what it calls their origin. */
  readonly cameBy: string
}

interface Seen {
  readonly host: string
  readonly proto: string
  /** Path that a proxy puts before ours. */
  readonly prefix: string
}

/** So many hosts are remembered with their base; a client that makes up names cannot fill the memory. */
const rememberedHosts = 1_000

/**
 * From where a client sees this server. A browser page that an attacker had resolve to this machine (DNS rebinding) needs
 * a name that the attacker owns, so IP addresses, single-label names and the suffixes reserved for local use are allowed,
 * and other names only when they are given with `--allow-host` or `--public-url`.
 */
export class Addressing {
  readonly #settings: AddressSettings
  readonly #public: URL | undefined
  readonly #bases = new Map<string, Bases>()

  constructor(settings: AddressSettings) {
    this.#settings = settings
    this.#public = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl)
  }

  /**
   * The addresses for a request.
   * @param scheme how the request came in
   * @param isOurs whether it came from this process, which may call the mock by any name
   * @throws Problem 421 for a host that is not allowed
   */
  bases(scheme: string, header: Header, urlHost: string, isOurs = false): Bases {
    const host = header('host') ?? urlHost
    const isAny = isOurs && host === urlHost
    if (!this.#settings.trustProxy) {
      const key = scheme === 'http' ? host : `${scheme}://${host}`
      return this.#remember(key, { host, proto: scheme, prefix: '' }, host, isAny)
    }

    const forwarded = (name: string) => header(`x-forwarded-${name}`)?.split(',')[0]?.trim()
    const seen = {
      host: forwarded('host') ?? host,
      proto: forwarded('proto') ?? scheme,
      prefix: forwarded('prefix') ?? '',
    }
    const key = `${host} ${seen.proto} ${seen.host} ${seen.prefix}`
    return this.#remember(key, seen, host, isAny)
  }

  /**
   * The host that was connected to is checked even behind a proxy: a rebound page can make up forwarded headers.
   * @param isAny whether any host will do; it is not remembered, since it is allowed to this request alone
   */
  #remember(key: string, seen: Seen, host: string, isAny: boolean): Bases {
    const known = this.#bases.get(key)
    if (known !== undefined) return known
    const hostname = hostnameOf(host)
    if (hostname !== undefined && isAny && !this.#isAllowed(hostname)) return this.#made(seen)
    if (hostname === undefined || !this.#isAllowed(hostname)) throw this.#refusal(host)
    const made = this.#made(seen)
    if (this.#bases.size >= rememberedHosts) this.#bases.clear()
    this.#bases.set(key, made)
    return made
  }

  #made(seen: Seen): Bases {
    const { publicUrl } = this.#settings
    if (publicUrl === undefined) {
      const wrong = wrongIn(seen)
      if (wrong !== undefined) throw problems.misdirected(wrong)
      return { base: addressOf(seen), cameBy: addressOf(seen) }
    }
    return { base: publicUrl, cameBy: this.#cameByPublicUrl(seen) ? publicUrl : addressOf(seen) }
  }

  /**
   * A proxy that leaves the public name in a request need not say which path it took away. And where a public URL is
   * set, no forwarded header makes an origin of ours out of a name that is not allowed.
   */
  #cameByPublicUrl(seen: Seen): boolean {
    const hostname = hostnameOf(seen.host)
    if (hostname === undefined || wrongIn(seen) !== undefined || !this.#isAllowed(hostname)) return true
    return seen.prefix === '' && seen.host.toLowerCase() === this.#public?.host
  }

  #isAllowed(hostname: string): boolean {
    if (hostname.startsWith('[') || isIP(hostname)) return true
    if (!hostname.includes('.') || /\.(?:localhost|local|internal)$/.test(hostname)) return true
    return hostname === this.#public?.hostname || this.#settings.allowedHosts.includes(hostname)
  }

  #refusal(host: string): Problem {
    const shown = host.length > 100 ? `${host.slice(0, 97)}…` : host
    return problems.misdirected(
      `Host "${shown}" is not allowed; possible: IP addresses, names without a dot, *.localhost, *.local, *.internal, and what --allow-host or --public-url names`,
    )
  }
}

/** What cannot stand in an address, of what a trusted proxy says of the outside; undefined when all can. */
function wrongIn({ host, proto, prefix }: Seen): string | undefined {
  if (hostnameOf(host) === undefined) return 'X-Forwarded-Host is not a host'
  if (proto !== 'http' && proto !== 'https') return 'X-Forwarded-Proto is neither http nor https'
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(prefix)) return 'X-Forwarded-Prefix is not a path'
  return undefined
}

const addressOf = ({ host, proto, prefix }: Seen) =>
  `${proto}://${host.toLowerCase()}${prefix.replace(/\/$/, '')}`

/** The name in a Host header, lower-case; undefined when it is none. */
function hostnameOf(host: string): string | undefined {
  const [, name, port] = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65535) return undefined
  if (name.startsWith('.') || name.endsWith('.') || name.includes('..')) return undefined
  return name.toLowerCase()
}
