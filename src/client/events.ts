import type { ClockState, ListedMailing } from './shapes.ts'

/** What happened with a request: it came, its answer is known, it is over. */
export interface RequestEvent {
  readonly what: 'opened' | 'answered' | 'closed'
  readonly id: string
  readonly number: number
  readonly user: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Of the answer that was meant for the client; null while there is none. */
  readonly status: number | null
  /** Of what struck it. */
  readonly scenario: string | null
  readonly delivered: string
}

/** Something that happened in a space. */
export type SpaceEvent =
  | { readonly type: 'request'; readonly data: RequestEvent }
  | { readonly type: 'clock'; readonly data: Omit<ClockState, '_links'> }
  /** Also when faults are armed or removed, dials turned, or a request is held. */
  | { readonly type: 'scenario'; readonly data: { readonly name: string | null } }
  | {
      readonly type: 'mailing'
      readonly data: Pick<ListedMailing, 'id' | 'name' | 'isApproved' | 'hasDraft'> & {
        readonly what: 'approved' | 'drafted' | 'edited'
      }
    }
  | { readonly type: 'reset'; readonly data: Readonly<Record<string, never>> }

/**
 * The events of a `text/event-stream`, one by one. Ends with the stream; who stops reading closes it.
 * @throws what the body breaks off with, or the signal's reason
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<SpaceEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = eventOf(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Undefined for a comment, by which the mock tells that it is still there. */
function eventOf(block: string): SpaceEvent | undefined {
  const fields = new Map(
    block.split('\n').map(line => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  const type = fields.get('event')
  const data = fields.get('data')
  return type === undefined || data === undefined
    ? undefined
    : ({ type, data: JSON.parse(data) } as SpaceEvent)
}
