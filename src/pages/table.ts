import type { Page } from './page.ts'

/** A page's address and the module that is read when it is first asked for. */
export interface TableEntry {
  /** Below `/_mock`, parameters in braces. */
  readonly path: string
  readonly load: () => Promise<{ default: Page }>
  /** Whether answers of the service link to it: it is shown even where control calls have a port of their own. */
  readonly ofService?: true
}

const editor = () => import('./mailings/editor.tsx')
const preview = () => import('./mailings/editor-preview.tsx')
const frame = () => import('./mailings/editor-frame.ts')

/** Every page there is. A control call at the same address answers programs. */
export const table: readonly TableEntry[] = [
  { path: '/', load: () => import('./dashboard/dashboard.tsx') },
  { path: '/spaces/{space}', load: () => import('./requests/overview.tsx') },
  { path: '/spaces/{space}/requests', load: () => import('./requests/requests.tsx') },
  { path: '/spaces/{space}/requests/{id}', load: () => import('./requests/request.tsx') },
  { path: '/spaces/{space}/mailings', load: () => import('./mailings/mailings.tsx') },
  { path: '/spaces/{space}/mailings/{id}', load: editor, ofService: true },
  { path: '/spaces/{space}/mailings/{id}/draft', load: preview, ofService: true },
  { path: '/spaces/{space}/mailings/{id}/approved', load: preview, ofService: true },
  { path: '/spaces/{space}/mailings/{id}/draft/html', load: frame, ofService: true },
  { path: '/spaces/{space}/mailings/{id}/approved/html', load: frame, ofService: true },
  { path: '/spaces/{space}/sendings', load: () => import('./sendings/sendings.tsx') },
  {
    path: '/spaces/{space}/sendings/{id}/report',
    load: () => import('./report/report.tsx'),
    ofService: true,
  },
  { path: '/spaces/{space}/scenario', load: () => import('./scenario/scenario.tsx') },
  { path: '/spaces/{space}/clock', load: () => import('./clock/clock.tsx') },
  { path: '/spaces/{space}/data', load: () => import('./data/data.tsx') },
  { path: '/spaces/{space}/platform', load: () => import('./platform/platform.tsx') },
  { path: '/spaces/{space}/verdict', load: () => import('./verdict/verdict.tsx') },
  { path: '/docs', load: () => import('./docs/docs.tsx') },
  { path: '/docs/{operation}', load: () => import('./docs/operation.tsx') },
  { path: '/relations/{rel}', load: () => import('./relation.tsx'), ofService: true },
  { path: '/problems/{name}', load: () => import('./problem-kind.tsx'), ofService: true },
]
