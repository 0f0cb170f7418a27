import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A command of a page, and what each time that it is run must give. */
export interface Tried {
  /** The last line of text before it. */
  readonly title: string
  readonly command: string
  readonly answers: readonly { readonly status: number; readonly part: object | undefined }[]
}

/**
 * Before a block that is tried stands a comment: `<!-- answers nothing, then 200 {"part": "of the body"} -->`. Nothing is
 * a connection that breaks.
 */
export function triedIn(page: string): Tried[] {
  const blocks = /([^\n]+)\n\n<!-- answers (.+?) -->\n```sh\n([^`]+)```/g
  return [...page.matchAll(blocks)].map(([, title, expected, command]) => ({
    command: command!,
    title: title!.replace(/:$/, ''),
    answers: expected!.split(', then ').map(text => {
      const [, status, part] = /^(\d+|nothing)(?: (\{.*\}))?$/.exec(text)!
      return { status: status === 'nothing' ? 0 : Number(status), part: part && JSON.parse(part) }
    }),
  }))
}

/** How many commands a page has that could be tried. */
export const curlsIn = (page: string): number => [...page.matchAll(/^curl /gm)].length

/** What a person has who copies commands from a page: a shell, and the last ID that an answer had. */
export class Terminal {
  readonly #url: () => string
  #id = ''

  /** @param url of the mock that stands for the one of the page */
  constructor(url: () => string) {
    this.#url = url
  }

  async paste(command: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const here = command.replaceAll('http://localhost:4025', this.#url()).replaceAll('THE-ID', this.#id)
    const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@" || true; }\n${here}`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { timeout: 60_000 })
    const [, text, status] = /^(.*)\n(\d+)$/s.exec(stdout)!
    // With `-i` the headers come first.
    const bare = text?.replace(/^HTTP\/1\.1 .*?\r\n\r\n/s, '')
    const body = bare?.startsWith('{') ? JSON.parse(bare) : bare || undefined
    this.#id = body?.id ?? this.#id
    return { status: Number(status), body }
  }
}
