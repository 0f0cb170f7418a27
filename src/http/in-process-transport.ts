import { deliverWhole } from '../rig/faults/fault.ts'
import type { Reply } from '../rig/request-context.ts'
import { toResponse } from '../service/response.ts'
import type { App, AppResponse } from './app.ts'
import { inProcessWire } from './in-process-wire.ts'
import { applyFault } from './wire.ts'

/**
 * A `fetch` that answers requests without a socket. A wire fault becomes a rejection or a body that breaks off. It rejects
 * with the same errors as `fetch`, or with the abort reason of the request's signal.
 */
export function createInProcessFetch(app: App) {
  // Node collects a Request of which only the signal is referenced; the signal then no longer aborts. So requests are
  // referenced here until they are answered.
  const asking = new Set<readonly unknown[]>()
  return async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request && !init ? input : new Request(input, init)
    const held = [input, request]
    const release = () => void asking.delete(held)
    asking.add(held)
    try {
      const { response, delivered } = await answerInProcess(app, request)
      if (delivered) void delivered.finally(release)
      else release()
      return response
    } catch (error) {
      release()
      throw error
    }
  }
}

interface InProcessAnswer {
  readonly response: Response | Promise<Response>
  /** Resolves when nothing more will reach the client; undefined when the answer is already complete. */
  readonly delivered?: Promise<void>
}

async function answerInProcess(app: App, request: Request): Promise<InProcessAnswer> {
  request.signal.throwIfAborted()
  const out = await rejectOnAbort(app(request), request.signal)
  const isHead = request.method === 'HEAD'
  if (!('answer' in out)) return { response: isHead ? new Response(null, out) : out }
  if (out.pendingFault) {
    const wire = inProcessWire(request.signal)
    return { delivered: applyFault(out, out.pendingFault, wire), response: wire.response }
  }
  if ('Content-Encoding' in out.answer.headers) return decodeAnswer(out, request.signal)
  const answer = isHead ? { ...out.answer, body: '' } : out.answer
  out.close('handed', answer.body.length)
  return { response: toResponse(answer) }
}

/** Decodes the content encoding, as `fetch` does. */
function decodeAnswer(out: Reply, signal: AbortSignal): InProcessAnswer {
  const wire = inProcessWire(signal)
  const delivered = deliverWhole(out.answer, wire).then(() => out.close('handed', wire.bytesWritten))
  return { delivered, response: wire.response }
}

function rejectOnAbort(out: Promise<AppResponse>, signal: AbortSignal): Promise<AppResponse> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      // The client has left, but the work may still finish.
      void out.then(late => 'answer' in late && late.close('aborted', 0))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    out.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
