import type { Event } from '../events.ts'
import type { Entry } from '../journal.ts'
import { redactedTarget } from '../redaction.ts'
import type { SpaceRig } from '../space-rig.ts'
import { eventStream } from './event-stream.ts'
import { refuseForeignPage } from './protection.ts'
import { type Incoming, route } from './route.ts'

const statuses = {
  200: 'A stream that does not end by itself',
  403: 'It was asked for by a page elsewhere',
}

export const eventRoutes = [
  route({
    id: 'listenToAllEvents',
    method: 'GET',
    path: '/events',
    rel: 'all-events',
    summary: 'What happens in any space, as server-sent events',
    description:
      'The events of each space, with its name as `space`; and `space` when one has opened. One that begins anew tells `reset`, and then `space`.',
    answerType: 'text/event-stream',
    also: statuses,
    handle(call) {
      refuseForeignPage(call)
      return streamed(call, () => {
        const { events } = call.tools.rigs
        return eventStream(call.left, tell =>
          events.listen((space, event) =>
            tell({ type: event.type, data: { space, ...(dataOf(event) as object) } }),
          ),
        )
      })
    },
  }),
  route({
    id: 'listenToEvents',
    method: 'GET',
    path: '/spaces/{space}/events',
    rel: 'events',
    summary: 'What happens in a space, as server-sent events',
    description:
      'Events `request` (opened, answered, closed), `clock`, `scenario` (also when one-shot faults are armed or removed, dials turned, or a request is held), `mailing` (approved, drafted, edited) and `reset`. After a reset it goes on with the new beginning; it ends when the space is removed.',
    answerType: 'text/event-stream',
    also: { ...statuses, 404: 'There is no such space' },
    async handle(call) {
      refuseForeignPage(call)
      const rig = await call.rig()
      return streamed(call, () => eventsOf(call, rig))
    },
  }),
]

function streamed({ request }: Incoming, stream: () => ReadableStream<Uint8Array>): Response {
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
  return new Response(request.method === 'HEAD' ? null : stream(), { headers })
}

function eventsOf(call: Incoming, first: SpaceRig): ReadableStream<Uint8Array> {
  const { name } = first.space
  const { spaces, rigs } = call.tools
  return eventStream(call.left, (tell, end) => {
    let isOver = false
    let unlisten = () => {}
    async function goOn(): Promise<void> {
      const space = spaces.opened(name)
      if (!space) return end()
      listen(await rigs.of(space))
    }
    function listen(rig: SpaceRig): void {
      if (isOver) return
      unlisten = rig.events.listen(event => {
        tell({ type: event.type, data: dataOf(event) })
        // The space that this one was is no more; the one that it is now has events of its own.
        if (event.type === 'reset') void goOn().catch(end)
      })
    }
    listen(first)
    return () => {
      isOver = true
      unlisten()
    }
  })
}

function dataOf({ type, data }: Event): unknown {
  if (type !== 'request') return data
  const { what, entry } = data as { what: string; entry: Entry }
  const { number, decision, told, delivered } = entry
  return {
    what,
    id: entry.id,
    number,
    user: entry.user,
    method: entry.method,
    target: redactedTarget(entry.target),
    status: told?.status ?? null,
    scenario: decision?.scenario ?? null,
    delivered,
  }
}
