import type { z } from 'zod'
import type { DialValues } from '../../service/dials.ts'
import type { Names } from '../../service/links.ts'
import { problems } from '../../service/problem.ts'
import type { Spaces } from '../../store/spaces.ts'
import type { Arrival } from '../arrival.ts'
import type { ExamDesk } from '../exam-desk.ts'
import type { Rigs } from '../rigs.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { SidePorts } from '../side-ports.ts'
import type { SpaceRig } from '../space-rig.ts'
import { refuseSpaceName } from './space-name.ts'
import type { VerdictDocument, VerdictEnd } from './verdict-shape.ts'

/** What the control API is told of a request. */
export interface ControlCall {
  /** Base of all links, without a slash at the end. */
  readonly base: string
  /** The address by which the request came, as a browser has it, without a slash at the end: our pages stand there. */
  readonly cameBy: string
  readonly header: (name: string) => string | undefined
  readonly arrival: Arrival
}

/** Path of `/_mock` as a browser sees it, with what a proxy puts before it. */
export const rootOf = ({ cameBy }: Pick<ControlCall, 'cameBy'>): string =>
  `${new URL(cameBy).pathname.replace(/\/$/, '')}/_mock`

/** Where the service is answered. */
export interface ServicePlace {
  readonly publicUrl: string | undefined
  /** Undefined as long as it listens nowhere. */
  readonly port: () => number | undefined
}

/** The scenarios there are. */
export interface Scenarios {
  /** @throws an error whose message lists the names there are */
  get(name: string): Scenario | Promise<Scenario>
  names(): readonly string[]
  /** What is wrong with files as they are now, in sentences. */
  problems(): readonly string[]
}

/** What control calls turn and read. */
export interface Tools {
  readonly spaces: Spaces
  readonly rigs: Rigs
  readonly names: Names
  readonly scenarios: Scenarios
  readonly sidePorts: SidePorts
  /** The judge's reading of a space. */
  readonly verdict: (rig: SpaceRig, end: VerdictEnd | undefined) => Promise<VerdictDocument>
  /** Hands out cases of exams; read when the first is begun. */
  readonly exams: () => Promise<ExamDesk>
  /** The service as OpenAPI, as JSON; written when it is first asked for. */
  readonly serviceDescription: (base: string, dials: DialValues) => Promise<string>
  /** Whether the service is answered elsewhere, so that the address of a control call is not its address. */
  readonly isAlone: boolean
  /** Where the service is, for whoever is alone. */
  readonly service: ServicePlace
  /** Whether calls need a token. */
  readonly isProtected: boolean
}

export interface Link {
  readonly href: string
  readonly templated?: true
  readonly title?: string
}

/** The parameters of a path as a route writes them: `/spaces/{space}/faults/{id}`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : unknown

/** One control call that has come in, its parts checked. */
export class Incoming<Params = unknown, Query = unknown, Body = unknown> {
  readonly tools: Tools
  readonly request: Request
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly header: ControlCall['header']
  readonly #call: ControlCall

  constructor(
    tools: Tools,
    request: Request,
    call: ControlCall,
    parts: { readonly params: Params; readonly query: Query; readonly body: Body },
  ) {
    this.tools = tools
    this.request = request
    this.#call = call
    this.header = call.header
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
  }

  /** Base of all links, without a slash at the end. */
  get base(): string {
    return this.#call.base
  }

  /** The address by which the request came, as a browser has it, without a slash at the end. */
  get cameBy(): string {
    return this.#call.cameBy
  }

  /** Resolves when the client has left before its answer was whole. */
  get left(): Promise<void> {
    return this.#call.arrival.left
  }

  /** @param path below `/_mock`, each part encoded */
  link(path: string): Link {
    return { href: `${this.base}/_mock${path}` }
  }

  /** To what belongs to a space: `spaceLink('demo', '/clock')`. @param query those that are undefined are left out */
  spaceLink(
    name: string,
    rest = '',
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): Link {
    const given = Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)] as [string, string]],
    )
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
    return this.link(`/spaces/${encodeURIComponent(name)}${rest}${search}`)
  }

  /**
   * The rig of the space in the path. A change opens a private copy that nobody has used yet, as a user name would;
   * looking at one, or removing something from it, does not.
   * @throws Problem 404
   */
  async rig(this: Incoming<{ readonly space: string }>): Promise<SpaceRig> {
    const { spaces, rigs } = this.tools
    const { space: name } = this.params
    const isChange = this.request.method === 'POST' || this.request.method === 'PUT'
    const wrong = refuseSpaceName(name, spaces)
    if (wrong !== undefined) throw problems.notFound(`space ${wrong}`)
    const space = isChange ? await spaces.space(name) : await spaces.existing(name)
    if (!space) throw problems.notFound(`space "${name}" ${notOpen(name, spaces)}`)
    const rig = await rigs.of(space)
    if (isChange) rig.touch()
    return rig
  }
}

/** Why a private copy is not there, and what makes it. */
function notOpen(name: string, spaces: Spaces): string {
  const address = `/_mock/spaces/${encodeURIComponent(name).replaceAll('%2B', '+')}`
  const when = `with its user's next request, or now by PUT ${address} with {}`
  return spaces.hasMadeRoom(name)
    ? `any more: it had to make room for others (--space-limit, --space-idle). It begins anew ${when}`
    : `yet: a private copy opens ${when.replace('next', 'first')}`
}

type MaybePromise<T> = T | Promise<T>

/** One control call: everything the router, the checks and the OpenAPI document know of it. */
export interface RouteSpec<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  /** Its operationId. */
  readonly id: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below `/_mock`, parameters in braces. */
  readonly path: Path
  /** Name of the link to it in `GET /_mock`; one of the routes of each path has it. */
  readonly rel?: string
  readonly summary: string
  readonly description?: string
  /** Strict: a parameter that nobody knows is refused. Every value is text, so numbers must be read from it. */
  readonly query?: Query
  /** A JSON object. A request without a body counts as `{}`. */
  readonly body?: Body
  /** Bytes; 1 MiB unless told. */
  readonly longestBody?: number
  /** An example of the body, for people. */
  readonly example?: z.input<Body>
  /** The document that it answers with, links included. Without it there is none: 204. */
  readonly answer?: Answer
  /** Media type of the answer, when it is no HAL. */
  readonly answerType?: string
  /** Further answers by status, each with when it is given. 400 and 401 are described for all, 403, 413 and 415 for changes. */
  readonly also?: Readonly<Record<number, string>>
  /** A document is answered with 200; undefined with 204; a response as it is (`created`). */
  handle(
    call: Incoming<ParamsOf<Path>, z.output<Query>, z.output<Body>>,
  ): MaybePromise<z.input<Answer> | Response | undefined>
}

/** A control call with the types of its parts forgotten. */
export type Route = RouteSpec<string, z.ZodType, z.ZodType, z.ZodType>

/** What a client of a control call gives and gets: of the types alone, no call carries it. */
export interface Form<Method extends string, Path extends string, Query, Body, Answer> {
  readonly method: Method
  readonly path: Path
  readonly form?: {
    readonly params: ParamsOf<Path>
    readonly query: Query
    readonly body: Body
    readonly answer: Answer
  }
}

/** Keeps the types of a call's parts between what it states, the function that gets them, and clients. */
export const route = <
  const Method extends Route['method'],
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>(
  spec: RouteSpec<Path, Query, Body, Answer> & { readonly method: Method },
): Route & Form<Method, Path, z.input<Query>, z.input<Body>, z.output<Answer>> => spec as never
