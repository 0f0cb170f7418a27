import type { Entry } from '../../rig/journal.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

/** `begun`: it has arrived. `asked`: the service has done with it what it does. `told`: its answer has left. */
export type Moment = 'begun' | 'asked' | 'told'

/** How far an event of the journal brings an attempt. */
const reached: Readonly<Record<string, Moment>> = { opened: 'begun', answered: 'asked', closed: 'told' }

/**
 * Waits until the first attempt to create a sending has come so far.
 * @returns whether it has, before `over` resolved
 */
export function firstAttempt(rig: SpaceRig, moment: Moment, over: Promise<unknown>): Promise<boolean> {
  return new Promise(resolve => {
    const end = (has: boolean) => {
      stop()
      resolve(has)
    }
    const stop = rig.events.listen(({ type, data }) => {
      if (type !== 'request') return
      const { what, entry } = data as { what: string; entry: Entry }
      if (reached[what] === moment && rig.reader.operation(entry) === 'createSending') end(true)
    })
    void over.then(
      () => end(false),
      () => end(false),
    )
  })
}
