import { createPrivateKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import * as x509 from '@peculiar/x509'
import { reason } from '../store/disk.ts'
import { diskFiles } from '../store/disk-files.ts'
import type { Files } from '../store/files.ts'
import { UserError } from '../store/user-error.ts'

/** A certificate with its private key, both PEM, as `tls.createSecureContext` takes them. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  /** Host names and IP addresses that it is valid for. */
  readonly names: readonly string[]
  /** Real time; yesterday by default, so that a client whose clock is slow accepts it. */
  readonly notBefore?: Date
  /** Real time; in 397 days by default. */
  readonly notAfter?: Date
}

export type Issue = (options: CertificateOptions) => Promise<Certificate>

export interface CertificateAuthority {
  /** Its own certificate, PEM: what a client has to trust. */
  readonly cert: string
  /** The file that holds `cert`; undefined for an authority in memory. */
  readonly path: string | undefined
  /** Issues a certificate. All have one key, which is made with the first: it takes longer than the rest. */
  readonly issue: Issue
}

/** Files in the data directory. The first one holds the private key, too, and is for its owner only. */
const authorityFiles = { secret: 'ca-key.pem', certificate: 'ca.pem' } as const

const { subtle } = webcrypto
/** Every usual client knows it, and a key is made in less than a millisecond. */
const keyType = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { ...keyType, hash: 'SHA-256' }

const day = 86_400_000
/** Real time. */
export const inDays = (days: number) => new Date(Date.now() + days * day)

/** Days. Some clients refuse certificates for servers that are valid longer. */
const leafDays = 397
const authorityDays = 3650

const authorityName = [{ CN: ['mailing-sync-mock CA, trust it in tests only'] }]
const leafName = [{ CN: ['mailing-sync-mock'] }]

const makeKeys = () => subtle.generateKey(keyType, true, ['sign', 'verify'])
type Keys = Awaited<ReturnType<typeof makeKeys>>

const toPem = (key: webcrypto.CryptoKey) =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string

const pemOf = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`

const { KeyUsageFlags } = x509

/** Issues a certificate for servers. @param keys of the server @param issuer undefined for one that signs itself */
async function issueCertificate(
  { names, notBefore = inDays(-1), notAfter = inDays(leafDays) }: CertificateOptions,
  keys: Keys,
  issuer?: { readonly certificate: x509.X509Certificate; readonly signingKey: webcrypto.CryptoKey },
): Promise<Certificate> {
  const issued = await x509.X509CertificateGenerator.create({
    subject: leafName,
    issuer: issuer?.certificate.subjectName ?? leafName,
    publicKey: keys.publicKey,
    signingKey: issuer?.signingKey ?? keys.privateKey,
    signingAlgorithm,
    notBefore,
    notAfter,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate)] : []),
    ],
  })
  return { cert: pemOf(issued), key: toPem(keys.privateKey) }
}

/** Issues certificates that sign themselves, as careless set-ups have them: no authority vouches for them. */
export async function createSelfSignedIssue(): Promise<Issue> {
  const keys = await makeKeys()
  return options => issueCertificate(options, keys)
}

/** The private key and the certificate of a new authority, PEM. */
async function makeAuthority(): Promise<string> {
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: authorityName,
    keys,
    signingAlgorithm,
    notBefore: inDays(-1),
    notAfter: inDays(authorityDays),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return toPem(keys.privateKey) + pemOf(certificate)
}

/** @param pem as `makeAuthority` makes it */
async function readAuthority(pem: string | Buffer, path?: string): Promise<CertificateAuthority> {
  const certificate = new x509.X509Certificate(checkPair(pem, pem).raw)
  const pkcs8 = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  const signingKey = await subtle.importKey('pkcs8', pkcs8, keyType, false, ['sign'])
  let keys: Promise<Keys> | undefined
  return {
    cert: pemOf(certificate),
    path,
    async issue(options) {
      keys ??= makeKeys()
      return issueCertificate(options, await keys, { certificate, signingKey })
    },
  }
}

/** A new authority in memory. */
export const createCertificateAuthority = async () => readAuthority(await makeAuthority())

/** The authority of a data directory; made at the first call. @throws UserError when it is unreadable or has expired */
export async function openCertificateAuthority(files: Files): Promise<CertificateAuthority> {
  if (!files.persistent) return createCertificateAuthority()
  const { secret, certificate } = authorityFiles
  let key = files.read(secret)
  if (key === undefined) {
    const newKey = await makeAuthority()
    files.writeOnce(secret, () => newKey)
    key = Buffer.from(newKey)
  }
  const path = files.pathOf(secret)
  const authority = await readAuthority(key, files.pathOf(certificate)).catch(error => {
    throw new UserError(
      `cannot use ${path} as the certificate authority: ${reason(error)}; remove it and ca.pem to have a new one made, which clients have to trust again`,
    )
  })
  if (files.read(certificate)?.toString() !== authority.cert) files.remove([certificate])
  files.writeOnce(certificate, () => authority.cert)
  return authority
}

/**
 * What clients of the mock in a data directory have to trust, PEM. That of a mock that runs is there already; an authority
 * is made only in a directory that no mock uses.
 * @throws UserError when the directory cannot be used
 */
export async function readAuthorityOf(directory: string): Promise<string> {
  const path = join(directory, authorityFiles.certificate)
  const certificate = existsSync(path) ? readText(path, 'the certificate authority') : ''
  // Anything else is no file of a mock; it is written again.
  if (certificate.startsWith('-----BEGIN CERTIFICATE-----')) return certificate
  const files = await diskFiles(directory)
  try {
    return (await openCertificateAuthority(files)).cert
  } finally {
    await files.close()
  }
}

/** A certificate of the user's own, with those behind it in its file. @throws UserError naming the wrong file */
export function readCertificate(certPath: string, keyPath: string): Certificate {
  const [cert, key] = [readText(certPath, '--tls-cert'), readText(keyPath, '--tls-key')]
  try {
    checkPair(cert, key)
    // Reads the certificates behind the first one, too, and refuses keys that are too short.
    createSecureContext({ cert, key })
  } catch (error) {
    throw new UserError(
      `cannot serve HTTPS with --tls-cert ${certPath} and --tls-key ${keyPath}: ${reason(error)}`,
    )
  }
  return { cert, key }
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError(`cannot read ${what} ${path}: ${reason(error)}`)
  }
}

/** @throws an Error that says why a certificate and a private key cannot be used together */
function checkPair(cert: string | Buffer, key: string | Buffer): X509Certificate {
  const certificate = parse(() => new X509Certificate(cert), 'there is no certificate in PEM')
  const privateKey = parse(() => createPrivateKey(key), 'there is no private key in PEM without a passphrase')
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('the private key does not belong to the certificate')
  if (Date.parse(certificate.validTo) < Date.now())
    throw new Error(`the certificate expired on ${certificate.validTo}`)
  return certificate
}

function parse<Parsed>(read: () => Parsed, problem: string): Parsed {
  try {
    return read()
  } catch {
    throw new Error(problem)
  }
}
