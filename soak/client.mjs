/** A client of the mock that also leaves without waiting for its answer. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'

/** Nothing that is not meant to hang takes so long, on any machine. */
const patience = 30_000

const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

export class Client {
  #port
  #agent = new Agent({ keepAlive: true })
  /** Requests begun so far. */
  count = 0

  constructor(port) {
    this.#port = port
  }

  /**
   * One request. Resolves whatever happens.
   * @param {{ method?: string, path: string, user?: string, password?: string, headers?: object, body?: unknown,
   *   leaveAfter?: number, leaveWhen?: Promise<unknown>, leaveAtFirst?: boolean }} asked when the client is gone: after so many
   *   milliseconds, when something else has come about, or as soon as something of a body has come
   * @returns {Promise<{ status?: number, text: string, trouble?: string }>} `trouble` is how it ended without a whole answer
   */
  ask({
    method = 'GET',
    path,
    user,
    password = 'demo',
    headers,
    body,
    leaveAfter = patience,
    leaveWhen,
    leaveAtFirst = false,
  }) {
    this.count++
    const sent = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    return new Promise(resolve => {
      let status
      let text = ''
      let timer
      const over = trouble => {
        clearTimeout(timer)
        resolve({ status, text, ...(trouble && { trouble }) })
      }
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path,
          agent: this.#agent,
          headers: {
            ...(user && { Authorization: basic(user, password) }),
            ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
            ...headers,
          },
        },
        incoming => {
          status = incoming.statusCode
          incoming
            .setEncoding('utf8')
            .on('data', chunk => {
              text += chunk
              if (leaveAtFirst) leave()
            })
            .once('end', () => over(incoming.complete ? undefined : 'cut'))
            .once('error', error => over(error.code ?? error.message))
        },
      )
      const leave = () => {
        over('left')
        outgoing.destroy()
      }
      outgoing.once('error', error => over(error.code ?? error.message))
      outgoing.end(sent)
      leaveWhen?.then(leave, leave)
      timer = setTimeout(() => {
        if (leaveAfter === patience) over(`nothing after ${patience / 1000} s`)
        leave()
      }, leaveAfter)
    })
  }

  /** Opens a stream, resolves when its first bytes have come, and gives what ends it. */
  open({ path, headers }) {
    this.count++
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port: this.#port, path, headers, agent: false },
        incoming => {
          if (incoming.statusCode !== 200)
            reject(new Error(`GET ${path} was answered ${incoming.statusCode}`))
          incoming.on('error', () => {})
          incoming.once('data', () => resolve(() => outgoing.destroy()))
          incoming.once('end', () => reject(new Error(`GET ${path} ended at once`)))
        },
      )
      outgoing.on('error', reject)
      outgoing.end()
    })
  }

  /** Writes some bytes, to this port or another one, and leaves. */
  drop(bytes, port = this.#port) {
    this.count++
    return new Promise(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.destroy()))
      socket.on('error', () => {})
      socket.once('close', resolve)
    })
  }

  /** The head of a request whose body is still to come. */
  headOf({ method, path, user, length }) {
    return [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${basic(user, 'demo')}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      '\r\n',
    ].join('\r\n')
  }

  /** Lets go of connections that nobody uses. */
  rest() {
    this.#agent.destroy()
    this.#agent = new Agent({ keepAlive: true })
  }
}
