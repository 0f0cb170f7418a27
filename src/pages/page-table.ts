import type { Pages } from '../control/app.ts'
import type { ControlContext, Endpoint } from '../control/endpoint.ts'
import { type ControlTools, lazy } from '../control/tools.ts'
import type { Page } from './page.ts'

/** A page's address and its module, loaded on first use. */
interface PageEntry extends Pick<Endpoint, 'path' | 'isOpen' | 'isLinkedByService'> {
  readonly load: () => Promise<{ default: Page }>
}

const loadSpaces = () => import('./dashboard-page.tsx')
const loadExams = () => import('./exams-page.tsx')
const loadRequests = () => import('./requests-page.tsx')
const loadEditor = () => import('./mailing-editor-page.tsx')
const loadPreview = () => import('./mailing-preview-page.tsx')
const loadPreviewHtml = async () => ({ default: (await loadPreview()).htmlPage })
const loadReport = () => import('./sending-report-page.tsx')
const loadRelation = () => import('./relation-page.tsx')
const loadProblem = () => import('./problem-page.tsx')

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
  // The same for everybody, and they show nothing of a space.
  { path: '/relations/{rel}', load: loadRelation, isLinkedByService: true, isOpen: true },
  { path: '/problems/{name}', load: loadProblem, isLinkedByService: true, isOpen: true },
]

/** The pages with the files that they load. What renders them is loaded with the first of them. */
export function createPages(tools: ControlTools): Pages {
  const renderer = lazy(async () => (await import('./page-renderer.ts')).createRenderer(tools))
  return {
    endpoints: [
      ...pageTable.map(({ load, ...entry }) => ({
        ...entry,
        method: 'GET' as const,
        answer: async (c: ControlContext) => (await renderer()).page(load, c, entry.isLinkedByService),
      })),
      {
        method: 'GET',
        path: '/assets/*',
        isOpen: true,
        isLinkedByService: true,
        answer: async c => (await renderer()).asset(c),
      },
      { method: 'GET', path: '/docs/files/*', answer: async c => (await renderer()).documentationFile(c) },
    ],
    problem: async (problem, c) => (await renderer()).problem(problem, c),
    signIn: async (form, c) => (await renderer()).signIn(form, c),
  }
}
