/** Maximum depth of JSON. Writing deeper JSON again would exhaust the stack. */
const maxJsonDepth = 64
/** Maximum number of values in a body: members and entries of arrays, at any depth. */
const maxJsonValues = 10_000
const maxMembers = 1_000

/**
 * What is too much of a JSON text, in words, and the numbers of values and of members before that; no excess if nothing is. One
 * pass, outside of strings: brackets open a level, every comma adds a value, and every colon a member. Many different names in one object take far longer to
 * parse than anything else.
 */
export function measureJson(text: string, maxValues = maxJsonValues) {
  /** For each open bracket the number of its commas; below zero in an array. */
  const levels: number[] = []
  let values = 0
  let members = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) at = endOfString(text, at)
    else if (char === 0x2c) {
      const commas = levels.length > 0 && levels.at(-1)! >= 0 ? ++levels[levels.length - 1]! : 0
      if (commas >= maxMembers)
        return { values, members, excess: `has an object with more than ${maxMembers} members` }
      if (++values > maxValues) return { values, members, excess: `holds more than ${maxValues} values` }
    } else if (char === 0x7b || char === 0x5b) {
      values++
      if (levels.push(char === 0x7b ? 0 : -1) > maxJsonDepth)
        return { values, members, excess: `is nested more than ${maxJsonDepth} levels deep` }
    } else if (char === 0x3a) members++
    else if (char === 0x7d || char === 0x5d) levels.pop()
  }
  return { values, members, excess: undefined }
}

/** Position of the quote that ends the string; the end of the text if none does. Far faster than a loop over its letters. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** Whether an odd number of backslashes stands before this position. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (at - first) % 2 === 1
}

export type JsonSize = ReturnType<typeof measureJson>
