import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { basic, ids, startMock, synchronizationPath } from '../mock.ts'

const path = synchronizationPath(ids.ready, '/sendings')
const json = '{"name":"Grüße"}'

describe('a body that is not what it should be', () => {
  it.each([
    ['ISO-8859-1', Buffer.from(json, 'latin1'), 'not UTF-8: byte 11 is FC, a letter of ISO-8859-1'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${json}`, 'utf16le'), 'not UTF-8: it is UTF-16'],
    ['UTF-16 in ASCII', Buffer.from('{"a":1}', 'utf16le'), 'not JSON: it is UTF-16; a body is UTF-8'],
    [
      'UTF-16 with the high byte first',
      Buffer.from('{"a":1}', 'utf16le').swap16(),
      'not JSON: it is UTF-16; a body is UTF-8',
    ],
    ['gzip that nothing declares', gzipSync(json), 'not UTF-8: it is compressed with gzip'],
    ['deflate that nothing declares', deflateSync(json), 'not UTF-8: it is compressed with deflate'],
  ])('S 400: a body in %s is told what it is', async (_, body, reason) => {
    const demo = (await startMock()).as('demo')
    const headers = { 'content-type': 'application/json' }
    const answer = await demo.send('POST', path, { body: new Uint8Array(body), headers })
    expect([answer.status, answer.json.detail]).toEqual([400, `The request body is ${reason}`])
  })

  it('S charset: a control call whose body is declared in another charset is 415, which names it', async () => {
    const { fetch } = await startMock()
    const headers = { 'content-type': 'application/json; charset=iso-8859-1' }
    const response = await fetch(
      new Request('http://localhost/_mock/spaces/demo/clock', { method: 'POST', headers, body: '{}' }),
    )
    expect([response.status, await response.text()]).toEqual([415, expect.stringContaining('iso-8859-1')])
  })
})

describe('credentials that are not what they should be', () => {
  const encode = (text: string, encoding: BufferEncoding = 'utf8') =>
    `Basic ${Buffer.from(text, encoding).toString('base64')}`
  it.each([
    ['with another scheme', 'Bearer abcdef', 'has the scheme Bearer;'],
    ['with the name of a scheme alone', 'digest', 'has the scheme digest;'],
    ['twice', `${basic('demo')}, ${basic('demo')}`, 'has more than one value;'],
    ['that are not encoded', 'Basic demo:demo', 'is not encoded;'],
    ['in the alphabet of URLs', 'Basic ZGVtbz-_bW8', 'is in the base64 of URLs, with - and _;'],
    ['in ISO-8859-1', encode('Jürgen:secret', 'latin1'), 'is not UTF-8 when it is decoded;'],
    ['without a colon', encode('demo'), 'has no colon when it is decoded;'],
    ['of another form', 'sesame', 'is malformed;'],
    ['with a line end', encode('demo:demo\n'), 'echo adds one'],
    ['that are wrong', encode('demo:secret'), 'User or password is wrong'],
  ])(
    'S 401: credentials %s are told what is wrong with them, and nothing of them is repeated',
    async (_, authorization, reason) => {
      const { fetch } = await startMock()
      const response = await fetch(new Request('http://localhost/mailings', { headers: { authorization } }))
      const text = await response.text()
      expect([response.status, JSON.parse(text).detail]).toEqual([401, expect.stringContaining(reason)])
      expect(text).not.toMatch(/abcdef|secret|sesame|Jürgen|ZGVt/)
    },
  )
})
