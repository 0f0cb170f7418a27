import { setImmediate } from 'node:timers'

/** One brings what the sockets have; what that leads to may take another one or two. */
const turns = 4

/**
 * Resolves when what the sockets of this process hold has been read. A client in this process that has just left an
 * exchange has left it then on record, too.
 */
export async function letSocketsRun(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve))
}
