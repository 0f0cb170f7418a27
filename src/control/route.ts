import { z } from 'zod'
import type { Arrival } from '../rig/arrival.ts'
import type { ControlChange } from '../rig/history.ts'
import { refuseSpaceName } from '../rig/rigs.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { problems } from '../service/problem.ts'
import type { Spaces } from '../store/spaces.ts'
import type { ControlCall, Endpoint } from './endpoint.ts'
import type { Link } from './schemas.ts'
import type { ControlTools } from './tools.ts'

/** The query of calls that also answer in text. */
export const textFormat = z.strictObject({
  format: z
    .enum(['json', 'text'])
    .optional()
    .describe('text: for a person; the header Accept: text/plain asks for it as well'),
})

/** An answer that differs from a document with 200. */
export class WrittenAnswer {
  /** A text, or a document. */
  readonly body: string | object
  readonly headers: Readonly<Record<string, string>>
  readonly status: number

  constructor(body: string | object, headers: Readonly<Record<string, string>>, status = 200) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

export const textAnswer = (text: string, headers: Readonly<Record<string, string>> = {}): WrittenAnswer =>
  new WrittenAnswer(text, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })

/** A 201 with what was made, and where it is. */
export const createdAnswer = (made: { readonly _links: Readonly<Record<string, Link>> }): WrittenAnswer =>
  new WrittenAnswer(made, { Location: made._links.self!.href }, 201)

