import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'

/** So many paths are remembered, if they are not longer than this; a client that makes up paths cannot fill the memory. */
const remembered = 1_000
const longest = 300

/**
 * Hono's own routers, asked once for each path that is read. Clients poll few resources and often, and looking a path up
 * costs a third of matching it.
 */
export class RememberingRouter<T> implements Router<T> {
  readonly name = 'RememberingRouter'
  readonly #inner = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] })
  readonly #gets = new Map<string, Result<T>>()

  add(method: string, path: string, handler: T): void {
    this.#inner.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    if (method !== 'GET' || path.length > longest) return this.#inner.match(method, path)
    const known = this.#gets.get(path)
    if (known) return known
    const found = this.#inner.match(method, path)
    if (this.#gets.size >= remembered) this.#gets.clear()
    this.#gets.set(path, found)
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
