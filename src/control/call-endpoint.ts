import { readRequestBytes } from '../rig/request-body.ts'
import { defaultDials } from '../service/dials.ts'
import { toProblem } from '../service/problem.ts'
import { halType } from '../service/response.ts'
import type { ControlCall, ControlContext, Endpoint } from './endpoint.ts'
import { IncomingCall, type Route, WrittenAnswer } from './route.ts'
import { defaultBodyLimit, members, parseOrRefuse, readJsonBody } from './schemas.ts'
import type { ControlTools } from './tools.ts'

/** How much more memory than its bytes a body takes while it is read and checked; measured. */
const bodyFactor = 8
/** Bytes of a body that is taken at any time: those of calls that give memory back, such as a reset, are small. */
const smallBody = 4_096

const noParameters = members({})

/** The endpoint of a control call: reads and checks query and body, and sends what the call returns. */
export function callEndpoint(route: Route, tools: ControlTools): Endpoint {
  const { method, path, isForOwnPages, query = noParameters, body, longestBody = defaultBodyLimit } = route
  const { budget } = tools.rigs
  const { answerType = halType } = route

  async function handle({ req, env }: ControlContext) {
    // Node loses what follows on a connection when the body of a request with Upgrade, as Java sends it, comes after the answer.
    if (!body && announcedLength(env, longestBody) > 0) await readRequestBytes(req.raw, defaultBodyLimit)
    const params = req.param()
    const asked = parseOrRefuse(query, req.query())
    const given = body ? await readJsonBody(req.raw, longestBody) : undefined
    const parts = { params, query: asked, body: body ? parseOrRefuse(body, given) : undefined, given }
    const call = new IncomingCall<unknown>(tools, req.raw, env, parts)
    try {
      const document = await route.handle(call)
      call.endChange(statusOf(document))
      return document
    } catch (error) {
      call.endChange(toProblem(error)?.status(defaultDials) ?? 500)
      throw error
    }
  }

  async function answer(c: ControlContext): Promise<Response> {
    const memory = budget.share('requests')
    if (body) {
      const bytes = bodyFactor * announcedLength(c.env, longestBody)
      if (bytes > bodyFactor * smallBody) budget.demand(bytes)
      memory.add(bytes)
    }
    const document = await handle(c).finally(() => memory.close())
    // The answer may contain rows whose save is still pending and may yet fail.
    await tools.spaces.getOpen(c.req.param('space') ?? '')?.data.durable
    if (document instanceof Response) return document
    return document === undefined ? new Response(null, { status: 204 }) : respond(document as object, c.env)
  }

  /** @throws MemoryFullError when there is no room for it beside what has not left yet */
  async function respond(document: object, { arrival }: ControlCall): Promise<Response> {
    const { body, status, headers } =
      document instanceof WrittenAnswer ? document : new WrittenAnswer(document, {})
    const outgoing = tools.outgoing.begin()
    try {
      const isText = typeof body === 'string'
      const bytes = isText ? outgoing.text(body) : await outgoing.json(body, tools.outgoing.turns)
      outgoing.leaveWith(arrival)
      return new Response(bytes, { status, headers: { 'Content-Type': answerType, ...headers } })
    } catch (error) {
      outgoing.drop()
      throw error
    }
  }

  return { method, path, isForOwnPages, example: route.example as object | undefined, answer }
}

/** The status with which what a call returns is answered. */
const statusOf = (document: unknown): number =>
  document === undefined
    ? 204
    : document instanceof Response || document instanceof WrittenAnswer
      ? document.status
      : 200

/** The announced length of a body in bytes; the maximum if it comes in pieces. */
function announcedLength({ header }: ControlCall, longest: number): number {
  const length = header('transfer-encoding') === undefined ? Number(header('content-length') ?? 0) : longest
  return Math.min(length, longest)
}
