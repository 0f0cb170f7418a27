/** Milliseconds between signs of life, shorter than what proxies let a connection rest. */
const heartbeat = 15_000
/** So many events may wait for a slow reader; then it is let go, and may come again. */
const mostWaiting = 1_000

export interface Sent {
  readonly type: string
  readonly data: unknown
}

/**
 * A stream of server-sent events that does not end by itself.
 * @param left resolves when its reader has left
 * @param follow tells of each event from now on, or ends the stream; gives back what stops it
 */
export function eventStream(
  left: Promise<void>,
  follow: (tell: (event: Sent) => void, end: () => void) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let count = 0
  let stop = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        const beat = setInterval(() => tell(': still here\n\n'), heartbeat).unref()
        const end = () => {
          if (isOver) return
          stop()
          controller.close()
        }
        function tell(text: string): void {
          if (isOver) return
          if ((controller.desiredSize ?? 0) <= 0) end()
          else write(text)
        }
        let unfollow = () => {}
        stop = () => {
          isOver = true
          clearInterval(beat)
          unfollow()
        }
        void left.then(end)
        write(': listening\n\n')
        unfollow = follow(
          ({ type, data }) => tell(`id: ${++count}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
          end,
        )
      },
      cancel: () => stop(),
    },
    { highWaterMark: mostWaiting },
  )
}
