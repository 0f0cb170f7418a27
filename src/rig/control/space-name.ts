import type { Spaces } from '../../store/spaces.ts'

/** Longest name of a space; as long as the longest user name. */
export const longestSpaceName = 200

/**
 * Why there can be no space of this name: what was seen, what is possible. Undefined when there can be one: that of a
 * fixture, or `<space>+anything`, a private copy of it.
 */
export function refuseSpaceName(
  name: string,
  spaces: Pick<Spaces, 'beginning' | 'homes'>,
): string | undefined {
  const homes = spaces.homes().join(', ')
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name)
  if (name.length > longestSpaceName)
    return `${shown}: its name has ${name.length} characters; at most ${longestSpaceName} are possible`
  // No user name can have them, so nobody could get in.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return `${shown}: a name has no control characters`
  if (!spaces.beginning(name) || (name.endsWith('+') && name.indexOf('+') === name.length - 1))
    return `${shown}; there are ${homes}, and private copies of them such as ${spaces.homes()[0]}+anything`
  return undefined
}
