import { Agent, get } from 'node:http'
import { expect, it } from 'vitest'
import { faultServer } from './fault-server.ts'

it('keepalive-race is what Node calls the reset of a reused socket', async () => {
  await using server = await faultServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const asked = () =>
    new Promise<string>(resolve => {
      const request = get(`${server.url}/keepalive-race`, { agent }, incoming =>
        incoming.resume().on('end', () => setImmediate(resolve, `${incoming.statusCode}`)),
      )
      request.on('error', (error: NodeJS.ErrnoException) =>
        resolve(`${error.code}, ${request.reusedSocket ? 'reused' : 'fresh'}`),
      )
    })
  expect([await asked(), await asked(), await asked()]).toEqual(['201', 'ECONNRESET, reused', '201'])
  agent.destroy()
})

it.each(['301', '302', '303'])(
  'a POST that follows a %s becomes a GET, whose answer looks like success',
  async status => {
    await using server = await faultServer()
    const location = encodeURIComponent('{"location":"/collection"}')
    const { ok, redirected } = await fetch(`${server.url}/redirect-${status}?${location}`, { method: 'POST' })
    expect([ok, redirected]).toEqual([true, true])
    expect(server.arrived.at(-1)).toBe('/collection')
    expect(server.methods).toEqual(['POST', 'GET'])
  },
)

it.each(['307', '308'])('a POST that follows a %s is sent again whole', async status => {
  await using server = await faultServer()
  const location = encodeURIComponent('{"location":"/again"}')
  await fetch(`${server.url}/redirect-${status}?${location}`, { method: 'POST', body: '{}' })
  expect(server.methods).toEqual(['POST', 'POST'])
})
