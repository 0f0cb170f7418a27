import { createHash, createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { BitString, Integer, OctetString, Utf8String } from 'asn1js'
import * as pkijs from 'pkijs'
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
const hash = 'SHA-256'

const day = 86_400_000
/** Real time. */
export const inDays = (days: number) => new Date(Date.now() + days * day)

/** Days. Some clients refuse certificates for servers that are valid longer. */
const leafDays = 397
const authorityDays = 3650

const commonName = '2.5.4.3'
const nameOf = (value: string) =>
  new pkijs.RelativeDistinguishedNames({
    typesAndValues: [new pkijs.AttributeTypeAndValue({ type: commonName, value: new Utf8String({ value }) })],
  })
const authorityName = 'mailing-sync-mock CA, trust it in tests only'
const leafName = 'mailing-sync-mock'

const makeKeys = () => subtle.generateKey(keyType, true, ['sign', 'verify'])
type Keys = Awaited<ReturnType<typeof makeKeys>>

const toPem = (key: webcrypto.CryptoKey) =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string

const pemOf = (certificate: pkijs.Certificate) =>
  new X509Certificate(Buffer.from(certificate.toSchema(true).toBER())).toString()

/** What certificates say beside names and dates (RFC 5280 4.2), by the last number of its object identifier. */
const extension = (number: number, isCritical: boolean, value: { toBER(): ArrayBuffer }) =>
  new pkijs.Extension({ extnID: `2.5.29.${number}`, critical: isCritical, extnValue: value.toBER() })

const basicConstraints = (of: pkijs.BasicConstraintsParameters) =>
  extension(19, true, new pkijs.BasicConstraints(of).toSchema())

/** @param bits the first of them stands highest */
const keyUsage = (bits: number, unusedBits: number) =>
  extension(15, true, new BitString({ valueHex: Uint8Array.of(bits), unusedBits }))

const serverAuthentication = '1.3.6.1.5.5.7.3.1'
const extendedKeyUsage = () =>
  extension(37, false, new pkijs.ExtKeyUsage({ keyPurposes: [serverAuthentication] }).toSchema())

const alternativeNames = (names: readonly string[]) => {
  const general = names.map(
    name =>
      new pkijs.GeneralName(
        isIP(name)
          ? { type: 7, value: new OctetString({ valueHex: addressBytes(name) }) }
          : { type: 2, value: name },
      ),
  )
  return extension(17, false, new pkijs.GeneralNames({ names: general }).toSchema())
}

/** The bytes of an IPv4 or IPv6 address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // A URL writes every form of an address in groups, with at most one gap.
  const [before, after] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(part => part.split(':').filter(Boolean)) as [string[], string[]?]
  const gap = Array<string>(8 - before.length - (after?.length ?? 0)).fill('0')
  const groups = [...before, ...gap, ...(after ?? [])]
  return Buffer.from(groups.map(group => group.padStart(4, '0')).join(''), 'hex')
}

/** Identifies a key in certificates (RFC 5280 4.2.1.2). */
const keyIdentifier = ({ subjectPublicKeyInfo }: pkijs.Certificate) =>
  new OctetString({
    valueHex: createHash('sha1')
      .update(subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView)
      .digest(),
  })

/** A positive number of 16 bytes. */
function randomSerialNumber(): Integer {
  const valueHex = randomBytes(16)
  valueHex[0] = (valueHex[0]! & 0x7f) | 0x40
  return new Integer({ valueHex })
}

interface Subject {
  readonly name: pkijs.RelativeDistinguishedNames
  readonly key: webcrypto.CryptoKey
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions: readonly pkijs.Extension[]
}

/** @param issuer undefined for a certificate that signs itself */
async function sign(
  { name, key, notBefore, notAfter, extensions }: Subject,
  signingKey: webcrypto.CryptoKey,
  issuer?: pkijs.Certificate,
): Promise<pkijs.Certificate> {
  const certificate = new pkijs.Certificate({
    version: 2,
    serialNumber: randomSerialNumber(),
    subject: name,
    issuer: issuer?.subject ?? name,
  })
  certificate.notBefore.value = notBefore
  certificate.notAfter.value = notAfter
  await certificate.subjectPublicKeyInfo.importKey(key)
  const ofIssuer = issuer && new pkijs.AuthorityKeyIdentifier({ keyIdentifier: keyIdentifier(issuer) })
  certificate.extensions = [
    ...extensions,
    extension(14, false, keyIdentifier(certificate)),
    ...(ofIssuer ? [extension(35, false, ofIssuer.toSchema())] : []),
  ]
  await certificate.sign(signingKey, hash)
  return certificate
}

/** Issues a certificate for servers. @param keys of the server @param issuer undefined for one that signs itself */
async function issueCertificate(
  { names, notBefore = inDays(-1), notAfter = inDays(leafDays) }: CertificateOptions,
  keys: Keys,
  issuer?: { readonly certificate: pkijs.Certificate; readonly signingKey: webcrypto.CryptoKey },
): Promise<Certificate> {
  const subject = {
    name: nameOf(leafName),
    key: keys.publicKey,
    notBefore,
    notAfter,
    extensions: [
      alternativeNames(names),
      basicConstraints({ cA: false }),
      // digitalSignature
      keyUsage(0b1000_0000, 7),
      extendedKeyUsage(),
    ],
  }
  const issued = await sign(subject, issuer?.signingKey ?? keys.privateKey, issuer?.certificate)
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
  const subject = {
    name: nameOf(authorityName),
    key: keys.publicKey,
    notBefore: inDays(-1),
    notAfter: inDays(authorityDays),
    extensions: [
      basicConstraints({ cA: true, pathLenConstraint: 0 }),
      // keyCertSign and cRLSign
      keyUsage(0b0000_0110, 1),
    ],
  }
  const certificate = await sign(subject, keys.privateKey)
  return toPem(keys.privateKey) + pemOf(certificate)
}

/** @param pem as `makeAuthority` makes it */
async function readAuthority(pem: string | Buffer, path?: string): Promise<CertificateAuthority> {
  const certificate = pkijs.Certificate.fromBER(checkPair(pem, pem).raw)
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
