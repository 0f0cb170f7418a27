import { connect } from 'node:net'
import { attackProgram, send } from './program.mjs'

const limit = 400
/** Below the 511 that wait to be accepted: the kernel drops more, and their silent clients never learn that they have none. */
const atOnce = 250

/** Side ports for more spaces than there may be, and more connections to them than there may be. */
export default async function run() {
  return {
    attack: `side ports of 300 private spaces with room for 20, and 2,000 connections to a silent one with room for ${limit}`,
    ...(await attackProgram(
      {
        flags: [
          ...['--in-memory', '--space-limit', '20', '--connection-limit', String(limit)],
          ...['--header-timeout', '2s', '--request-timeout', '2s'],
        ],
      },
      async url => {
        const opened = []
        const statuses = {}
        for (let n = 0; n < 300; n++) {
          const answer = await fetch(`${url}/_mock/spaces/demo%2B${n}/side-port`, {
            method: 'PUT',
            body: '{"mode":"silent"}',
            headers: { 'content-type': 'application/json' },
          })
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
          const { port } = await answer.json()
          if (port !== undefined) opened.push(port)
        }
        const listening = (await Promise.all(opened.map(isListening))).filter(Boolean).length
        if (listening > 100) throw new Error(`${listening} side ports listen`)
        const { status } = await send(`${url}/_mock/spaces/demo/side-port`, 'PUT', '{"mode":"silent"}')
        if (status >= 500) throw new Error(`opening another one is answered ${status}`)
        const standing = []
        for (let batch = 0; batch < 2_000 / atOnce; batch++)
          standing.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(opened.at(-1))))))
        await Promise.all(standing.map(({ closed }) => closed))
        const told = Object.entries(statuses).map(([code, count]) => `${count} × ${code}`)
        return `${told.join(', ')}; ${listening} still listen; all 2,000 connections were closed`
      },
    )),
  }
}

/** A connection that says nothing. */
const open = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise(close => socket.once('close', close))
    socket.on('error', () => {}).resume()
    const done = () => resolve({ socket, closed })
    socket.once('connect', done).once('close', done)
  })

const isListening = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
