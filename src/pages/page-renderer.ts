import type { ZodObject } from 'zod'
import type { ControlContext } from '../control/endpoint.ts'
import { parseOrRefuse } from '../control/schemas.ts'
import type { SignInForm } from '../control/sign-in.ts'
import type { ControlTools } from '../control/tools.ts'
import { endQuery } from '../control/verdict.ts'
import { type Problem, problems } from '../service/problem.ts'
import { type Assets, assetResponse, readAssets } from './assets.ts'
import { renderDocument } from './html-document.tsx'
import { notOpenPage } from './not-open-page.tsx'
import type { Page } from './page.ts'
import { PageCall, type PageContent } from './page-call.ts'
import { problemPage } from './problem-page.tsx'
import { signInPage } from './sign-in-page.tsx'

/** Makes what answers requests for pages, each wrapped in the common document, and for the files that they load. */
export function createRenderer(tools: ControlTools) {
  let assets: Assets | undefined
  const readOnce = () => {
    assets ??= readAssets()
    return assets
  }
  const whole = (call: PageCall, content: PageContent) => renderDocument(call, content, readOnce().digest)
  const bare = ({ req, env }: ControlContext) =>
    new PageCall(tools, req.raw, env, { params: {} as never, query: undefined })

  return {
    /** @throws Problem for a page about something that does not exist */
    async page(
      load: () => Promise<{ default: Page }>,
      c: ControlContext,
      isLinkedByService?: true,
    ): Promise<Response> {
      const { req, env } = c
      const params = req.param()
      // Without control calls there are no events, so a page cannot wait for the space.
      if (params.space !== undefined && tools.hasCalls) {
        const call = bare(c)
        const notOpen = await notOpenPage(call, params.space)
        if (notOpen) return whole(call, notOpen)
      }
      const { default: page } = await load()
      // Every page of a space keeps the end of the client in its address, also one that reads no query of its own.
      const isForAll = (name: string) =>
        params.space !== undefined && name in endQuery && !(name in ((page.query as ZodObject)?.shape ?? {}))
      const given = Object.fromEntries(
        Object.entries(req.query()).filter(([name, value]) => value !== '' && !isForAll(name)),
      )
      const query = page.query ? parseOrRefuse(page.query, given) : undefined
      const parts = { params, query, isLinkedByService }
      const call = new PageCall<never>(tools, req.raw, env, parts as never)
      const content = await page.show(call)
      return content instanceof Response ? content : whole(call, content)
    },
    asset({ req }: ControlContext): Response {
      const asset = assetResponse(readOnce(), req.path.slice('/_mock/'.length))
      if (!asset) throw problems.notFound('such file of a page')
      return asset
    },
    async documentationFile({ req, env }: ControlContext): Promise<Response> {
      const { documentationFile } = await import('./documentation-page.tsx')
      const send = <Bytes extends Buffer>(bytes: Bytes) => tools.outgoing.body(bytes, env.arrival)
      const file = documentationFile(req.path.slice('/_mock/docs/files/'.length), send)
      if (!file) throw problems.notFound('such file of the documentation')
      return file
    },
    problem: (problem: Problem, c: ControlContext): Promise<Response> =>
      whole(bare(c), problemPage(bare(c), problem)),
    signIn: (form: SignInForm, c: ControlContext): Promise<Response> =>
      whole(bare(c), signInPage(bare(c), form)),
  }
}
