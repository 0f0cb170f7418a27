import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { sayLast } from './last-words.ts'
import type { Log } from './log.ts'
import { Connection } from './rig/connection.ts'
import { problems } from './service/problem.ts'

/** So many connections more are told that there is no room; beyond them the system drops them without a word. */
const toldMore = 200

/**
 * Lets so many connections stand at the same time, those that come over a side port included, and tells further ones
 * that there is no room, even before they ask for anything: one that never asks takes room as well.
 */
export function admitAtMost(limit: number, server: Server, log: Log): void {
  const letIn = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.maxConnections = limit + toldMore
  let standing = 0
  let wasFull = false
  server.on('connection', (socket: Socket) => {
    if (standing >= limit) {
      if (!wasFull) log.warn(`${limit} connections stand already, which is the most (--connection-limit)`)
      wasFull = true
      sayLast(
        socket,
        problems.noRoom(`${limit} connections stand already, which is the most (--connection-limit)`),
      )
      return
    }
    standing++
    Connection.of(socket).whenClosed(() => {
      standing--
    })
    for (const listener of letIn) listener.call(server, socket)
  })
}
