import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'

/** So many paths are remembered, if they are not longer than this; a client that makes up paths cannot fill the memory. */
const remembered = 1_000
const longest = 300

/**
 * Hono's own routers, asked once for each path that is read or posted to. Clients ask few resources and often, and looking a path up
 * costs a third of matching it.
 */
export class RememberingRouter<T> implements Router<T> {
  readonly name = 'RememberingRouter'
  readonly #inner = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] })
  readonly #known = new Map([
    ['GET', new Map<string, Result<T>>()],
    ['POST', new Map<string, Result<T>>()],
  ])

  add(method: string, path: string, handler: T): void {
    this.#inner.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    const known = path.length > longest ? undefined : this.#known.get(method)
    const before = known?.get(path)
    if (before) return before
    const found = this.#inner.match(method, path)
    if (known) {
      if (known.size >= remembered) known.clear()
      known.set(path, found)
    }
    return found
  }
}

/** Path of a request, without its query. Hono walks through the address sign by sign, which a plain one can do without. */
export function pathOf(request: Request): string {
  const { url } = request
  if (url.includes('%') || url.includes('#')) return getPath(request)
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
