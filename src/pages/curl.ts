interface CurlRequest {
  readonly method: string
  readonly url: string
  /** `name:password`, or only a name: then curl asks for the password. */
  readonly user?: string | undefined
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string | undefined
  /** Whether its certificate is vouched for by the authority of this mock alone, which curl does not know. */
  readonly isUntrusted?: boolean | undefined
}

/** The request as a shell command. Every value from a client is quoted as one word. */
export function curl({ method, url, user, headers = [], body, isUntrusted }: CurlRequest): string {
  const usual = body === undefined ? 'GET' : 'POST'
  return [
    'curl',
    ...(isUntrusted ? ['-k'] : []),
    ...(method === usual ? [] : method === 'HEAD' ? ['--head'] : ['-X', shellWord(method)]),
    ...(user === undefined ? [] : ['-u', shellWord(user)]),
    ...headers.flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ['--data-raw', shellWord(body)]),
    shellWord(url),
  ].join(' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Quotes a text as one word of bash. Control characters are escaped, because a terminal would execute them when pasted. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!controlCharacter.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = [...text].map(char => {
    if (char === '\n') return '\\n'
    if (char === '\\' || char === "'") return `\\${char}`
    return controlCharacter.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char
  })
  return `$'${escaped.join('')}'`
}
