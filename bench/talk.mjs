/** One connection on which one request is timed after the other, by what costs next to nothing itself. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.mjs'
import { requestBytes } from './work.mjs'

export class Talk {
  #port
  #socket
  #told = () => {}

  constructor(port, socket) {
    this.#port = port
    this.#socket = socket
    const reader = new AnswerReader(status => this.#told(status))
    socket.setNoDelay(true)
    socket.on('data', bytes => reader.read(bytes))
  }

  static async to(port) {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return new Talk(port, socket)
  }

  /** @returns {Promise<{ status: number, milliseconds: number }>} to the last byte of the answer */
  ask(item) {
    const bytes = requestBytes(this.#port, item)
    return new Promise((resolve, reject) => {
      const lost = () => reject(new Error(`${item.path}: the connection was closed`))
      this.#socket.once('close', lost)
      const startedAt = performance.now()
      this.#told = status => {
        const milliseconds = performance.now() - startedAt
        this.#socket.off('close', lost)
        resolve({ status, milliseconds })
      }
      this.#socket.write(bytes)
    })
  }

  end() {
    this.#socket.destroy()
  }
}
