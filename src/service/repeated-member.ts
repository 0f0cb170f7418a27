/** A token of JSON that says where members are: a string, a bracket, a comma or a colon. */
const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs

/**
 * A name that one object of a JSON text has more than once, of which reading it keeps the last value alone.
 * @param members number of members in the text. The text is read again only if the value has fewer.
 */
export function findRepeatedMember(text: string, value: unknown, members: number): string | undefined {
  if (countMembers(value) === members) return undefined
  /** For each open bracket the names until there; none in an array. */
  const levels: (Set<string> | undefined)[] = []
  let last = ''
  for (const [sign] of text.matchAll(token)) {
    if (sign === '{') levels.push(new Set())
    else if (sign === '[') levels.push(undefined)
    else if (sign === '}' || sign === ']') levels.pop()
    else if (sign === ':') {
      const names = levels.at(-1)!
      const name = JSON.parse(last) as string
      if (names.has(name)) return name
      names.add(name)
    }
    last = sign
  }
  return undefined
}

/** The members of a value at any depth. It is no deeper than what `measureJson` lets pass. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const entry of value) count += countMembers(entry)
  else
    for (const name in value) {
      count++
      const member = (value as Record<string, unknown>)[name]
      if (typeof member === 'object') count += countMembers(member)
    }
  return count
}
