import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../examples/clients/reference/send.mjs'

/** The reference client as a module of an exam. */
export default call =>
  send({
    ...call,
    fetch: (address, init) => fetch(address, init),
    sleep: (milliseconds, signal) =>
      pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
    now: () => Date.now(),
  })
