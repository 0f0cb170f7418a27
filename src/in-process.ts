import type { App } from './app.ts'
import { respond } from './service/answer.ts'

/** Answers a request without a socket, as `fetch` would show it. */
export async function fetchInProcess(app: App, request: Request): Promise<Response> {
  const out = await app(request)
  if (!('answer' in out)) return out
  out.close('handed', out.answer.body.length)
  return respond(out.answer)
}
