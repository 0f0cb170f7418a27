import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Connection, leaveUnread } from './rig/connection.ts'
import { type Problem, problemText } from './service/problem.ts'

/** Milliseconds that a client gets to read what it is told, and to close its side. */
const lingering = 1_000

/** There is no address of ours to lead to: what came names no host. */
const nowhere = { problem: (name: string) => `/_mock/problems/${name}` }

/**
 * Tells a client whose connection carries no request that could be answered, beside Node's own answers, and lets go of
 * it.
 */
export function sayLast(socket: Socket, problem: Problem): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  leaveUnread(socket)
  socket.on('error', () => {})
  const { status, body, headers } = problemText(problem, nowhere)
  const length = Buffer.byteLength(body)
  const head = Object.entries({ ...headers, 'Content-Length': length, Connection: 'close' })
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
  const late = setTimeout(() => socket.destroy(), lingering).unref()
  Connection.of(socket).whenClosed(() => clearTimeout(late))
}
