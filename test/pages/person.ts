import type { Tester } from '../rig/control/tester.ts'

/** What a person's browser is given. */
export interface Looked {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Opens a page as a browser does. @param path below `/_mock` */
export async function look({ fetch }: Pick<Tester, 'fetch'>, path: string): Promise<Looked> {
  const response = await fetch(`/_mock${path}`, { headers: { accept: 'text/html' } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The part of a page that an element with this ID holds, up to the end of the page. */
export const from = ({ text }: Pick<Looked, 'text'>, id: string): string => {
  const [, rest] = text.split(`id="${id}"`)
  if (rest === undefined) throw new Error(`there is no element with the ID ${id}`)
  return rest
}

/** What stands there for a reader: text without its markup. */
export const wordsOf = (markup: string): string =>
  markup
    // These set a text apart, and part no words.
    .replaceAll(/<\/?bdi>|<wbr\/?>|<span class="id-start">([^<]*)<\/span>/g, '$1')
    .replaceAll(/<a class="reference"[^>]*>([^<]*)<\/a>/g, '$1')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
