import { Hono } from 'hono'
import { checked } from '../rig/control/checked.ts'
import type { Pages, PageTools } from '../rig/control/pages.ts'
import type { ControlCall } from '../rig/control/route.ts'
import { problems } from '../service/problem.ts'
import { type Assets, assetResponse, readAssets } from './assets.ts'
import { documentOf } from './document.tsx'
import { notOpenPage } from './not-open.tsx'
import { PageCall, type Shown } from './page.ts'
import { problemPage } from './problem.tsx'
import { signInPage } from './sign-in.tsx'
import { type TableEntry, table } from './table.ts'

interface Bindings {
  readonly call: ControlCall
  /** Told when there is no page at the address. */
  readonly missing: () => void
}

/** All pages: found by the table, read when first asked for, and put into the one document. */
export function createPages(tools: PageTools): Pages {
  let read: Assets | undefined
  const assets = () => {
    read ??= readAssets()
    return read
  }
  const shown = table.filter(({ ofService }) => tools.hasCalls || ofService)
  const app = new Hono<{ Bindings: Bindings }>({ strict: false }).basePath('/_mock')
  for (const entry of shown)
    app.get(entry.path.replaceAll(/\{(\w+)\}/g, ':$1'), c =>
      show(entry, c.req.raw, c.env.call, c.req.param(), c.req.query()),
    )
  app.get('/assets/*', c => {
    const asset = assetResponse(assets(), c.req.path.slice('/_mock/'.length))
    if (!asset) throw problems.notFound('such file of a page')
    return asset
  })
  app.notFound(c => {
    c.env.missing()
    return c.body(null, 404)
  })
  app.onError(error => {
    throw error
  })

  async function show(
    { load }: TableEntry,
    request: Request,
    call: ControlCall,
    params: Record<string, string>,
    query: Record<string, string>,
  ): Promise<Response> {
    const missing = params.space === undefined ? undefined : await missingPage(request, call, params.space)
    if (missing) return missing
    const { default: page } = await load()
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
    const parts = { params, query: page.query ? checked(page.query, given) : undefined }
    const made = new PageCall<never, unknown>(tools, request, call, parts as never)
    const content = await page.show(made)
    return content instanceof Response ? content : whole(made, content)
  }

  /** Where no control call is answered there are no events either, so nothing could be awaited. */
  async function missingPage(request: Request, call: ControlCall, space: string) {
    if (!tools.hasCalls) return undefined
    const made = bare(request, call)
    const content = await notOpenPage(made, space)
    return content && whole(made, content)
  }

  const whole = (call: PageCall, content: Shown) => documentOf(call, content, assets().digest)
  const bare = (request: Request, call: ControlCall) =>
    new PageCall(tools, request, call, { params: {}, query: undefined })

  return {
    async page(request, call) {
      let isMissing = false
      const missing = () => {
        isMissing = true
      }
      const response = await app.fetch(request, { call, missing })
      return isMissing ? undefined : response
    },
    problem: (problem, request, call) =>
      whole(bare(request, call), problemPage(bare(request, call), problem)),
    signIn: (request, call, to, wrong) =>
      whole(bare(request, call), signInPage(bare(request, call), to, wrong)),
  }
}
