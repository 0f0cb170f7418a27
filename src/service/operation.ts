import type { Context } from 'hono'
import type { z } from 'zod'
import type { PlanStep, Right, SendingState } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'
import type { Citations, Cited, Claim } from './claim.ts'
import type { DialValues } from './dials.ts'
import type { Links } from './links.ts'
import type { PreparedDials } from './prepared-dials.ts'
import type { ServiceProblem } from './problem.ts'
import type { RenderCache } from './render-cache.ts'
import type { AnyForm, Collection } from './resource.ts'
import type { Answer } from './response.ts'

/** The groups of operations in the OpenAPI document. Their sections follow from the operations. */
export const tags = {
  Sendings: 'Creating sendings, and what became of them, as their states say (spec 3).',
  'Mailing synchronizations': 'What ties an editor mailing to a target list.',
  'Mailing-uploads': 'Mailings created on the platform without sending them.',
  Testing: 'Previews, test recipients and test sendings.',
  Mailings: 'The mailings of the editor.',
  'Accessible customers': 'Customers of the platform and the lists that the space may use.',
} as const

export interface Success {
  readonly status: number
  readonly cites: Citations
  /** What the body holds; without it there is no body. */
  readonly shows?: AnyForm | Collection
  readonly hasLocation?: boolean
}

/** The body of a request. Unknown members are ignored. */
export interface RequestBody<Schema extends z.ZodObject = z.ZodObject> {
  /** Of its schema in the OpenAPI document. */
  readonly name: string
  readonly schema: Schema
  /** The schema with these dials; always the same if absent. */
  readonly schemaFor?: (dials: DialValues) => Schema
  /** What is read of a body that does not fit the schema but is not checked. Undefined if it has to fit. */
  readonly withoutCheck?: (
    c: ServiceContext,
    body: Readonly<Record<string, unknown>>,
  ) => z.output<Schema> | undefined
  /** About the body as a whole. */
  readonly claims?: readonly Claim[]
  readonly members: { readonly [Name in keyof z.output<Schema>]-?: Citations }
}

/** The variables of a request's path, decoded, by the names that they have in the path of the operation. */
export type PathVariables = Readonly<Record<string, string>>

/** A sending whose state an answer shows. */
export interface ShownSending {
  readonly sendingId: string
  /** Undefined if it has none, and if the answer does not name it. */
  readonly transactionId: string | undefined
  readonly state: SendingState
}

/**
 * A request that asks for a sending. What a client asks for is every member of the body but the ID: a repeat that changes one is
 * noticed, and two requests that agree in all of them probably mean one mailing.
 */
export interface Creation<Member extends string = string> {
  readonly creates: 'sending'
  /** The member with the ID that a repeat has as well, and another sending has not. */
  readonly identifiedBy: Member
  /** The member with the time at which it goes out; at once without one. */
  readonly scheduledBy: Member
}

/** A request after which a platform mailing exists that is not sent. Its repeat makes another one. */
export interface UploadCreation {
  readonly creates: 'mailing-upload'
}

/** A request after which a sending does not go out any more. Who was told so may ask for the same mailing anew. */
export interface Ending {
  readonly ends: 'sending'
  /** Which one, by its ID or its transaction ID. The body is as the client wrote it, empty for none. */
  readonly which: (request: {
    readonly params: PathVariables
    readonly body: Readonly<Record<string, unknown>>
  }) => { readonly sendingId: unknown } | { readonly transactionId: unknown }
  /** What tells a client that it has ended: statuses of its answers, and problems that say that it had ended before. */
  readonly toldBy: readonly (number | ServiceProblem)[]
}

/**
 * What an operation that changes something means to the judge of clients, who takes the intentions of a client and what it may do
 * next from this. `nothing`: it neither brings about nor ends anything that goes to a list.
 */
export type Meaning<Member extends string = string> = Creation<Member> | UploadCreation | Ending | 'nothing'

/** What is said by the definition of an operation that changes something, and only there. */
type Meant<Body extends z.ZodObject> =
  | { readonly method: 'GET' }
  | { readonly means: Meaning<keyof z.output<NoInfer<Body>> & string> }

