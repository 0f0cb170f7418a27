/**
 * Whether an answer is for a person to look at: a browser that goes to an address names text/html and prefers it, and
 * so does htmx. A program names JSON, anything at all, or nothing.
 */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const types = accept.split(',').map(weighed)
  // What Java's HttpURLConnection asks for unless told otherwise: a program, whatever it names.
  if (types.some(({ type }) => type === 'image/gif')) return false
  const best = (isOne: (type: string) => boolean) =>
    Math.max(0, ...types.filter(({ type }) => isOne(type)).map(({ weight }) => weight))
  const page = best(type => type === 'text/html')
  return page > 0 && page >= best(type => /json$/.test(type))
}

function weighed(part: string): { type: string; weight: number } {
  const [type = '', ...parameters] = part.split(';').map(it => it.trim().toLowerCase())
  const weight = parameters.find(it => it.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}
