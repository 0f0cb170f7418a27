import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import type { PageTools } from '../rig/control/pages.ts'
import { type ControlCall, Incoming, type ParamsOf, rootOf } from '../rig/control/route.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import type { Policy } from './headers.ts'
import type { TabName } from './space-tabs.tsx'

/** Somebody looks at a page: what a control call is told, and where our pages stand. */
export class PageCall<Params = unknown, Query = unknown> extends Incoming<Params, Query, undefined> {
  /** Path of `/_mock` as the browser sees it, with what a proxy puts before it. */
  readonly root: string
  /** Whether control calls are answered at this address, so that buttons can make them. */
  readonly hasCalls: boolean

  constructor(
    tools: PageTools,
    request: Request,
    call: ControlCall,
    parts: { readonly params: Params; readonly query: Query },
  ) {
    super(tools, request, call, { ...parts, body: undefined })
    this.root = rootOf(call)
    this.hasCalls = tools.hasCalls
  }

  /** Where something below `/_mock` stands, for a link or a button. @param path each part encoded */
  at(path: string): string {
    return path === '/' ? this.root : this.root + path
  }

  /** Where something of a space stands: `inSpace('demo', '/clock')`. */
  inSpace(name: string, rest = ''): string {
    return this.at(`/spaces/${encodeURIComponent(name)}${rest}`)
  }
}

/** What a page shows; the document around it is made for all of them in one place. */
export interface Shown {
  readonly title: string
  readonly content: Child
  /** 200 unless told. */
  readonly status?: number
  /** The space that it is of: its name, clock and tabs stand above the content, and it is live. */
  readonly space?: SpaceRig
  readonly tab?: TabName
  /** Assets to load beside those of all pages, such as `chart.js` or `browser/report.js`. */
  readonly scripts?: readonly string[]
  /** Where its events come from, when it is live and not of a space. */
  readonly events?: string
  /** Name of a space that is not there: once it opens, the page is asked for anew. Its events are those of all spaces. */
  readonly awaits?: string
  /** What it may load that other pages may not. */
  readonly policy?: Policy
}

export interface Page<Path extends string = string, Query extends z.ZodType = z.ZodType> {
  /** As the table of pages has it. */
  readonly path: Path
  /** A parameter without a value counts as not given. A parameter that nobody knows is refused if the schema is strict. */
  readonly query?: Query
  /** @throws Problem for what is not there: it becomes a page of its own */
  show(call: PageCall<ParamsOf<Path>, z.output<Query>>): Shown | Response | Promise<Shown | Response>
}

/** A page for an address of the table. Keeps the types of its parameters between path, query and function. */
export const page = <const Path extends string, Query extends z.ZodType = z.ZodUndefined>(
  path: Path,
  spec: Omit<Page<Path, Query>, 'path'>,
): Page => ({ path, ...spec }) as unknown as Page
