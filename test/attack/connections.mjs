import { connect } from 'node:net'
import { ids } from '../../dist/contract/examples/fixture-ids.js'
import { attackProgram, send } from './program.mjs'

const credentials = `Authorization: Basic ${Buffer.from('demo:demo').toString('base64')}\r\n`
const sendings = `/integrations/mailing-platform/mailing-synchronizations/${ids.ready}/sendings`
const head = length =>
  `POST ${sendings} HTTP/1.1\r\nHost: localhost\r\n${credentials}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** What each kind of connection says before it falls silent. */
const kinds = {
  idle: '',
  'half a header': `GET /mailings HTTP/1.1\r\nHost: localhost\r\nAccep`,
  'slow body': `${head(50_000)}{"name":"${'x'.repeat(2_000)}`,
  'held request': `${head(2)}{}`,
}

const count = 10_000

/** As many connections as a laptop allows, a quarter of each kind, while another client goes on working. */
export default async function run() {
  return {
    attack: `${count} connections: ${Object.keys(kinds).join(', ')}`,
    ...(await attackProgram(
      { flags: ['--in-memory', '--header-timeout', '10s', '--request-timeout', '10s'] },
      async url => {
        const { port } = new URL(url)
        await send(
          `${url}/_mock/spaces/demo/scenario`,
          'PUT',
          '{"rules":[{"on":"createSending","steps":[{"hold":"gate","times":100000}]}]}',
        )
        const sockets = []
        const closings = []
        for (let n = 0; n < count; n += 250)
          await Promise.all(
            Array.from({ length: 250 }, (_, at) =>
              open(port, Object.values(kinds)[(n + at) % 4], sockets, closings),
            ),
          )
        const started = Date.now()
        const { status } = await send(`${url}/mailings`, 'GET')
        const waited = Date.now() - started
        if (status !== 200) throw new Error(`another client is answered ${status}`)
        const silent = closings.filter((_, at) => at % 4 !== 3)
        const late = new Promise((_, reject) => {
          setTimeout(
            () => reject(new Error('silent connections stand for more than a minute')),
            60_000,
          ).unref()
        })
        await Promise.race([Promise.all(silent), late])
        const held = sockets.filter(({ closed }) => !closed).length
        for (const socket of sockets) socket.destroy()
        return `another client was answered after ${waited} ms; ${count - held} were closed in time, ${held} are held`
      },
    )),
  }
}

function open(port, says, sockets, closings) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    closings.push(new Promise(close => socket.once('close', close)))
    socket.resume()
    socket.on('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject).on('error', () => {})
      socket.write(says)
      resolve()
    })
  })
}
