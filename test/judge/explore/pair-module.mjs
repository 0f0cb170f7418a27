import { setTimeout as pause } from 'node:timers/promises'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'

const pair = pairs.find(({ id }) => id === process.env.PAIR)
const send = pair ? clientOfPair(pair) : reference

/**
 * The client of the pair that the variable PAIR names, or the reference client, as a module of an exam.
 * @type {import('mailing-sync-mock').ClientFunction}
 */
export default call =>
  send({
    ...call,
    scheduleDate: /** @type {string} */ (call.scheduleDate),
    fetch: (address, init) => fetch(address, init),
    sleep: (milliseconds, signal) =>
      pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
    now: () => Date.now(),
  })
