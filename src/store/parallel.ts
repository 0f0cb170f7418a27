/** Limits how much is done at the same time. @returns runs work, at most so much of it at once; the rest waits in its order */
export function limitParallel(maxParallel: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = maxParallel
  const waiting: (() => void)[] = []
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/**
 * Does the work for every item in order, at most so many at a time.
 * @param options.signal nothing more is started when it aborts
 * @returns the result of each, in the order of the items; undefined for those that were not started
 * @throws the first error, once what was started has ended; nothing more is started after it
 */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  { maxParallel, signal }: { readonly maxParallel: number; readonly signal?: AbortSignal },
  work: (item: Item, at: number) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const limit = limitParallel(maxParallel)
  let isBroken = false
  let failure: unknown
  const attempt = async (item: Item, at: number): Promise<Result | undefined> => {
    if (isBroken || signal?.aborted) return undefined
    try {
      return await work(item, at)
    } catch (error) {
      if (!isBroken) failure = error
      isBroken = true
      return undefined
    }
  }
  const results = await Promise.all(items.map((item, at) => limit(() => attempt(item, at))))
  if (isBroken) throw failure
  return results
}
