import type { App, Outgoing } from './app.ts'
import { deliverWhole } from './rig/faults/deliver-whole.ts'
import type { Reply } from './rig/passage.ts'
import { processWire } from './rig/process-wire.ts'
import { strike } from './rig/strike.ts'
import { respond } from './service/answer.ts'

/**
 * Answers a request without a socket, as `fetch` shows it: a fault on the wire becomes a rejection, or a body that
 * breaks off.
 * @throws what `fetch` rejects with, or the reason with which the request's signal aborts
 */
export async function fetchInProcess(app: App, request: Request): Promise<Response> {
  request.signal.throwIfAborted()
  const out = await unlessAborted(app(request), request.signal)
  const isHead = request.method === 'HEAD'
  if (!('answer' in out)) return isHead ? new Response(null, out) : out
  if (out.strike) {
    const wire = processWire(request.signal)
    void strike(out, out.strike, wire)
    return wire.response
  }
  if ('Content-Encoding' in out.answer.headers) return unpacked(out, request.signal)
  const answer = isHead ? { ...out.answer, body: '' } : out.answer
  out.close('handed', answer.body.length)
  return respond(answer)
}

/** `fetch` unpacks an answer before it shows it. */
function unpacked(out: Reply, signal: AbortSignal): Promise<Response> {
  const wire = processWire(signal)
  void deliverWhole(out.answer, wire).then(() => out.close('handed', wire.bytesWritten))
  return wire.response
}

function unlessAborted(out: Outgoing | Promise<Outgoing>, signal: AbortSignal): Outgoing | Promise<Outgoing> {
  if (!(out instanceof Promise)) return out
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      // Its sender has left; the work may still come to its end.
      void out.then(late => 'answer' in late && late.close('aborted', 0))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    out.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
