/** What a curl line says of a request. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  /** `name:password`, or a name alone: then curl asks for the password. */
  readonly user?: string | undefined
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string | undefined
}

/** The request as a line for a shell. Whatever a client has put into it stays one word of that line. */
export function curl({ method, url, user, headers = [], body }: CurlRequest): string {
  const usual = body === undefined ? 'GET' : 'POST'
  return [
    'curl',
    ...(method === usual ? [] : method === 'HEAD' ? ['--head'] : ['-X', shellWord(method)]),
    ...(user === undefined ? [] : ['-u', shellWord(user)]),
    ...headers.flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ['--data-raw', shellWord(body)]),
    shellWord(url),
  ].join(' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** A text as one word of bash. Control characters are written out: pasted as they are, a terminal would obey them. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!control.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = [...text].map(char => {
    if (char === '\n') return '\\n'
    if (char === '\\' || char === "'") return `\\${char}`
    return control.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char
  })
  return `$'${escaped.join('')}'`
}
