/** Faults of HTTPS: certificates, versions, and what a fault does to the connection below. */

const tests = ['test/tls/https.test.ts']

/** @type {import('../fault.ts').Fault[]} */
export const tls = [
  {
    name: 'old-tls-spoken',
    breaks: 'A client that speaks TLS 1.1 at most is served.',
    kind: 'missing limit',
    place: 'the server over TLS: its oldest version',
    find: "minVersion: 'TLSv1.2',",
    plant: "minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0',",
    tests,
  },
  {
    name: 'tls-renegotiates',
    breaks: 'A client may renegotiate a connection.',
    kind: 'skipped check',
    place: 'the server over TLS: its options',
    find: 'secureOptions: constants.SSL_OP_NO_RENEGOTIATION,',
    plant: 'secureOptions: constants.SSL_OP_NO_COMPRESSION,',
    tests,
  },
  {
    name: 'http2-agreed',
    breaks: 'A client that insists on HTTP/2 is told that the mock speaks it.',
    kind: 'skipped check',
    place: 'the server over TLS: which protocol it agrees on',
    find: 'if (protocols.includes(onlyProtocol)) return onlyProtocol',
    plant: 'return protocols.includes(onlyProtocol) ? onlyProtocol : protocols[0]',
    tests,
  },
  {
    name: 'certificate-for-any-host',
    breaks: 'The mock issues a certificate for a host that it does not answer to.',
    kind: 'skipped check',
    place: 'certificates by name: whether a name is allowed',
    find: 'if (!options.isAllowed(name)) {',
    plant: "if (name === '') {",
    tests,
  },
  {
    name: 'expired-certificate-served',
    breaks: 'A certificate of the user that has expired is served.',
    kind: 'skipped check',
    place: 'a certificate and its key: whether they can be used',
    find: 'if (Date.parse(certificate.validTo) < Date.now())',
    plant: 'if (Date.parse(certificate.validTo) < 0)',
    tests,
  },
  {
    name: 'tls-handshakes-without-end',
    breaks: 'A connection that never finishes its handshake stays open.',
    kind: 'missing limit',
    place: 'the server over TLS: how long a handshake may take',
    find: 'handshakeTimeout: serverOptions.headersTimeout!,',
    plant: 'handshakeTimeout: 3_600_000,',
    tests,
  },
  {
    name: 'certificate-signed-by-itself',
    breaks: 'A certificate is signed by a key that is not the authority’s.',
    kind: 'wrong field',
    place: 'the authority: what it issues',
    find: 'signingKey: issuer?.signingKey ?? keys.privateKey,',
    plant: 'signingKey: keys.privateKey,',
    tests: ['test/tls/certificates.test.ts'],
  },
]
