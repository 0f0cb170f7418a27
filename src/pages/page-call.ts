import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { type ControlCall, controlRoot } from '../control/endpoint.ts'
import { IncomingCall } from '../control/route.ts'
import type { ControlTools } from '../control/tools.ts'
import { type ClientReport, clientReport, endQuery } from '../control/verdict.ts'
import type { RigView } from '../rig/space-view.ts'
import { toQueryString } from './components/listing.tsx'
import type { PolicyChanges } from './page-headers.ts'

/** The pages of a space in the order of their tabs: name, label, and path below the space. */
export const tabs = [
  ['connect', 'Connect', '/connect'],
  ['requests', 'Requests', ''],
  ['sendings', 'Sendings', '/sendings'],
  ['verdict', 'Verdict', '/verdict'],
  ['mailings', 'Mailings', '/mailings'],
  ['platform', 'Platform', '/platform'],
  ['scenario', 'Scenario', '/scenario'],
  ['clock', 'Clock', '/clock'],
  ['data', 'Settings', '/data'],
] as const

export type TabName = (typeof tabs)[number][0]

const endSchema = z.object(endQuery)

/** Parameters in the addresses of pages. A page reads only those of its addresses in the table of pages. */
type PageParams = Readonly<
  Record<'space' | 'exam' | 'id' | 'document' | 'operation' | 'rel' | 'name', string>
>

/** A request for a page: what a control call receives, and helpers for addresses. */
export class PageCall<Query = unknown> extends IncomingCall<PageParams, Query, undefined> {
  /** Path of `/_mock` as the browser sees it, with the prefix of a proxy. */
  readonly root: string
  /** Whether control calls are served at this address, so that buttons can make them. */
  readonly hasCalls: boolean
  /** Whether answers of the service link to this page. It then tells no more than the service, in its frame too. */
  readonly isLinkedByService: boolean
  #end: ClientReport | undefined

  constructor(
    tools: ControlTools,
    request: Request,
    call: ControlCall,
    parts: {
      readonly params: PageParams
      readonly query: Query
      readonly isLinkedByService?: true | undefined
    },
  ) {
    super(tools, request, call, { ...parts, body: undefined })
    this.root = controlRoot(call)
    this.hasCalls = tools.hasCalls
    this.isLinkedByService = parts.isLinkedByService ?? false
  }

  /** Address of something below `/_mock`, for a link or a button. @param path with each part encoded */
  at(path: string): string {
    return path === '/' ? this.root : this.root + path
  }

  /** Address of something in a space: `inSpace('demo', '/clock')`. */
  inSpace(name: string, rest = ''): string {
    return this.at(`/spaces/${encodeURIComponent(name)}${rest}`)
  }

  /**
   * What the address says of the client's end, or else the last call for its verdict, which the service does not know. It is read
   * once, since each link of a page may carry it.
   */
  get end(): ClientReport {
    if (this.#end === undefined) {
      const { data } = endSchema.safeParse(Object.fromEntries(new URL(this.request.url).searchParams))
      const { spaces, rigs, run } = this.tools
      const space = this.isLinkedByService ? undefined : spaces.getOpen(this.params.space)
      const rig = space && rigs.known(space)
      const end = clientReport({ ...data, ...(this.query as object | undefined) })
      this.#end = rig ? run.endOf(rig, end) : end
    }
    return this.#end
  }

  /**
   * Address of a page that shows the verdict: `judged('/sendings', { request: 'r0-1' })`. It keeps the end of the client
   * for which this page is shown, so that a request has the same harm everywhere. @param defaults values that are left out
   */
  judged(rest: string, query: object = {}, defaults: Readonly<Record<string, unknown>> = {}): string {
    return this.here(rest + toQueryString({ ...query, ...this.end }, defaults))
  }

  /** Address of the page of a request of this space. */
  readonly requestAddress = (id: string): string => this.judged(`/requests/${id}`)

  /** The same call as if it were for a page of another space. @param query of that page */
  within(space: string, query: ClientReport | undefined): PageCall {
    return new PageCall(this.tools, this.request, this.call, { params: { ...this.params, space }, query })
  }

  /** Address of something in the space of this page: `here('/requests', 'r0-1')`. @param id encoded here */
  here(rest: string, id?: string): string {
    return this.inSpace(this.params.space, id === undefined ? rest : `${rest}/${encodeURIComponent(id)}`)
  }
}

/** The content of a page, without the document around it. */
export interface PageContent {
  readonly title: string
  readonly content: Child
  /** 200 by default. */
  readonly status?: number
  /** The space of the page: its name, clock and tabs are shown above the content, and the page is live. */
  readonly space?: RigView
  readonly tab?: TabName
  /** Modules of `browser/` besides those of all pages. */
  readonly scripts?: readonly string[]
  /** Address of the event stream, when the page is live without a space. */
  readonly events?: string
  /** Name of a space that does not exist: once it opens, the page reloads. The event stream is that of all spaces. */
  readonly awaitedSpace?: string
  /** What this page may load in addition. */
  readonly policy?: PolicyChanges
}

/** What the parts of a page of a space are about. */
export interface SpaceProps<Query = unknown> {
  readonly call: PageCall<Query>
  readonly rig: RigView
}
