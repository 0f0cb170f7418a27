import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from '../../../examples/clients/client.d.ts'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'

/** An example client as a function that waits and asks with what the process has, as an application does. */
export const explored =
  (send: Send): ClientFunction =>
  ({ url, user, password, synchronizationId, state, scheduleDate }) =>
    send({
      fetch: (address, init) => fetch(address, init),
      sleep: (milliseconds, signal) =>
        pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
      now: () => Date.now(),
      url,
      user,
      password,
      synchronizationId,
      state,
      ...(scheduleDate !== undefined && { scheduleDate }),
    })
