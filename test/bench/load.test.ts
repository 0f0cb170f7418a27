import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AnswerReader } from '../../bench/answer-reader.mjs'
import { load } from '../../bench/load.mjs'

const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const chunked =
  'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\n\r\n\r\r\n0\r\nTrailer: x\r\n\r\n'
const empty = 'HTTP/1.1 204 No Content\r\n\r\n'
const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const nothing = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n'

describe('an answer is found to its last byte,', () => {
  const answers = withLength + chunked + empty + early + nothing + chunked + withLength
  const statuses = [200, 201, 204, 503, 201, 200]

  it.each([1, 2, 3, 7, 20, 1_000])('read %i bytes at a time', size => {
    const told: number[] = []
    const reader = new AnswerReader(status => told.push(status))
    const bytes = Buffer.from(answers)
    // As a socket does it: what was read is overwritten by what comes next.
    const shared = Buffer.alloc(size)
    for (let at = 0; at < bytes.length; at += size) {
      const length = bytes.copy(shared, 0, at, at + size)
      reader.read(shared.subarray(0, length))
    }
    expect(told).toEqual(statuses)
  })

  it('not before it is there', () => {
    const told: number[] = []
    const reader = new AnswerReader(status => told.push(status))
    reader.read(Buffer.from(withLength.slice(0, -1)))
    expect(told).toEqual([])
    reader.read(Buffer.from(withLength.slice(-1)))
    expect(told).toEqual([200])
  })

  it('at the end of the connection where nothing else says so', () => {
    const told: unknown[] = []
    const reader = new AnswerReader((status, isLast) => told.push([status, isLast]))
    reader.read(Buffer.from('HTTP/1.0 200 OK\r\n\r\nsome and'))
    reader.read(Buffer.from(' more'))
    expect(told).toEqual([])
    reader.closed()
    expect(told).toEqual([[200, true]])
  })

  it('and what is no response is refused', () => {
    const reader = new AnswerReader(() => {})
    expect(() => reader.read(Buffer.from('what\r\n\r\n'))).toThrow('no HTTP answer: "what"')
  })
})

async function listen(
  onRequest: (socket: Socket, text: string) => void,
): Promise<{ server: Server; port: number }> {
  const server = createServer(socket => {
    socket.on('data', data => onRequest(socket, data.toString('latin1')))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

const request = Buffer.from('GET / HTTP/1.1\r\n\r\n')
const how = { connections: 4, requests: () => () => request, timeout: 5 }

describe('the load generator', () => {
  it('the load generator asks so many times, and counts what comes back', async () => {
    let seen = 0
    const { port } = await listen(socket => socket.write(++seen % 3 === 0 ? nothing : withLength))
    const { statuses, errors } = await load({ ...how, port, amount: 30 })
    expect({ seen, statuses: [...statuses].sort(), errors }).toEqual({
      seen: 30,
      statuses: [
        [200, 20],
        [503, 10],
      ],
      errors: 0,
    })
  })

  it('the load generator counts requests that get no answer, and goes on over another connection', async () => {
    let seen = 0
    const { port } = await listen(socket => {
      if (++seen % 5 === 0) socket.destroy()
      else socket.write(chunked)
    })
    const { statuses, errors } = await load({ ...how, port, amount: 20 })
    expect({ statuses: [...statuses], errors }).toEqual({ statuses: [[201, 16]], errors: 4 })
  })

  it('the load generator takes a server that closes after each answer for one that answers', async () => {
    const { port } = await listen(socket =>
      socket.end(withLength.replace('\r\n', '\r\nConnection: close\r\n')),
    )
    const { statuses, errors } = await load({ ...how, port, amount: 12 })
    expect({ statuses: [...statuses], errors }).toEqual({ statuses: [[200, 12]], errors: 0 })
  })

  it('the load generator waits no longer than it was told to', async () => {
    const { port } = await listen(() => {})
    const { statuses, errors } = await load({ ...how, port, amount: 4, timeout: 0.05 })
    expect({ statuses: [...statuses], errors }).toEqual({ statuses: [], errors: 4 })
  })

  it('the load generator comes to an end where nobody listens', async () => {
    const { port, server } = await listen(() => {})
    server.close()
    const { errors } = await load({ ...how, port, amount: 6 })
    expect(errors).toBe(6)
  })

  it('the load generator stops at what is no HTTP', async () => {
    const { port } = await listen(socket => socket.write('220 mail.example\r\n\r\n'))
    await expect(load({ ...how, port, amount: 4 })).rejects.toThrow('no HTTP answer')
  })

  it('the load generator ends in time while requests are under way', async () => {
    const { port } = await listen(socket => socket.write(withLength))
    const { statuses, milliseconds } = await load({ ...how, port, duration: 0.1 })
    expect(statuses.get(200)).toBeGreaterThan(0)
    expect(milliseconds).toBeGreaterThanOrEqual(99)
  })
})
