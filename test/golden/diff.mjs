/** Characters of a line that are shown. */
const widest = 300

/** @typedef {[mark: ' ' | '-' | '+', line: string, other?: string]} Marked */

/**
 * The lines that differ.
 * @param {string} before @param {string} after
 * @param {{ context?: number, most?: number }} [options] `context`: lines shown around a change; `most`: lines shown at all
 */
export function diffOf(before, after, { context = 2, most = 60 } = {}) {
  const marked = changes(before, after)
  /** @type {string[]} */
  const shown = []
  let last = -1
  marked.forEach(([mark, line, other], nth) => {
    const isNear = marked.slice(Math.max(0, nth - context), nth + context + 1).some(([it]) => it !== ' ')
    if (!isNear) return
    if (last !== nth - 1) shown.push('  ...')
    last = nth
    shown.push(`  ${mark} ${shortened(line, other)}`)
  })
  const rest = shown.length - most
  return [...shown.slice(0, most), ...(rest > 0 ? [`  ... and ${rest} more lines`] : [])].join('\n')
}

/**
 * All lines of two texts, with those that were removed and added.
 * @param {string} before @param {string} after
 * @param {(line: string) => string} [keyOf] lines with the same key do not differ
 * @returns {Marked[]}
 */
export function changes(before, after, keyOf = line => line) {
  const keyed = (/** @type {string} */ text) => text.split('\n').map(line => ({ line, key: keyOf(line) }))
  const one = keyed(before)
  const other = keyed(after)
  let start = 0
  while (start < one.length && start < other.length && one[start]?.key === other[start]?.key) start++
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one.at(-1 - end)?.key === other.at(-1 - end)?.key) end++
  const removed = one.slice(start, one.length - end)
  const added = other.slice(start, other.length - end)
  return [
    ...one.slice(0, start).map(unchanged),
    ...between(removed, added),
    ...one.slice(one.length - end).map(unchanged),
  ]
}

/** @typedef {{ line: string, key: string }} Line */

/** @param {Line} line @returns {Marked} */
const unchanged = ({ line }) => [' ', line]

/** @param {Line[]} removed @param {Line[]} added @returns {Marked[]} */
function between(removed, added) {
  if (removed.length === added.length) return pairs(removed, added)
  if (removed.length * added.length > 4_000_000) return apart(removed, added)
  // Longest common subsequence.
  const width = added.length + 1
  const longest = new Uint32Array((removed.length + 1) * width)
  const at = (/** @type {number} */ one, /** @type {number} */ other) => longest[one * width + other] ?? 0
  for (let one = removed.length - 1; one >= 0; one--)
    for (let other = added.length - 1; other >= 0; other--)
      longest[one * width + other] =
        removed[one]?.key === added[other]?.key
          ? at(one + 1, other + 1) + 1
          : Math.max(at(one + 1, other), at(one, other + 1))
  /** @type {Marked[]} */
  const marked = []
  let one = 0
  let other = 0
  while (one < removed.length || other < added.length) {
    const left = removed[one]
    const right = added[other]
    if (left !== undefined && left.key === right?.key) {
      marked.push(unchanged(left))
      one++
      other++
    } else if (right === undefined || (left !== undefined && at(one + 1, other) >= at(one, other + 1))) {
      marked.push(['-', left?.line ?? ''])
      one++
    } else {
      marked.push(['+', right.line])
      other++
    }
  }
  return marked
}

/** @param {Line[]} removed @param {Line[]} added @returns {Marked[]} */
const apart = (removed, added) => [
  ...removed.map(({ line }) => /** @type {Marked} */ (['-', line])),
  ...added.map(({ line }) => /** @type {Marked} */ (['+', line])),
]

/** @param {Line[]} removed @param {Line[]} added @returns {Marked[]} */
const pairs = (removed, added) =>
  removed.flatMap((left, nth) => {
    const right = /** @type {Line} */ (added[nth])
    if (left.key === right.key) return [unchanged(left)]
    /** @type {Marked[]} */
    const pair = [
      ['-', left.line, right.line],
      ['+', right.line, left.line],
    ]
    return pair
  })

/**
 * A long line from a little before the place where it begins to differ from the other one.
 * @param {string} line @param {string} [other]
 */
export function shortened(line, other) {
  if (line.length <= widest) return line
  let start = 0
  while (other !== undefined && start < line.length && line[start] === other[start]) start++
  const from = other === undefined ? 0 : Math.max(0, start - 60)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + widest)}${from + widest < line.length ? '…' : ''}`
}
