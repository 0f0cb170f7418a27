import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/store/disk-files.ts'
import { noFiles } from '../../src/store/files.ts'
import {
  createCertificateAuthority,
  createSelfSignedIssue,
  openCertificateAuthority,
  readAuthorityOf,
  readCertificate,
} from '../../src/tls/certificates.ts'
import { handshakeWith, inDays } from './stage.ts'

const localhost = { names: ['localhost', '127.0.0.1', '::1'] }

describe('a certificate that the authority issues', () => {
  it('is accepted by a client that trusts the authority', async () => {
    const authority = await createCertificateAuthority()
    expect(await handshakeWith(await authority.issue(localhost), { trusts: authority.cert })).toBe('accepted')
  })

  it('has the key of all others, since a key takes longer to make than the rest', async () => {
    const authority = await createCertificateAuthority()
    const [one, other] = await Promise.all([
      authority.issue(localhost),
      authority.issue({ names: ['other'] }),
    ])
    expect(one.key).toBe(other.key)
    expect(one.cert).not.toBe(other.cert)
    const issueSelfSigned = await createSelfSignedIssue()
    expect((await issueSelfSigned(localhost)).key).toBe((await issueSelfSigned({ names: ['other'] })).key)
  })

  it('is valid for each of its names and IP addresses, and for no other', async () => {
    const { issue } = await createCertificateAuthority()
    const certificate = new X509Certificate((await issue(localhost)).cert)
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkHost('mock.example')).toBeUndefined()
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkIP('::1')).toBe('::1')
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined()
    const others = ['2001:db8::7:0:1', '::ffff:192.0.2.1', 'fe80::']
    const other = new X509Certificate((await issue({ names: others })).cert)
    expect(others.map(it => other.checkIP(it))).toEqual(others)
  })

  it('is valid from yesterday for 397 days of real time', async () => {
    const { validFrom, validTo } = new X509Certificate(
      (await (await createCertificateAuthority()).issue(localhost)).cert,
    )
    expect(Math.round((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000)).toBe(398)
    expect(Date.parse(validFrom)).toBeLessThan(Date.now())
  })

  it.each([
    ['has expired', { notBefore: inDays(-3), notAfter: inDays(-1) }, 'CERT_HAS_EXPIRED'],
    ['is not yet valid', { notBefore: inDays(1), notAfter: inDays(3) }, 'CERT_NOT_YET_VALID'],
    ['is for another name', { names: ['other.example'] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('is refused by a client when it %s', async (_, options, code) => {
    const authority = await createCertificateAuthority()
    const issued = await authority.issue({ ...localhost, ...options })
    expect(await handshakeWith(issued, { trusts: authority.cert })).toBe(code)
  })

  it('is refused by a client that trusts another authority of the same name', async () => {
    const issued = await (await createCertificateAuthority()).issue(localhost)
    const { cert } = await createCertificateAuthority()
    expect(await handshakeWith(issued, { trusts: cert })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })
})

it('a client that trusts an authority refuses a certificate that signs itself', async () => {
  const { cert } = await createCertificateAuthority()
  const selfSigned = await (await createSelfSignedIssue())(localhost)
  expect(await handshakeWith(selfSigned, { trusts: cert })).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
})

describe('an authority in a data directory', () => {
  let data: string
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'authority-'))
  })
  afterEach(() => rmSync(data, { recursive: true }))

  async function open() {
    const files = await diskFiles(data)
    try {
      return await openCertificateAuthority(files)
    } finally {
      await files.close()
    }
  }

  it('is the same after a restart', async () => {
    const first = await open()
    const second = await open()
    expect(second.cert).toBe(first.cert)
    expect(await handshakeWith(await second.issue(localhost), { trusts: first.cert })).toBe('accepted')
  })

  it('keeps its private key in a file that only its owner may read', async () => {
    await open()
    expect(statSync(join(data, 'ca-key.pem')).mode & 0o777).toBe(0o600)
  })

  it('has its certificate in a file without the key', async () => {
    const { cert, path } = await open()
    expect(path).toBe(join(data, 'ca.pem'))
    expect(readFileSync(path!, 'utf8')).toBe(cert)
    expect(cert).not.toContain('PRIVATE')
    for (const name of readdirSync(data).filter(it => it.endsWith('.pem') && it !== 'ca-key.pem'))
      expect(readFileSync(join(data, name), 'utf8'), name).not.toContain('PRIVATE')
  })

  it('writes its certificate again when that file is missing or changed', async () => {
    const { cert, path } = await open()
    writeFileSync(path!, 'something else')
    await open()
    expect(readFileSync(path!, 'utf8')).toBe(cert)
  })

  it('prints no file of that name that is no certificate', async () => {
    const { cert, path } = await open()
    writeFileSync(path!, 'a secret')
    expect(await readAuthorityOf(data)).toBe(cert)
  })

  it('refuses a folder in the place of its certificate', async () => {
    mkdirSync(join(data, 'ca.pem'))
    await expect(readAuthorityOf(data)).rejects.toThrow(
      `cannot read the certificate authority ${join(data, 'ca.pem')}: it is a folder`,
    )
  })

  it('refuses a file that is no key and certificate, and says what to do', async () => {
    await open()
    writeFileSync(join(data, 'ca-key.pem'), 'not PEM')
    await expect(open()).rejects.toThrow(
      /cannot use .*ca-key\.pem as the certificate authority: there is no certificate in PEM; remove it and ca\.pem to have a new one made/,
    )
  })

  it('is made anew at each start in memory, and writes nothing', async () => {
    const { cert, path } = await openCertificateAuthority(noFiles)
    expect(path).toBeUndefined()
    expect((await openCertificateAuthority(noFiles)).cert).not.toBe(cert)
  })

  describe('and a certificate of one’s own', () => {
    const write = (name: string, text: string) => {
      const path = join(data, name)
      writeFileSync(path, text)
      return path
    }

    it('is read from its two files', async () => {
      const own = await (await createSelfSignedIssue())(localhost)
      expect(readCertificate(write('own.pem', own.cert), write('own.key', own.key))).toEqual(own)
    })

    it('is refused when a file is missing', async () => {
      const own = await (await createSelfSignedIssue())(localhost)
      expect(() => readCertificate(write('own.pem', own.cert), join(data, 'none.key'))).toThrow(
        /^cannot read --tls-key .*none\.key: there is no such file/,
      )
    })

    it.each([
      ['the key belongs to another certificate', {}, 'the private key does not belong to the certificate'],
      ['it has expired', { notBefore: inDays(-3), notAfter: inDays(-1) }, 'the certificate expired on '],
    ])('is refused when %s', async (_, dates, sentence) => {
      const own = await (await createSelfSignedIssue())({ ...localhost, ...dates })
      const { key } = 'notAfter' in dates ? own : await (await createSelfSignedIssue())(localhost)
      expect(() => readCertificate(write('own.pem', own.cert), write('own.key', key))).toThrow(sentence)
    })

    it('is refused when a file is not PEM', async () => {
      const own = await (await createSelfSignedIssue())(localhost)
      const [cert, key] = [write('own.pem', own.cert), write('own.key', own.key)]
      expect(() => readCertificate(key, key)).toThrow('there is no certificate in PEM')
      expect(() => readCertificate(cert, cert)).toThrow('there is no private key in PEM without a passphrase')
    })
  })
})
