import { z } from 'zod'
import { type Link, type Route, route } from './route.ts'
import { document } from './shapes.ts'

/** `GET /_mock`: links to everything, templated where a name has to be filled in. */
export const rootRoute = (routes: () => readonly Route[]): Route =>
  route({
    id: 'getRoot',
    method: 'GET',
    path: '/',
    rel: 'self',
    summary: 'Links to everything there is',
    answer: document({}),
    handle: call => ({
      _links: {
        ...Object.fromEntries(
          routes()
            .filter(({ rel }) => rel !== undefined)
            .map(it => [it.rel, templated(call.base, it)]),
        ),
        health: { href: `${call.base}/_mock/health`, title: 'Whether the mock is ready' },
      },
    }),
  })

function templated(base: string, { path, query, summary }: Route): Link {
  const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
  const asked = names.length > 0 ? `{?${names.join(',')}}` : ''
  const href = `${base}/_mock${path === '/' ? '' : path}${asked}`
  return { href, ...(href.includes('{') && { templated: true as const }), title: summary }
}
