/**
 * Whether the request comes from a person: a browser that opens an address prefers text/html, and so does htmx. A
 * program asks for JSON, for anything, or has no Accept header.
 */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const types = accept.split(',').map(parseMediaRange)
  // The default of Java's HttpURLConnection, which is a program.
  if (types.some(({ type }) => type === 'image/gif')) return false
  const best = (isOne: (type: string) => boolean) =>
    Math.max(0, ...types.filter(({ type }) => isOne(type)).map(({ weight }) => weight))
  const page = best(type => type === 'text/html')
  return page > 0 && page >= best(type => /json$/.test(type))
}

function parseMediaRange(part: string): { type: string; weight: number } {
  const [type = '', ...parameters] = part.split(';').map(it => it.trim().toLowerCase())
  const weight = parameters.find(it => it.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}
