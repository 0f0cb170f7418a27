import type { Mock } from 'mailing-sync-mock'
import { Agent, type Dispatcher } from 'undici'

/** A dispatcher for undici that answers every request to one origin from a mock in this process, without a socket. */
export function mockDispatcher(mock: Pick<Mock, 'fetch'>, origin: string): Dispatcher {
  return new Agent().compose(dispatch => (options, handler) => {
    if (String(options.origin) !== origin) return dispatch(options, handler)
    void answer(mock, options, handler)
    return true
  })
}

async function answer(
  mock: Pick<Mock, 'fetch'>,
  { origin, path, query, method, headers, body }: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const stop = new AbortController()
  const controller = controllerOf(stop)
  try {
    handler.onRequestStart?.(controller, {})
    const url = new URL(path, origin)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
    const init = {
      method,
      headers: headersOf(headers),
      body: body as never,
      duplex: 'half' as const,
    }
    const response = await mock.fetch(url, { ...init, signal: stop.signal })
    handler.onResponseStart?.(
      controller,
      response.status,
      Object.fromEntries(response.headers),
      response.statusText,
    )
    for await (const chunk of response.body ?? []) handler.onResponseData?.(controller, Buffer.from(chunk))
    handler.onResponseEnd?.(controller, {})
  } catch (error) {
    // What fetch wraps is what undici itself would have met.
    handler.onResponseError?.(controller, ((error as Error).cause ?? error) as Error)
  }
}

function controllerOf(stop: AbortController): Dispatcher.DispatchController {
  return {
    get aborted() {
      return stop.signal.aborted
    },
    get reason() {
      return stop.signal.reason
    },
    paused: false,
    abort: reason => stop.abort(reason),
    pause() {},
    resume() {},
  }
}

/** undici takes headers as an object, as pairs, or as names and values in turns. */
function headersOf(given: Dispatcher.DispatchOptions['headers']): Headers {
  const headers = new Headers()
  if (!given) return headers
  const isInTurns = Array.isArray(given) && typeof given[0] === 'string'
  const pairs = isInTurns
    ? (given as string[]).flatMap((name, at) => (at % 2 === 0 ? [[name, (given as string[])[at + 1]!]] : []))
    : Symbol.iterator in given
      ? [...(given as Iterable<[string, string]>)]
      : Object.entries(given)
  for (const [name, value] of pairs)
    for (const one of [value ?? []].flat()) headers.append(name as string, String(one))
  return headers
}
