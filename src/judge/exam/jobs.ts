/**
 * Does the work for every item, so many at a time, in their order.
 * @param most at a time
 * @returns what came of each, undefined for those that were not begun because the signal aborted
 * @throws what the first work that fails throws; no other is begun then
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  signal: AbortSignal,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = items.map(() => undefined)
  let next = 0
  let hasFailed = false
  const worker = async () => {
    while (next < items.length && !signal.aborted && !hasFailed) {
      const at = next++
      try {
        results[at] = await work(items[at]!, at)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return results
}
