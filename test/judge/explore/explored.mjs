import { setTimeout as pause } from 'node:timers/promises'

/**
 * An example client as the client of an exam, which waits and asks with what the process has, as an application does.
 * @param {import('../../../examples/clients/client.d.ts').Send} send
 * @returns {import('mailing-sync-mock').ClientFunction}
 */
export const explored = send => call =>
  send({
    ...call,
    scheduleDate: /** @type {string} */ (call.scheduleDate),
    fetch: (address, init) => fetch(address, init),
    sleep: (milliseconds, signal) =>
      pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
    now: () => Date.now(),
  })