interface Definition<Query extends z.ZodObject, Body extends z.ZodObject> {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** `:platform` stands for the platform segment of integration paths. */
  readonly path: string
  /** Other paths with the same answers, and the claim that says so. */
  readonly alsoAt?: readonly { readonly path: string; readonly cites: string }[]
  readonly tag: keyof typeof tags
  readonly summary: string
  readonly claim: Claim
  /** What is said of each parameter, of the path and of the query. */
  readonly parameters: Readonly<Record<string, Citations>>
  readonly query?: Query
  /** Whether a page of 1000 is granted by the document (spec 8), whatever the dial says. */
  readonly isPageSizeGranted?: boolean
  readonly body?: RequestBody<Body>
  readonly answers: readonly Success[] | ((dials: DialValues) => readonly Success[])
  /** Problems besides those that follow from method, path and input. */
  readonly problems?: readonly ServiceProblem[]
  /** Claims about error statuses of this operation in particular. */
  readonly refusals?: Readonly<Record<number, Cited>>
  /** Further claims about it, in the order of the register. */
  readonly claims?: readonly Cited[]
  /**
   * Of a read from which a client can tell the state of sendings: those that the body of its answer shows, which may have come
   * damaged or from elsewhere. The judge takes them for known to the client, the timelines draw them.
   */
  readonly shownSendings?: (
    body: Readonly<Record<string, unknown>>,
    params: PathVariables,
  ) => readonly ShownSending[]
  readonly means?: Meaning
  readonly handle: (
    c: ServiceContext,
    input: { readonly query: z.output<Query>; readonly body: z.output<Body> },
  ) => Answer
}

/** One endpoint: everything about it, and its behaviour. */
export interface Operation extends Omit<Definition<z.ZodObject, z.ZodObject>, 'handle'> {
  /** Section of the spec, as in its main claim; `S` if only documentation beyond it describes the operation. */
  readonly section: string
  /** Reading takes the right `read`, everything else `write`. */
  readonly right: Right
  readonly handle: (c: ServiceContext, input: { readonly query: unknown; readonly body: unknown }) => Answer
}

/** Defines an operation. The handler's input has the types of its query and its body. */
export const operation = <
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(
  definition: Definition<Query, Body> & Meant<Body>,
): Operation =>
  ({
    ...definition,
    section: definition.claim.id.split(' ')[0],
    right: definition.method === 'GET' ? 'read' : 'write',
  }) as unknown as Operation

export const answersOf = ({ answers }: Operation, dials: DialValues): readonly Success[] =>
  typeof answers === 'function' ? answers(dials) : answers

/** Thrown by the body of a call whose body has not come: the service would go on with it. */
export class BodyNeeded extends Error {}

/** What the service knows of a request besides its method and path: plain values only. */
export interface ServiceCall {
  readonly space: Space
  readonly rights: readonly Right[]
  /** Path and query, as the client wrote them. */
  readonly target: string
  readonly links: Links
  /** What was rendered with these links and these dials. */
  readonly rendered: RenderCache
  /** ID of the request. Every effect on the platform names it as its cause. */
  readonly cause: string
  /** A request header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** What this space does where the API document leaves a choice. */
  readonly dials: DialValues
  /** The same dials, with what follows from them. */
  readonly prepared: PreparedDials
  /** Whether the list of synchronizations leaves test synchronizations out. */
  readonly hidesTestSynchronizations: boolean
  /** The body of the request. @throws Problem with which reading it failed: 413 over the limit, 400 when it ended early */
  readonly body: () => Uint8Array
  /** The JSON object in the body. @throws Problem 400 for anything else */
  readonly json: () => Readonly<Record<string, unknown>>
  /** The states that a sending created by this request passes through. Without a plan it is CREATED at once. */
  readonly plan: readonly PlanStep[] | undefined
}

/** What a handler works with: Hono's context, whose `env` is the call. */
export type ServiceContext = Context<{ Bindings: ServiceCall }>

const integrationsPath = '/integrations/:platform'
export const synchronizationsPath = `${integrationsPath}/mailing-synchronizations`
/** The spelling in the headings of 4.8 and 4.9. */
export const misspeltSynchronizationsPath = `${integrationsPath}/mailing-sychronizations`
/** A path that is also taken with a slash at its end. */
export const withSlash = (path: string) => ({ path: `${path}/`, cites: 'S trailing slash' })
export const customersPath = `${integrationsPath}/accessible-customers`
