import type { RigView } from '../rig/space-view.ts'
import { type IncomingCall, route } from './route.ts'
import type { ControlTools } from './tools.ts'

/** Milliseconds between heartbeats; proxies close connections that are idle for longer. */
const heartbeat = 15_000
/** Maximum number of bytes that wait for a slow reader. Then the stream ends, and the reader may connect again. */
const maxWaiting = 128 << 10
/** Bytes of a stream without what waits, roughly. */
const streamBytes = 16 << 10

/** Passes each event from now on, its data as JSON, or ends the stream; returns a function that stops it. */
type Follow = (tell: (type: string, data: string) => void, end: () => void) => () => void

/** A stream of server-sent events that does not end by itself. */
function eventStream({ left, tools }: IncomingCall, follow: Follow): ReadableStream<Uint8Array> {
  const { streams } = tools
  const close = streams.open()
  const memory = tools.rigs.budget.share('streams')
  const encoder = new TextEncoder()
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const start = (given: typeof controller) => {
    controller = given
  }
  const stream = new ReadableStream<Uint8Array>(
    { start, pull: count, cancel: stop },
    new ByteLengthQueuingStrategy({ highWaterMark: maxWaiting }),
  )
  /** What has still to be passed on. */
  let waiting = ''
  let number = 0
  let isOver = false
  let unfollow = () => {}
  const beat = setInterval(() => tell(': still here\n\n'), heartbeat).unref()
  count()
  void left.then(end)
  write(': listening\n\n')
  unfollow = follow((type, data) => tell(`id: ${++number}\nevent: ${type}\ndata: ${data}\n\n`), end)
  return stream

  function count(): void {
    memory.set(streamBytes + maxWaiting - (controller.desiredSize ?? maxWaiting) + waiting.length)
  }

  function write(text: string): void {
    controller.enqueue(encoder.encode(text))
  }

  function tell(text: string): void {
    if (isOver) return
    if ((controller.desiredSize ?? 0) <= waiting.length) end()
    else {
      waiting += text
      count()
      streams.passOn(pass)
    }
  }

  function pass(): void {
    if (waiting === '') return
    const text = waiting
    waiting = ''
    write(text)
    if (!isOver) count()
  }

  function stop(): void {
    isOver = true
    clearInterval(beat)
    memory.close()
    close()
    unfollow()
    waiting = ''
  }

  function end(): void {
    if (isOver) return
    pass()
    stop()
    controller.close()
  }
}

const statuses = { 200: 'A stream that does not end by itself', 403: 'It was asked for by a page elsewhere' }

export const eventRoutes = [
  route('GET /events', 'listenToAllEvents', {
    rel: 'all-events',
    summary: 'What happens in any space, as server-sent events',
    description:
      'The events of each space, with its name as `space`; and `space` when one has opened, or a request had missing or wrong credentials (`turned away`). One that starts again sends `reset`, and then `space`.',
    answerType: 'text/event-stream',
    also: statuses,
    isForOwnPages: true,
    handle: call =>
      streamAnswer(call, tell =>
        call.tools.rigs.events.listen((space, event) =>
          tell(event.type, call.tools.streams.textOf(event, space)),
        ),
      ),
  }),
  route('GET /spaces/{space}/events', 'listenToEvents', {
    rel: 'events',
    summary: 'What happens in a space, as server-sent events',
    description:
      'Events `request` (opened, answered, closed), `clock`, `scenario` (also when one-shot faults are armed or removed, dials turned, or a request is held), `mailing` (approved, drafted, edited, deleted) and `reset`. After a reset it goes on with the new beginning; it ends when the space is removed.',
    answerType: 'text/event-stream',
    also: { ...statuses, 404: 'There is no such space' },
    isForOwnPages: true,
    handle: async call => streamAnswer(call, followSpace(call.tools, await call.rig())),
  }),
]

function streamAnswer(call: IncomingCall, follow: Follow): Response {
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
  call.tools.streams.refuseWhenFull()
  call.tools.rigs.budget.demand(streamBytes)
  return new Response(call.request.method === 'HEAD' ? null : eventStream(call, follow), { headers })
}

/** Follows a space beyond its resets, until it is removed. */
function followSpace(
  { spaces, rigs, streams }: Pick<ControlTools, 'spaces' | 'rigs' | 'streams'>,
  first: RigView,
): Follow {
  return (tell, end) => {
    let isOver = false
    let unlisten = () => {}
    async function goOn(): Promise<void> {
      const space = spaces.getOpen(first.space.name)
      if (!space) return end()
      listen(await rigs.of(space))
    }
    function listen(rig: RigView): void {
      if (isOver) return
      unlisten = rig.events.listen(event => {
        tell(event.type, streams.textOf(event))
        // A reset makes a new space object with its own events.
        if (event.type === 'reset') void goOn().catch(end)
      })
    }
    listen(first)
    return () => {
      isOver = true
      unlisten()
    }
  }
}
