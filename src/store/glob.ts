/** Maximum length of a text that a glob can match; a longer text matches none. */
export const maxGlobTextLength = 4_096
export const maxGlobLength = 200
export const maxGlobStars = 8

/**
 * `*` matches any characters, `?` matches one. The worst case takes time proportional to the product of both lengths,
 * since only the last star is retried. Both lengths are bounded (the glob when a scenario is read), because a comparison
 * blocks all other requests and a body may have a megabyte.
 */
export function matchesGlob(glob: string, text: string): boolean {
  if (text.length > maxGlobTextLength) return false
  let at = 0
  let inText = 0
  let star = -1
  let resumeAt = 0
  while (inText < text.length) {
    if (glob[at] === '*') {
      star = at++
      resumeAt = inText
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[inText])) {
      at++
      inText++
    } else if (star >= 0) {
      at = star + 1
      inText = ++resumeAt
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}
