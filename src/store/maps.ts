import type { MemoryShare } from './memory-budget.ts'

/** The value of a key; made and stored if there is none. */
export function getOrMake<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make(key)
    map.set(key, value)
  }
  return value
}

/** Bytes of an entry with this key, roughly. */
const entryBytes = (key: string) => 200 + key.length

/**
 * Counts an entry that is about to be added, and removes the oldest entries of a map or set that has reached its limit: a
 * sixteenth at once, since a map leaves gaps where its first entries were, and skipping them for each removal becomes slow.
 * @param more bytes of a value besides its key
 */
export function makeRoomFor<Value>(
  key: string,
  entries: Map<string, Value> | Set<string>,
  limit: number,
  memory: MemoryShare,
  more: (value: Value) => number = () => 0,
): void {
  memory.add(entryBytes(key))
  if (entries.size < limit) return
  let left = Math.ceil(limit / 16)
  for (const [oldest, value] of entries.entries()) {
    entries.delete(oldest)
    memory.add(-entryBytes(oldest) - more(value as Value))
    if (--left === 0) return
  }
}
