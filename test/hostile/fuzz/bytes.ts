import fc from 'fast-check'
import { authorization, get, head, post, posted, sendings } from '../raw.ts'

/** One connection: what is sent over it, in which pieces, and how it is left. */
export interface Line {
  readonly pieces: readonly Buffer[]
  readonly leave: 'end' | 'close' | 'reset'
}

const control = (method: string, path: string, body: string): Buffer =>
  Buffer.from(
    head(
      `${method} /_mock${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ) + body,
  )

/** Requests as they should be. */
const sound: readonly Buffer[] = [
  Buffer.from(get('/mailings')),
  Buffer.from(get('/mailings?pageSize=3', 'Accept: application/hal+json')),
  Buffer.from(get('/_mock/health', 'Connection: close')),
  Buffer.from(get('/_mock/spaces')),
  Buffer.from(get('/_mock', 'Accept: text/html')),
  Buffer.from(get('/_mock/spaces/demo/requests', 'Accept: text/html,*/*;q=0.1')),
  Buffer.from(head('OPTIONS /mailings HTTP/1.1', 'Host: localhost', authorization.trim())),
  Buffer.from(
    head('HEAD /mailings HTTP/1.0', 'Host: localhost', authorization.trim(), 'Connection: keep-alive'),
  ),
  posted(sendings, '{"transactionId":"bytes"}'),
  posted(sendings, '{"transactionId":"expected"}', 'Expect: 100-continue'),
  Buffer.from(
    `${post(sendings, 'Transfer-Encoding: chunked')}a\r\n{"name":"x\r\n3;e=1\r\ny"}\r\n0\r\nTrailer: 1\r\n\r\n`,
  ),
  posted(
    '/integrations/mailing-platform/mailing-synchronizations',
    '{"customer":"harbour-group","listId":1001}',
  ),
  control('POST', '/spaces/demo/clock', '{"advance":"1m"}'),
  control('PUT', '/spaces/demo%2Bbytes', '{}'),
  control('POST', '/spaces/demo/reset', ''),
  control('POST', '/scenarios/check', '{"text":"rules: []"}'),
]

/** What parsers stumble over. */
const tokens: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '\r\n\r\n',
  '\xff',
  '\x80',
  '%',
  '%00',
  '#',
  '//',
  '..',
  'chunked',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 99999999\r\n',
  'Host: evil.example\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'HTTP/1.1',
  'HTTP/9.9',
  'HTTP/1.0',
  '0\r\n\r\n',
  'fffffffff\r\n',
  '{',
  '"',
  '\\u0000',
  '['.repeat(200),
  'x'.repeat(3_000),
  'X: y\r\n'.repeat(200),
]

type Mutation = (bytes: Buffer) => Buffer
const at = (bytes: Buffer, place: number) => Math.floor(place * bytes.length)
const place = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const length = fc.integer({ min: 1, max: 40 })

const splice = (bytes: Buffer, start: number, removed: number, added: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)])

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(255)).map(
    ([where, value]): Mutation =>
      bytes => {
        const changed = Buffer.from(bytes)
        if (changed.length > 0) changed[at(changed, where)] = value
        return changed
      },
  ),
  fc.tuple(place, fc.constantFrom(...tokens)).map(
    ([where, token]): Mutation =>
      bytes =>
        splice(bytes, at(bytes, where), 0, Buffer.from(token, 'latin1')),
  ),
  fc.tuple(place, length).map(
    ([where, removed]): Mutation =>
      bytes =>
        splice(bytes, at(bytes, where), removed, Buffer.alloc(0)),
  ),
  fc.tuple(place, length).map(
    ([where, copied]): Mutation =>
      bytes => {
        const start = at(bytes, where)
        return splice(bytes, start, 0, bytes.subarray(start, start + copied))
      },
  ),
  place.map(
    (where): Mutation =>
      bytes =>
        bytes.subarray(0, at(bytes, where)),
  ),
  fc.uint8Array({ maxLength: 60 }).map(
    (noise): Mutation =>
      bytes =>
        Buffer.concat([bytes, noise]),
  ),
)

const request = fc
  .tuple(fc.constantFrom(...sound), fc.array(mutation, { maxLength: 5 }))
  .map(([bytes, mutations]) => mutations.reduce((changed, mutate) => mutate(changed), bytes))

/** Requests one behind the other, changed here and there, cut into pieces anywhere. */
export const line: fc.Arbitrary<Line> = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 4 }),
    cuts: fc.array(place, { maxLength: 4 }),
    leave: fc.constantFrom<Line['leave']>('end', 'end', 'end', 'close', 'reset'),
  })
  .map(({ requests, cuts, leave }) => {
    const bytes = Buffer.concat(requests)
    const places = [0, ...cuts.map(cut => at(bytes, cut)).sort((a, b) => a - b), bytes.length]
    return { leave, pieces: places.slice(1).map((end, index) => bytes.subarray(places[index], end)) }
  })
