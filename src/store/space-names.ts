import { createHash } from 'node:crypto'

/** The space that a name begins from: a private copy's name has a plus in it. */
export function homeOf(name: string): string {
  const plus = name.indexOf('+')
  return plus < 0 ? name : name.slice(0, plus)
}

/** What tells a name from every other in file names. */
export const digestOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

/**
 * Names are input: a file gets the readable part of the name, and the digest that tells it from every other. The files
 * of private copies begin with that of their home, so that they are found when it is removed.
 */
export function fileName(space: string): string {
  const readable = space
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 32)
  const home = homeOf(space)
  return `${readable}.${digestOf(home)}${home === space ? '' : `-${digestOf(space)}`}`
}

/** What the names of a space's files begin with. */
export const stem = (space: string) => `spaces/${fileName(space)}`
