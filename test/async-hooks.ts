import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach } from 'vitest'

/**
 * Before version 24 of Node, one value in an `AsyncLocalStorage` makes each promise of the process slower from then on; the
 * rendering of a page is enough. So each test ends with none. What comes later puts its own value again.
 */
const used = Symbol.for('mailing-sync-mock/test/used-storages')

/** Files of one process share its prototypes, but each loads this module again. */
const process = globalThis as { [used]?: Set<AsyncLocalStorage<unknown>> }

if (!process[used]) {
  const storages = new Set<AsyncLocalStorage<unknown>>()
  const { run } = AsyncLocalStorage.prototype
  AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
    storages.add(this)
    return Reflect.apply(run, this, args)
  }
  process[used] = storages
}

afterEach(() => {
  for (const storage of process[used] ?? []) storage.disable()
  process[used]?.clear()
})
