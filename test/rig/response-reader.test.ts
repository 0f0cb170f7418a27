import { describe, expect, it } from 'vitest'
import { NotHttpError, ResponseParser } from '../../src/http/in-process-wire.ts'

/** What a reader finds in bytes that come in pieces of a size. */
function found(bytes: string, size: number) {
  const heads: unknown[] = []
  let body = ''
  let ends = 0
  const reader = new ResponseParser({
    head: (status, reason, headers) => heads.push([status, reason, Object.fromEntries(headers)]),
    body: piece => {
      body += piece
    },
    end: () => {
      ends += 1
    },
  })
  for (let at = 0; at < bytes.length; at += size)
    reader.feed(Buffer.from(bytes.slice(at, at + size), 'latin1'))
  return { heads, body, ends, isWhole: reader.finish() }
}

const whole = { ends: 1, isWhole: true }
const cut = { ends: 0, isWhole: false }

describe.each([1, 2, 7, 10_000])('in pieces of %d', size => {
  it.each([
    ['a counted body', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', 'abc', whole],
    ['more than was promised', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabc', 'ab', whole],
    ['less than was promised', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc', 'abc', cut],
    ['an empty body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '', whole],
    ['a status that has no body', 'HTTP/1.1 204 No Content\r\n\r\n', '', whole],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n1;x=y\r\na\r\n0\r\nT: x\r\n\r\n',
      '0123456789a',
      whole,
    ],
    ['chunks without the last', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n', 'a', cut],
    [
      'a body up to the end of the connection',
      'HTTP/1.1 200 OK\r\n\r\nabc',
      'abc',
      { ends: 0, isWhole: true },
    ],
    ['a head that is not whole', 'HTTP/1.1 200 OK\r\nContent-Le', '', cut],
    ['nothing', '', '', cut],
  ])('%s', (_, bytes, body, ending) => {
    expect(found(bytes, size)).toMatchObject({ body, ends: ending.ends, isWhole: ending.isWhole })
  })

  it('informational answers come before the true one', () => {
    const bytes = 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.0 404\r\nContent-Length:  1\r\n\r\na'
    expect(found(bytes, size).heads).toEqual([
      [103, 'Early Hints', { Link: '<x>' }],
      [404, '', { 'Content-Length': '1' }],
    ])
  })

  it.each([
    ['HPE_INVALID_CONSTANT', 'hello'],
    ['HPE_INVALID_STATUS', 'HTTP/1.1 abc\r\n\r\n'],
    ['HPE_INVALID_HEADER_TOKEN', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['HPE_INVALID_CHUNK_SIZE', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s: %j', (code, bytes) => {
    expect(() => found(bytes, size)).toThrow(expect.objectContaining({ code, name: 'HTTPParserError' }))
    expect(() => found(bytes, size)).toThrow(NotHttpError)
  })
})
