import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach } from 'vitest'

/**
 * Before version 24 of Node, one value in an `AsyncLocalStorage` makes each promise of the process dearer from then on; the rendering
 * of a page is enough. So each test ends with none. What comes later puts its own value again.
 */
const used = new Set<AsyncLocalStorage<unknown>>()
const { run } = AsyncLocalStorage.prototype

AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
  used.add(this)
  return Reflect.apply(run, this, args)
}

afterEach(() => {
  AsyncLocalStorage.prototype.run = run
  for (const storage of used) storage.disable()
})
