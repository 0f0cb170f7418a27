/** Characters of a line that are shown. */
const widest = 300

/**
 * The lines that differ.
 * @param {string} before @param {string} after
 * @param {{ context?: number, most?: number }} [options] `context`: lines shown around a change; `most`: lines shown at all
 */
export function diffOf(before, after, { context = 2, most = 60 } = {}) {
  const marked = changes(before.split('\n'), after.split('\n'))
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

/** @typedef {[mark: ' ' | '-' | '+', line: string, other?: string]} Marked */

/** @param {string[]} before @param {string[]} after @returns {Marked[]} */
function changes(before, after) {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const removed = before.slice(start, before.length - end)
  const added = after.slice(start, after.length - end)
  return [
    ...before.slice(0, start).map(line => /** @type {Marked} */ ([' ', line])),
    ...between(removed, added),
    ...before.slice(before.length - end).map(line => /** @type {Marked} */ ([' ', line])),
  ]
}

/** @param {string[]} removed @param {string[]} added @returns {Marked[]} */
function between(removed, added) {
  if (removed.length * added.length > 4_000_000 || removed.length === added.length)
    return removed.length === added.length ? pairs(removed, added) : apart(removed, added)
  // Longest common subsequence.
  const width = added.length + 1
  const longest = new Uint32Array((removed.length + 1) * width)
  const at = (/** @type {number} */ one, /** @type {number} */ other) => longest[one * width + other] ?? 0
  for (let one = removed.length - 1; one >= 0; one--)
    for (let other = added.length - 1; other >= 0; other--)
      longest[one * width + other] =
        removed[one] === added[other]
          ? at(one + 1, other + 1) + 1
          : Math.max(at(one + 1, other), at(one, other + 1))
  /** @type {Marked[]} */
  const marked = []
  let one = 0
  let other = 0
  while (one < removed.length || other < added.length) {
    const left = removed[one]
    const right = added[other]
    if (left !== undefined && left === right) {
      marked.push([' ', left])
      one++
      other++
    } else if (right === undefined || (left !== undefined && at(one + 1, other) >= at(one, other + 1))) {
      marked.push(['-', left ?? ''])
      one++
    } else {
      marked.push(['+', right])
      other++
    }
  }
  return marked
}

/** @param {string[]} removed @param {string[]} added @returns {Marked[]} */
const apart = (removed, added) => [
  ...removed.map(line => /** @type {Marked} */ (['-', line])),
  ...added.map(line => /** @type {Marked} */ (['+', line])),
]

/** @param {string[]} removed @param {string[]} added @returns {Marked[]} */
const pairs = (removed, added) =>
  removed.flatMap((line, nth) => {
    const other = added[nth] ?? ''
    /** @type {Marked[]} */
    const pair = [
      ['-', line, other],
      ['+', other, line],
    ]
    return line === other ? [/** @type {Marked} */ ([' ', line])] : pair
  })

/**
 * A long line from a little before the place where it begins to differ from the other one.
 * @param {string} line @param {string} [other]
 */
function shortened(line, other) {
  if (line.length <= widest) return line
  let start = 0
  while (other !== undefined && start < line.length && line[start] === other[start]) start++
  const from = other === undefined ? 0 : Math.max(0, start - 60)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + widest)}${from + widest < line.length ? '…' : ''}`
}
