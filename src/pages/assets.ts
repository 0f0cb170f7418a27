import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** All files that pages load, read once. The digest is part of every address, so browsers may cache them forever. */
export interface Assets {
  readonly digest: string
  readonly files: ReadonlyMap<string, NonSharedBuffer>
}

/** Where the build puts the scripts. The path is the same when running from the source and from the build. */
const distFolder = fileURLToPath(new URL('../../dist/pages', import.meta.url))
const stylesFolder = fileURLToPath(new URL('./styles', import.meta.url))

/** Modules that both the server and the browser scripts import. */
const sharedModules = ['time-text.js', 'curl.js', 'request-form.js']

/** @throws an error that says what to do when the browser scripts are not built */
export function readAssets(): Assets {
  const htmxFolder = dirname(createRequire(import.meta.url).resolve('htmx.org'))
  const modules = [...sharedModules, ...listBrowserModules().map(name => `browser/${name}`)]
  const files = new Map([
    ['style.css', readStylesheet()],
    ['htmx.js', readFileSync(join(htmxFolder, 'htmx.min.js'))],
    ...modules.map(name => [name, readFileSync(join(distFolder, name))] as const),
  ])
  const digest = createHash('sha256')
  for (const [name, bytes] of files) digest.update(name).update(bytes)
  return { digest: digest.digest('hex').slice(0, 16), files }
}

/** One style sheet: shared rules first, then the rules of single pages. */
function readStylesheet() {
  const names = readdirSync(stylesFolder).filter(name => name.endsWith('.css'))
  const order = ['base', 'components', ...names.sort().map(name => name.slice(0, -'.css'.length))]
  return Buffer.from(readStyles(...new Set(order)))
}

/** Sheets by their names, for a document that loads nothing. */
export const readStyles = (...names: readonly string[]): string =>
  names.map(name => readFileSync(join(stylesFolder, `${name}.css`), 'utf8')).join('')

function listBrowserModules(): string[] {
  try {
    return readdirSync(join(distFolder, 'browser')).filter(name => name.endsWith('.js'))
  } catch {
    throw new Error(
      `the scripts of the pages are missing in ${distFolder}/browser: "npm run build" makes them`,
    )
  }
}

/** Answers a request for `assets/<digest>/<name>`; undefined for an unknown name or an old digest. */
export function assetResponse(assets: Assets, path: string): Response | undefined {
  const [, digest, name = ''] = /^assets\/(\w+)\/(.+)$/.exec(path) ?? []
  const bytes = digest === assets.digest ? assets.files.get(name) : undefined
  if (!bytes) return undefined
  return new Response(bytes, {
    headers: {
      'Content-Type': `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=UTF-8`,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  })
}
