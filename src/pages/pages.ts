import type { ZodObject } from 'zod'
import type { ControlCall } from '../control/route.ts'
import { createRouter, type RoutedRequest } from '../control/router.ts'
import { parseOrRefuse } from '../control/schemas.ts'
import type { SignInForm } from '../control/sign-in.ts'
import type { ControlTools } from '../control/tools.ts'
import { endQuery } from '../control/verdict.ts'
import { type Problem, problems } from '../service/problem.ts'
import { type Assets, assetResponse, readAssets } from './assets.ts'
import { notOpenPage } from './not-open-page.tsx'
import { type Page, PageCall, type PageContent } from './page.ts'
import { renderDocument } from './page-frame.tsx'
import { problemPage } from './problem-page.tsx'
import { signInPage } from './sign-in-page.tsx'

/** A page's address and its module, loaded on first use. */
interface PageEntry {
  /** Below `/_mock`, parameters in braces. */
  readonly path: string
  readonly load: () => Promise<{ default: Page }>
  /** Whether responses of the service link to it: then it is served even when control calls have their own port. */
  readonly isLinkedByService?: true
}

const loadSpaces = () => import('./dashboard-page.tsx')
const loadExams = () => import('./exams-page.tsx')
const loadRequests = () => import('./requests-page.tsx')
const loadEditor = () => import('./mailing-editor-page.tsx')
const loadPreview = () => import('./mailing-preview-page.tsx')
const loadPreviewHtml = async () => ({ default: (await loadPreview()).htmlPage })
const loadReport = () => import('./sending-report-page.tsx')

/** All pages. A control call at the same address answers programs. */
export const pageTable: readonly PageEntry[] = [
  { path: '/', load: loadSpaces },
  { path: '/spaces', load: loadSpaces },
  { path: '/spaces/{space}', load: loadRequests },
  { path: '/spaces/{space}/connect', load: () => import('./connect-page.tsx') },
  { path: '/spaces/{space}/requests', load: loadRequests },
  { path: '/spaces/{space}/requests/{id}', load: () => import('./request-page.tsx') },
  { path: '/spaces/{space}/mailings', load: () => import('./mailings-page.tsx') },
  { path: '/spaces/{space}/mailings/{id}', load: loadEditor, isLinkedByService: true },
  { path: '/spaces/{space}/mailings/{id}/draft', load: loadPreview, isLinkedByService: true },
  { path: '/spaces/{space}/mailings/{id}/approved', load: loadPreview, isLinkedByService: true },
  { path: '/spaces/{space}/mailings/{id}/draft/html', load: loadPreviewHtml, isLinkedByService: true },
  { path: '/spaces/{space}/mailings/{id}/approved/html', load: loadPreviewHtml, isLinkedByService: true },
  { path: '/spaces/{space}/sendings', load: () => import('./sendings-page.tsx') },
  { path: '/spaces/{space}/sendings/{id}/report', load: loadReport, isLinkedByService: true },
  { path: '/spaces/{space}/scenario', load: () => import('./scenario-page.tsx') },
  { path: '/spaces/{space}/clock', load: () => import('./clock-page.tsx') },
  { path: '/spaces/{space}/data', load: () => import('./data-page.tsx') },
  { path: '/spaces/{space}/platform', load: () => import('./platform-page.tsx') },
  { path: '/spaces/{space}/verdict', load: () => import('./verdict-page.tsx') },
  { path: '/docs/{document}.md', load: () => import('./documentation-page.tsx') },
  { path: '/exams', load: loadExams },
  { path: '/exams/{exam}', load: loadExams },
  { path: '/break-it', load: () => import('./break-it-page.tsx') },
  { path: '/docs', load: () => import('./reference-page.tsx') },
  { path: '/docs/{operation}', load: () => import('./operation-page.tsx') },
  { path: '/relations/{rel}', load: () => import('./relation-page.tsx'), isLinkedByService: true },
  { path: '/problems/{name}', load: () => import('./problem-page.tsx'), isLinkedByService: true },
]

/** All pages, below `/_mock`: routed by the table, loaded on first use, and wrapped in the common document. */
export function createPages(tools: ControlTools) {
  let assets: Assets | undefined
  const readOnce = () => {
    assets ??= readAssets()
    return assets
  }
  const answers = pageTable
    .filter(({ isLinkedByService }) => tools.hasCalls || isLinkedByService)
    .map(({ path, load }) => ({ method: 'GET', path, answer: (it: RoutedRequest) => show(load, it) }))
  answers.push({ method: 'GET', path: '/assets/*', answer: showAsset })
  if (tools.hasCalls) answers.push({ method: 'GET', path: '/docs/files/*', answer: showFile })

  async function showAsset({ path }: RoutedRequest): Promise<Response> {
    const asset = assetResponse(readOnce(), path.slice('/_mock/'.length))
    if (!asset) throw problems.notFound('such file of a page')
    return asset
  }

  async function showFile({ path }: RoutedRequest): Promise<Response> {
    const { documentationFile } = await import('./documentation-page.tsx')
    const file = documentationFile(path.slice('/_mock/docs/files/'.length))
    if (!file) throw problems.notFound('such file of the documentation')
    return file
  }

  async function show(load: PageEntry['load'], { request, call, params, query }: RoutedRequest) {
    // Without control calls there are no events, so a page cannot wait for the space.
    if (params.space !== undefined && tools.hasCalls) {
      const made = bare(request, call)
      const notOpen = await notOpenPage(made, params.space)
      if (notOpen) return whole(made, notOpen)
    }
    const { default: page } = await load()
    // Every page of a space keeps the end of the client in its address, also one that reads no query of its own.
    const isForAll = (name: string) =>
      params.space !== undefined && name in endQuery && !(name in ((page.query as ZodObject)?.shape ?? {}))
    const given = Object.fromEntries(
      Object.entries(query).filter(([name, value]) => value !== '' && !isForAll(name)),
    )
    const parts = { params, query: page.query ? parseOrRefuse(page.query, given) : undefined }
    const made = new PageCall<never>(tools, request, call, parts as never)
    const content = await page.show(made)
    return content instanceof Response ? content : whole(made, content)
  }

  const whole = (call: PageCall, content: PageContent) => renderDocument(call, content, readOnce().digest)
  const bare = (request: Request, call: ControlCall) =>
    new PageCall(tools, request, call, { params: {} as never, query: undefined })

  return {
    /** Undefined when there is no page at the address. @throws Problem for a page about something that does not exist */
    page: createRouter(answers, ({ answer }, it) => answer(it)),
    /** The page for a problem, which a program gets as JSON. */
    problem: (problem: Problem, request: Request, call: ControlCall) =>
      whole(bare(request, call), problemPage(bare(request, call), problem)),
    /** Asks for the token. */
    signIn: (request: Request, call: ControlCall, form: SignInForm) =>
      whole(bare(request, call), signInPage(bare(request, call), form)),
  }
}
