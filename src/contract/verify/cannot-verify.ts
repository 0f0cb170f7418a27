import { UserError } from '../../store/user-error.ts'

/** Why a verification is not possible, in one sentence that says what to do. */
export class CannotVerify extends UserError {
  override readonly name = 'CannotVerify'
}

/** A request got no whole answer. The next one may get one. */
export class NoAnswer extends CannotVerify {
  /** @param timeout milliseconds that were waited */
  constructor(error: unknown, address: string, timeout: number) {
    super(noAnswerSentence(error, new URL(address), timeout), { cause: error })
  }

  /** Whether the connection ended, as a reused one may do at any time. */
  get isConnectionLost(): boolean {
    return [...errorCodes(this.cause)].some(it => connectionCodes.includes(it))
  }
}

function noAnswerSentence(error: unknown, address: URL, timeout: number): string {
  const codes = [...errorCodes(error)]
  const has = (...known: string[]) => codes.some(code => known.includes(code))
  const { host, hostname, origin } = address
  if (has(...timeoutCodes))
    return `${host} gave no whole response to ${address.pathname} within ${timeout / 1000} s; if it is slow, give a longer --timeout`
  if (has('ECONNREFUSED'))
    return `nothing listens on ${host}: the connection was refused; start it, or check the port in --url`
  if (has('ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME'))
    return `the name ${hostname} cannot be resolved; check the host in --url`
  if (has('EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN'))
    return `${host} cannot be reached from this machine; check network and proxy`
  const certificate = codes.find(isCertificateCode)
  if (certificate !== undefined)
    return `the TLS certificate of ${host} is not trusted (${certificate}); set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that issued it`
  if (codes.some(code => /^(?:EPROTO|ERR_SSL_)/.test(code)))
    return `${host} does not speak TLS as asked (${codes.at(-1)}); if it is not meant to, let --url start with http://`
  if (has(...notHttpCodes))
    return `${host} does not answer in HTTP; ${origin.startsWith('http:') ? 'if it wants TLS, let --url start with https://' : 'check the port in --url'}`
  if (has(...connectionCodes))
    return `${host} ended the connection without a whole response to ${address.pathname}; ${origin.startsWith('http:') ? 'if it wants TLS, let --url start with https://' : 'a proxy in between may have done it; try again'}`
  return `asking ${host} failed: ${deepestMessage(error)}`
}

/** One of them is a name. */
const timeoutCodes = [
  'TimeoutError',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]
const connectionCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** A parser error has a code with some versions of Node, and a name with all. */
const notHttpCodes = ['HTTPParserError', 'UND_ERR_INVALID_ARG', 'UND_ERR_HEADERS_OVERFLOW']
const certificateCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_UNTRUSTED',
  'CERT_REVOKED',
  'CERT_REJECTED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]
const isCertificateCode = (code: string) => certificateCodes.includes(code) || /^UNABLE_TO_/.test(code)

function* errorCodes(error: unknown): Iterable<string> {
  for (let cause = error as { code?: unknown; name?: unknown; cause?: unknown } | undefined; cause; ) {
    if (typeof cause.name === 'string') yield cause.name
    if (typeof cause.code === 'string') yield cause.code
    for (const one of (cause as { errors?: unknown[] }).errors ?? []) yield* errorCodes(one)
    cause = cause.cause as typeof cause
  }
}

function deepestMessage(error: unknown): string {
  let last = error as Error
  while (last.cause instanceof Error) last = last.cause
  return last.message
}
