import type { IncomingHttpHeaders } from 'node:http'
import type { Arrival } from '../rig/arrival.ts'
import type { Reply } from '../rig/request-context.ts'
import type { MemoryBudget } from '../store/memory-budget.ts'

/** What the app asks of a request that came over a socket. */
export interface ReceivedRequest extends Arrival {
  readonly incoming: { readonly headers: IncomingHttpHeaders }
  /**
   * Reads the body.
   * @param longest maximum number of bytes
   * @param memory of the mock; the body counts while it arrives
   * @throws Problem as `readRequestBytes` does, or 503 when memory is short
   */
  readBody(request: Request, longest: number, memory: MemoryBudget): Promise<Buffer>
}

/** A reply from a space, or a plain response that belongs to no space. */
export type AppResponse = Reply | Response

/** Answers a request; at once if nothing has to be awaited, since Node's adapter is faster without a promise. */
export type App = (request: Request, socket?: ReceivedRequest) => AppResponse | Promise<AppResponse>
