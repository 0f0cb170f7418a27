import type { Delivered } from './journal.ts'
import type { Reply, Strike } from './passage.ts'
import type { Outcome, WatchedWire } from './wire.ts'

/**
 * Lets a fault act on the wire, and has the journal told what truly left. A fault that fails is reported; the connection
 * is broken, since nobody can say how far the answer has gone.
 */
export async function strike(
  reply: Reply,
  { fault, settings, context, report }: Strike,
  wire: WatchedWire,
): Promise<void> {
  try {
    await fault.deliver(reply.answer, wire, settings, context)
  } catch (error) {
    report(error)
    await wire.reset()
  } finally {
    reply.close(deliveredBy(wire), wire.bytesWritten)
  }
}

const byOutcome: Record<Outcome, Delivered> = {
  open: 'none',
  handed: 'handed',
  cut: 'cut',
  aborted: 'aborted',
  stopped: 'server-stopped',
}

const deliveredBy = ({ outcome, bytesWritten }: WatchedWire): Delivered =>
  outcome === 'cut' && bytesWritten === 0 ? 'none' : byOutcome[outcome]
