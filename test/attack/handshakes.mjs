import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { attackProgram, mostMemory } from './program.mjs'

/** The beginning of a ClientHello, whose rest never comes. */
const half = Buffer.from('16030100c8010000c40303', 'hex')

/** TLS handshakes that stop half way, and names that are ever new, in the memory of a container of 256 MB. */
export default async function run() {
  return {
    attack:
      '6,000 TLS handshakes that stop half way, and 300 host names at one time, with 64 MiB of memory to fill',
    ...(await attackProgram(
      { flags: ['--in-memory', '--tls', '--memory-limit', '64'] },
      async (url, child) => {
        const port = Number(new URL(url).port)
        const open = await Promise.all(Array.from({ length: 6_000 }, () => begin(port)))
        await setTimeout(3_000)
        const standing = open.filter(socket => !socket.destroyed).length
        const names = await Promise.all(
          Array.from({ length: 300 }, (_, n) => shake(port, `host-${n}.localhost`)),
        )
        for (const socket of open) socket.destroy()
        const reached = mostMemory(child.pid)
        if (reached > 256) throw new Error(`the process took ${reached} MB`)
        return `the process took ${reached} MB at most; ${standing} of 6,000 stood at the end; ${names.filter(Boolean).length} of 300 names were served at once`
      },
    )),
  }
}

const begin = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(half, () => resolve(socket)))
    socket.on('error', () => resolve(socket)).resume()
  })

const shake = (port, servername) =>
  new Promise(resolve => {
    const socket = connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
