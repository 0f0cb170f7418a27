import type { App, Outgoing } from './app.ts'
import { deliverWhole } from './rig/faults/deliver-whole.ts'
import type { Reply } from './rig/passage.ts'
import { processWire } from './rig/process-wire.ts'
import { strike } from './rig/strike.ts'
import { respond } from './service/answer.ts'

/**
 * A `fetch` that answers requests without a socket: a fault on the wire becomes a rejection, or a body that breaks off.
 * It rejects with what `fetch` rejects with, or with the reason with which the request's signal aborts.
 */
export function processFetch(app: App) {
  // Node drops a Request of which only the signal is still held, and what should abort that signal no longer reaches it.
  // So whoever is being answered stays here.
  const asking = new Set<readonly unknown[]>()
  return async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request && !init ? input : new Request(input, init)
    const held = [input, request]
    const release = () => void asking.delete(held)
    asking.add(held)
    try {
      const { response, delivered } = await answered(app, request)
      if (delivered) void delivered.finally(release)
      else release()
      return response
    } catch (error) {
      release()
      throw error
    }
  }
}

interface Answered {
  readonly response: Response | Promise<Response>
  /** Resolves when nothing more will reach the client; nothing where all of it has. */
  readonly delivered?: Promise<void>
}

async function answered(app: App, request: Request): Promise<Answered> {
  request.signal.throwIfAborted()
  const out = await unlessAborted(app(request), request.signal)
  const isHead = request.method === 'HEAD'
  if (!('answer' in out)) return { response: isHead ? new Response(null, out) : out }
  if (out.strike) {
    const wire = processWire(request.signal)
    return { delivered: strike(out, out.strike, wire), response: wire.response }
  }
  if ('Content-Encoding' in out.answer.headers) return unpacked(out, request.signal)
  const answer = isHead ? { ...out.answer, body: '' } : out.answer
  out.close('handed', answer.body.length)
  return { response: respond(answer) }
}

/** `fetch` unpacks an answer before it shows it. */
function unpacked(out: Reply, signal: AbortSignal): Answered {
  const wire = processWire(signal)
  const delivered = deliverWhole(out.answer, wire).then(() => out.close('handed', wire.bytesWritten))
  return { delivered, response: wire.response }
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
