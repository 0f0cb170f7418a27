/**
 * Does work for each item, some at a time; results in order.
 * @template Item, Value
 * @param {number} count how many at a time
 * @param {readonly Item[]} items @param {(item: Item) => Promise<Value>} work
 * @returns {Promise<Value[]>}
 */
export async function inLanes(count, items, work) {
  /** @type {Value[]} */
  const results = []
  const entries = items.entries()
  const lane = async () => {
    // All lanes take from the same entries.
    for (const [nth, item] of entries) results[nth] = await work(item)
  }
  await Promise.all(Array.from({ length: count }, lane))
  return results
}
