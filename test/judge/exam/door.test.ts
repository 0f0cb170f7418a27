import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ListeningServer } from '../../../src/http/server.ts'
import { type FaultyListener, openFaultyListener } from '../../../src/judge/exam/case-host.ts'
import type { ConnectionTrouble } from '../../../src/judge/exam/cases.ts'
import { startMock } from '../../mock.ts'
import { eventually } from '../../process.ts'

let server: ListeningServer
beforeAll(async () => {
  server = await (await startMock()).listen()
})
afterAll(() => server.close())

async function door(stretches: readonly ConnectionTrouble[], speed = 1): Promise<FaultyListener> {
  const door = await openFaultyListener(stretches, server.openSidePort, speed)
  onTestFinished(() => door.close())
  return door
}

/** What becomes of a connection on which a request is made: the error's code, or the status of the answer. */
const asked = ({ port }: FaultyListener): Promise<string> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => socket.write('GET /_mock/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    socket.on('data', answer => {
      resolve(answer.toString().slice(9, 12))
      socket.destroy()
    })
  })

it.each(['reset-at-accept', 'reset-at-data'] as const)(
  '%s: so many connections break, and the next one reaches the service',
  async mode => {
    const it = await door([{ mode, connections: 2 }])
    expect([await asked(it), await asked(it), await asked(it)]).toEqual(['ECONNRESET', 'ECONNRESET', '200'])
    expect(it.affectedCount).toBe(2)
  },
)

it('refuses for a while after the first one broke, and then lets everybody in', async () => {
  const it = await door(
    [
      { mode: 'reset-at-accept', connections: 1 },
      { mode: 'refuse', for: 20_000 },
    ],
    60,
  )
  expect(await asked(it)).toBe('ECONNRESET')
  await eventually('it to be refused', async () => ((await asked(it)) === 'ECONNREFUSED' ? true : undefined))
  await eventually('it to be let in', async () => ((await asked(it)) === '200' ? true : undefined))
  // Of those that were refused nobody is told.
  expect([it.affectedCount, it.failure]).toEqual([1, undefined])
})

it('tells that another process took the port meanwhile', async () => {
  const it = await door([{ mode: 'refuse', for: 200 }])
  const other = createServer()
  onTestFinished(() => void other.close())
  await new Promise<void>(resolve => other.listen(it.port, '127.0.0.1', resolve))
  await eventually('it to find out', () => (it.failure === undefined ? undefined : true))
  expect(it.failure).toContain('another process may have taken it')
})