/** The parameters of a path in the form of a route: `/spaces/{space}/faults/{id}`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : unknown

export class IncomingCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly tools: ControlTools
  readonly request: Request
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly base: string
  readonly cameBy: string
  readonly header: ControlCall['header']
  protected readonly call: ControlCall
  readonly #given: object | undefined
  #change: { readonly rig: SpaceRig; readonly record: ControlChange } | undefined

  constructor(
    tools: ControlTools,
    request: Request,
    call: ControlCall,
    parts: {
      readonly params: Params
      readonly query: Query
      readonly body: Body
      /** The body as it came. */
      readonly given?: object | undefined
    },
  ) {
    this.tools = tools
    this.request = request
    this.call = call
    this.base = call.base
    this.cameBy = call.cameBy
    this.header = call.header
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.#given = parts.given
  }

  /** Whether text is asked for: by `format`, or else by the header Accept. Of a route with `text`. */
  get wantsText(): boolean {
    const { format } = this.query as z.output<typeof textFormat>
    return format === undefined ? /^\s*text\/plain\b/i.test(this.header('accept') ?? '') : format === 'text'
  }

  /** The connection by which it came. */
  get arrival(): Arrival {
    return this.call.arrival
  }

  /** Resolves when the client disconnects before it has the whole answer. */
  get left(): Promise<void> {
    return this.arrival.clientLeft
  }

  /** @param path below `/_mock`, each part encoded */
  link(path: string): Link {
    return { href: `${this.base}/_mock${path}` }
  }

  /** A link below a space: `spaceLink('demo', '/clock')`. @param query undefined values are left out */
  spaceLink(name: string, rest = '', query: Readonly<Record<string, string | number | undefined>> = {}) {
    const search = new URLSearchParams()
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
    return this.link(`/spaces/${encodeURIComponent(name)}${rest}${search.size === 0 ? '' : `?${search}`}`)
  }

  /** Links of a document about the space. @param self path below it @param others also such paths; `space` is itself */
  spaceLinks<Relation extends string = never>(
    this: IncomingCall<{ readonly space: string }>,
    self: string,
    ...others: Relation[]
  ): Record<'self' | Relation, Link> {
    const { space } = this.params
    const links = others.map(rel => [rel, this.spaceLink(space, rel === 'space' ? '' : `/${rel}`)])
    return { self: this.spaceLink(space, self), ...Object.fromEntries(links) }
  }

  /** When it began to change its space, on the clock of that; milliseconds since 1970. */
  get changesAt(): number {
    return this.#change!.record.clock
  }

  /** Tells the history of the space which it has changed how it was answered. A space that has ended has no history any more. */
  endChange(status: number): void {
    if (!this.#change) return
    const { rig, record } = this.#change
    rig.journal.history.endChange(record, status, rig.clock.now())
  }

  /** The space that the call reads or changes; what it changes from here on is on record. @throws Problem 404 */
  async rig(this: IncomingCall<{ readonly space: string }>): Promise<SpaceRig> {
    const rig = await this.openRig()
    this.noteChange(rig)
    return rig
  }

  /** The same, after its platform has been advanced to the present. @throws Problem 404 */
  async upToDateRig(this: IncomingCall<{ readonly space: string }>): Promise<SpaceRig> {
    const rig = await this.openRig()
    await rig.advancePlatform()
    this.noteChange(rig)
    return rig
  }

  /** A change opens an unused private space, as its user would; reading and removing do not. @throws Problem 404 */
  private async openRig(this: IncomingCall<{ readonly space: string }>): Promise<SpaceRig> {
    const { spaces, rigs } = this.tools
    const { space: name } = this.params
    const isChange = this.request.method === 'POST' || this.request.method === 'PUT'
    const wrong = refuseSpaceName(name, spaces)
    if (wrong !== undefined) throw problems.notFound(`space ${wrong}`)
    const space = isChange ? await spaces.getOrOpen(name) : await spaces.getExisting(name)
    if (!space) throw problems.notFound(`space "${name}" ${whyNotOpen(name, spaces)}`)
    const rig = await rigs.of(space)
    if (isChange) rig.use.touch()
    return rig
  }

  /** Puts it on record that this call changes the space from here on, unless it only reads. */
  noteChange(rig: SpaceRig): void {
    const { method, url } = this.request
    if (method === 'GET' || method === 'HEAD' || this.#change?.rig === rig) return
    const { pathname, search } = new URL(url)
    const record = rig.journal.history.beginChange({
      method,
      path: pathname.replace(/^.*?\/spaces\/[^/]*/, '') + search,
      body: this.#given,
      by: this.header('sec-fetch-site') === undefined ? programOf(this.header('user-agent')) : 'a page',
      ...rig.now(),
      after: rig.journal.count,
      age: rig.space.data.age,
    })
    this.#change = { rig, record }
  }
}

/** How the program that calls names itself. */
const programOf = (userAgent: string | undefined): string => userAgent?.slice(0, 100) || 'a program'

export type SpaceCall<Query = unknown> = IncomingCall<{ readonly space: string }, Query>

/** Why a private space does not exist, and what opens it. */
function whyNotOpen(name: string, spaces: Spaces): string {
  const address = `/_mock/spaces/${encodeURIComponent(name).replaceAll('%2B', '+')}`
  const when = `with its user's next request, or now by PUT ${address} with {}`
  return spaces.wasEvicted(name)
    ? `any more: it was removed to make room for others (--space-limit, --space-idle). It starts again ${when}`
    : `yet: a private space opens ${when.replace('next', 'first')}`
}

type MaybePromise<T> = T | Promise<T>

/** Method and path of a control call: `GET /spaces/{space}/clock`, below `/_mock`, parameters in braces. */
type RouteName = `${Endpoint['method']} /${string}`

/** The definition of a control call, used by the app, the checks and the OpenAPI document. */
export interface RouteSpec<
  Name extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  /** Name of its link in `GET /_mock`; given once per path. */
  readonly rel?: string
  readonly summary: string
  readonly description?: string
  /** Strict: unknown parameters are refused. All values are texts, so numbers must be parsed. */
  readonly query?: Query
  /** A JSON object. A request without a body counts as `{}`. */
  readonly body?: Body
  /** Maximum number of bytes; 1 MiB by default. */
  readonly longestBody?: number
  /** An example of the body, for people. */
  readonly example?: z.input<Body>
  /** The document that it returns, including links. Without it there is none: 204. */
  readonly answer?: Answer
  /** Whether it also answers in text for people. Its query then includes `textFormat`. */
  readonly text?: true
  /** Media type of the answer, unless it is HAL. */
  readonly answerType?: string
  /** Further answers, with reasons. 400, 401 and 403 are described for all, 413 and 415 for changes, 404 for spaces. */
  readonly also?: Readonly<Record<number, string>>
  /** Whether it makes the space if there is none. */
  readonly makesSpace?: true
  /** Whether pages of other sites are refused, although it changes nothing. */
  readonly isForOwnPages?: true
  /** A document becomes 200, undefined becomes 204; a response, which is a stream, is sent as it is. */
  handle(
    call: IncomingCall<ParamsOf<Name>, z.output<Query>, z.output<Body>>,
  ): MaybePromise<z.input<Answer> | WrittenAnswer | Response | undefined>
}

/** A control call without the types of its parts. */
export interface Route
  extends RouteSpec<string, z.ZodType, z.ZodType, z.ZodType>,
    Pick<Endpoint, 'method' | 'path'> {
  readonly id: string
}

/** Input and output of a control call for clients. It exists only as a type. */
export interface CallForm<Name extends string, Query, Body, Answer> {
  readonly name?: Name
  readonly form?: {
    readonly params: ParamsOf<Name>
    readonly query: Query
    readonly body: Body
    readonly answer: Answer
  }
}

/** Connects the types of a call's schemas with its handler and with clients. @param id its operationId */
export function route<
  const Name extends RouteName,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>(
  name: Name,
  id: string,
  spec: RouteSpec<Name, Query, Body, Answer>,
): Route & CallForm<Name, z.input<Query>, z.input<Body>, z.output<Answer>> {
  const [method, path] = name.split(' ')
  return { id, method, path, ...spec } as never
}
