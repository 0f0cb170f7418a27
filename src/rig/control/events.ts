import type { Event } from '../events.ts'
import type { Entry } from '../journal.ts'
import { redactedTarget } from '../redaction.ts'
import type { SpaceRig } from '../space-rig.ts'
import { refuseForeignPage } from './protection.ts'
import { type Incoming, route } from './route.ts'

/** Milliseconds between signs of life, shorter than what proxies let a connection rest. */
const heartbeat = 15_000
/** So many events may wait for a slow reader; then it is let go, and may come again. */
const mostWaiting = 1_000

export const eventRoutes = [
  route({
    id: 'listenToEvents',
    method: 'GET',
    path: '/spaces/{space}/events',
    rel: 'events',
    summary: 'What happens in a space, as server-sent events',
    description:
      'Events `request` (opened, answered, closed), `clock`, `scenario`, `mailing` (approved, drafted, edited) and `reset`. After a reset it goes on with the new beginning; it ends when the space is removed.',
    answerType: 'text/event-stream',
    also: {
      200: 'A stream that does not end by itself',
      403: 'It was asked for by a page elsewhere',
      404: 'There is no such space',
    },
    async handle(call) {
      refuseForeignPage(call)
      const rig = await call.rig()
      const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
      return new Response(call.request.method === 'HEAD' ? null : stream(call, rig), { headers })
    },
  }),
]

function stream(call: Incoming, first: SpaceRig): ReadableStream<Uint8Array> {
  const { name } = first.space
  const { spaces, rigs } = call.tools
  const encoder = new TextEncoder()
  let count = 0
  let stop = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let unlisten = () => {}
        let isOver = false
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        const beat = setInterval(() => tell(': still here\n\n'), heartbeat).unref()
        const end = () => {
          if (isOver) return
          stop()
          controller.close()
        }
        function tell(text: string): void {
          if ((controller.desiredSize ?? 0) <= 0) end()
          else write(text)
        }
        async function goOn(): Promise<void> {
          const space = spaces.opened(name)
          if (!space) return end()
          listen(await rigs.of(space))
        }
        function listen(rig: SpaceRig): void {
          if (isOver) return
          unlisten = rig.events.listen(event => {
            tell(`id: ${++count}\nevent: ${event.type}\ndata: ${JSON.stringify(dataOf(event))}\n\n`)
            // The space that this one was is no more; the one that it is now has events of its own.
            if (event.type === 'reset') void goOn().catch(end)
          })
        }
        stop = () => {
          isOver = true
          clearInterval(beat)
          unlisten()
        }
        void call.left.then(end)
        write(': listening\n\n')
        listen(first)
      },
      cancel: () => stop(),
    },
    { highWaterMark: mostWaiting },
  )
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
