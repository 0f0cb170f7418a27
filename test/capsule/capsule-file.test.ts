import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capsuleText, packCapsule, readCapsule } from '../../src/control/capsule/capsule-file.ts'
import { createMock, type Mock } from '../../src/index.ts'
import { replayCapsule } from '../../src/lib/capsule/replay.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { capsuleOf, randomOf } from './random-space.ts'

let mock: Mock
let text: string

const create = (transactionId: string, headers: Record<string, string> = {}) =>
  mock.fetch(`http://mock${synchronizationPath(ids.ready, '/sendings')}?api_key=very-secret-key`, {
    method: 'POST',
    headers: { authorization: basic('demo'), 'content-type': halType, ...headers },
    body: JSON.stringify({ transactionId }),
  })

beforeAll(async () => {
  mock = await createMock({ logLevel: 'silent' })
  await create('one')
  await create('two', { 'x-session-token': 'a-token-of-mine' })
  text = await mock.space('demo').capsule()
})
afterAll(() => mock.close())

describe('the file of a capsule', () => {
  it('is read as it is, packed, and written again by another program', () => {
    const capsule = readCapsule(Buffer.from(text), 'it')
    expect(capsule.requests.map(({ transactionId }) => transactionId)).toEqual(['one', 'two'])
    expect(readCapsule(packCapsule(text), 'it')).toEqual(capsule)
    expect(readCapsule(Buffer.from(JSON.stringify(JSON.parse(text), null, 2)), 'it')).toEqual(capsule)
  })

  it('has no credentials in it', () => {
    for (const secret of ['very-secret-key', 'a-token-of-mine', basic('demo').slice(6)])
      expect(text).not.toContain(secret)
  })

  it('is refused when any one bit of it is another one', () => {
    const random = randomOf(1)
    const bytes = Buffer.from(text)
    const meaning = JSON.stringify(JSON.parse(text))
    for (let nth = 0; nth < 60; nth++) {
      const at = Math.floor(random() * bytes.length)
      const bit = 1 << Math.floor(random() * 8)
      const changed = Buffer.from(bytes)
      changed[at]! ^= bit
      // Such as the letters of an escape, which may be large or small.
      if (isSame(changed, meaning)) continue
      expect(() => readCapsule(changed, 'x.json'), `byte ${at}`).toThrow(/^x\.json (?:is|cannot)/)
    }
  })

  it.each([
    ['cut', () => text.slice(0, -100), /is damaged, or cut/],
    ['empty', () => '', /is no capsule: it is no JSON/],
    ['another file', () => '{"log":{}}', /is no capsule: it does not begin as one \(docs\/failures\.md says/],
    ['a list', () => '[]', /is no capsule/],
    [
      'of another version',
      () => text.replace('"$version":1', '"$version":2'),
      /is a capsule of format 2, made by version "[\d.]+"; this version reads format 1/,
    ],
    ['without its digest', () => text.replace(/,"digest".*/, '}'), /is damaged: its digest/],
  ])('is refused with a sentence: %s', (_, made, sentence) => {
    expect(() => readCapsule(Buffer.from(made()), 'x.json')).toThrow(sentence)
  })

  it('is refused when it is packed and cut, or would grow beyond what is read', () => {
    expect(() => readCapsule(packCapsule(text).subarray(0, 500), 'x.gz')).toThrow(/cannot be unpacked/)
    const bomb = gzipSync(Buffer.alloc(200 << 20))
    expect(() => readCapsule(bomb, 'x.gz')).toThrow(/unpacked it has more than \d+ bytes/)
    expect(() => readCapsule(Buffer.alloc(129 << 20), 'x')).toThrow(/at most \d+ are read/)
  })

  it('is refused when its digest is right and its content is none', async () => {
    const capsule = await capsuleOf(mock, 'demo')
    const odd = { ...capsule, requests: [{ id: '../../etc/passwd' }] }
    expect(() => readCapsule(Buffer.from(capsuleText(odd as never)), 'x.json')).toThrow(
      /cannot be read: requests\.0/,
    )
  })

  it.each([
    ['/../../../reset'],
    ['/%2e%2e/demo/side-port'],
    ['/clock/../side-port'],
    ['@localhost/x'],
    ['/ clock'],
  ])('is refused when a change in it leads elsewhere: %s', async path => {
    const capsule = await capsuleOf(mock, 'demo')
    const change = {
      number: 1,
      method: 'POST',
      path,
      body: {},
      by: 'x',
      at: [0, 0],
      after: 0,
      age: 0,
      status: 200,
    }
    const odd = { ...capsule, changes: [change] }
    expect(() => readCapsule(Buffer.from(capsuleText(odd as never)), 'x.json')).toThrow(
      /cannot be read: changes\.0\.path: expected a path below a space/,
    )
  })

  it('cannot be played again when it contradicts itself, and says so', async () => {
    const capsule = await capsuleOf(mock, 'demo')
    for (const steps of [[[0, 99, 0]], [[7, 5, 0]]] as [number, number, number][][])
      await expect(replayCapsule({ ...capsule, history: { lost: null, steps } })).rejects.toThrow(
        /^the capsule (?:contradicts itself|cannot be played again)/,
      )
    const nobody = capsule.requests.map(it => ({ ...it, user: 'nobody' }))
    await expect(replayCapsule({ ...capsule, requests: nobody })).rejects.toThrow(/has no user "nobody"/)
  })

  it('gives the requests as an HTTP Archive', async () => {
    const response = await mock.fetch('http://mock/_mock/spaces/demo/capsule?format=har')
    const { log } = (await response.json()) as { log: { version: string; entries: Har[] } }
    expect(log.version).toBe('1.2')
    expect(log.entries.map(({ request, response }) => [request.method, response.status])).toEqual([
      ['POST', 201],
      ['POST', 201],
    ])
    expect(JSON.parse(log.entries[0]!.request.postData.text)).toEqual({ transactionId: 'one' })
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="demo.har"')
  })
})

interface Har {
  readonly request: { readonly method: string; readonly postData: { readonly text: string } }
  readonly response: { readonly status: number }
}

function isSame(bytes: Buffer, meaning: string): boolean {
  try {
    return JSON.stringify(JSON.parse(bytes.toString())) === meaning
  } catch {
    return false
  }
}
