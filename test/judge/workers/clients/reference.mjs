import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../../../../examples/clients/reference/send.mjs'

/** The reference client as a module. @param {import('./asking.mjs').ClientCall} call */
export default ({ url, user, password, synchronizationId, state, scheduleDate }) =>
  send({
    fetch: (address, init) => fetch(address, init),
    sleep: (milliseconds, signal) =>
      pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
    now: () => Date.now(),
    ...{ url, user, password, synchronizationId, state },
    ...(scheduleDate !== undefined && { scheduleDate }),
  })
