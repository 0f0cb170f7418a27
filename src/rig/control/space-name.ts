import { homeOf } from '../../store/space-names.ts'
import type { Spaces } from '../../store/spaces.ts'

/** Longest name of a space; as long as the longest user name. */
export const longestSpaceName = 200
/** Longest name of a space that is no private copy, as in a fixture. */
const longestHomeName = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const control = /[\u0000-\u001f\u007f]/
const shown = (name: string) => JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name)

/**
 * Why there is no space of this name: what was seen, what is possible. Undefined when there can be one: that of a
 * fixture, or `<space>+anything`, a private copy of it.
 */
export function refuseSpaceName(
  name: string,
  spaces: Pick<Spaces, 'beginning' | 'homes'>,
): string | undefined {
  const wrong = refuseForm(name, longestSpaceName)
  if (wrong !== undefined) return wrong
  if (!spaces.beginning(name) || name === `${homeOf(name)}+`)
    return `${shown(name)}; there are ${spaces.homes().join(', ')}, and private copies of them such as ${spaces.homes()[0]}+anything`
  return undefined
}

/** Why no space of this name, which no fixture has, can be made. */
export function refuseNewSpace(name: string): string | undefined {
  const wrong = refuseForm(name, longestHomeName)
  if (wrong !== undefined) return wrong
  return name.includes('+')
    ? `${shown(name)}: there is no space ${shown(homeOf(name))} that it could be a private copy of`
    : undefined
}

function refuseForm(name: string, longest: number): string | undefined {
  if (name.length > longest)
    return `${shown(name)}: its name has ${name.length} characters; at most ${longest} are possible`
  // No user name can have them, so nobody could get in.
  if (control.test(name)) return `${shown(name)}: a name has no control characters`
  return undefined
}
