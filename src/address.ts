import { isIP } from 'node:net'
import { type Problem, problems } from './service/problem.ts'

export interface AddressSettings {
  /** Base of all links, whatever the request says. */
  readonly publicUrl: string | undefined
  /** Host names beyond those that are always allowed. */
  readonly allowedHosts: readonly string[]
  /** Whether `X-Forwarded-*` headers are believed. */
  readonly trustProxy: boolean
}

type Header = (name: string) => string | undefined

/** So many hosts are remembered with their base; a client that makes up names cannot fill the memory. */
const rememberedHosts = 1_000

/**
 * From where a client sees this server: the base of every link. A browser page that an attacker had resolve to this
 * machine (DNS rebinding) needs a name that the attacker owns, so IP addresses, single-label names and the suffixes
 * reserved for local use are allowed, and other names only when they are given with `--allow-host` or `--public-url`.
 */
export class Addressing {
  readonly #settings: AddressSettings
  readonly #publicHost: string | undefined
  readonly #bases = new Map<string, string>()

  constructor(settings: AddressSettings) {
    this.#settings = settings
    this.#publicHost = settings.publicUrl && new URL(settings.publicUrl).hostname
  }

  /**
   * The base URL for a request, without a slash at the end.
   * @param scheme how the request came in
   * @throws Problem 421 for a host that is not allowed
   */
  base(scheme: string, header: Header, urlHost: string): string {
    const { trustProxy, publicUrl } = this.#settings
    const host = header('host') ?? urlHost
    if (!trustProxy) return this.#remember(host, () => publicUrl ?? `${scheme}://${host.toLowerCase()}`, host)

    const forwarded = (name: string) => header(`x-forwarded-${name}`)?.split(',')[0]?.trim()
    const seen = {
      host: forwarded('host') ?? host,
      proto: forwarded('proto') ?? scheme,
      prefix: forwarded('prefix') ?? '',
    }
    const key = `${host} ${seen.proto} ${seen.host} ${seen.prefix}`
    return this.#remember(key, () => publicUrl ?? baseBehindProxy(seen), host)
  }

  /** The host that was connected to is checked even behind a proxy: a rebound page can make up forwarded headers. */
  #remember(key: string, base: () => string, host: string): string {
    const known = this.#bases.get(key)
    if (known !== undefined) return known
    const hostname = hostnameOf(host)
    if (hostname === undefined || !this.#isAllowed(hostname)) throw this.#refusal(host)
    const made = base()
    if (this.#bases.size >= rememberedHosts) this.#bases.clear()
    this.#bases.set(key, made)
    return made
  }

  #isAllowed(hostname: string): boolean {
    if (hostname.startsWith('[') || isIP(hostname)) return true
    if (!hostname.includes('.') || /\.(?:localhost|local|internal)$/.test(hostname)) return true
    return hostname === this.#publicHost || this.#settings.allowedHosts.includes(hostname)
  }

  #refusal(host: string): Problem {
    const shown = host.length > 100 ? `${host.slice(0, 97)}…` : host
    return problems.misdirected(
      `Host "${shown}" is not allowed; possible: IP addresses, names without a dot, *.localhost, *.local, *.internal, and what --allow-host or --public-url names`,
    )
  }
}

/** What a trusted proxy says of the outside. @throws Problem 421 for what cannot stand in an address */
function baseBehindProxy({ host, proto, prefix }: { host: string; proto: string; prefix: string }): string {
  if (hostnameOf(host) === undefined) throw problems.misdirected('X-Forwarded-Host is not a host')
  if (proto !== 'http' && proto !== 'https')
    throw problems.misdirected('X-Forwarded-Proto is neither http nor https')
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(prefix)) throw problems.misdirected('X-Forwarded-Prefix is not a path')
  return `${proto}://${host.toLowerCase()}${prefix.replace(/\/$/, '')}`
}

/** The name in a Host header, lower-case; undefined when it is none. */
function hostnameOf(host: string): string | undefined {
  const [, name, port] = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65535) return undefined
  if (name.startsWith('.') || name.endsWith('.') || name.includes('..')) return undefined
  return name.toLowerCase()
}
