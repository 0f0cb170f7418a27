import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Asset {
  readonly type: string
  readonly bytes: Buffer<ArrayBuffer>
}

/** Everything that pages load, read once. Its digest stands in every address, so it may be kept for ever. */
export interface Assets {
  readonly digest: string
  get(name: string): Asset | undefined
}

const script = 'text/javascript; charset=UTF-8'
const style = 'text/css; charset=UTF-8'

/** The same place whether this runs as it was written or as it was built. */
const built = fileURLToPath(new URL('../../dist/pages/', import.meta.url))
const styles = fileURLToPath(new URL('./styles/', import.meta.url))

/** A file beside the one that a package is entered by. */
function ofPackage(name: string, file: string): Buffer {
  return readFileSync(join(dirname(createRequire(import.meta.url).resolve(name)), file))
}

/** What the server and scripts of the pages both reckon by. */
const shared = ['relative.js', 'curl.js', 'docs/request.js']

/** @throws an error that says what to do when the scripts of the pages have not been built */
export function readAssets(): Assets {
  const assets = new Map<string, Asset>()
  const put = (name: string, type: string, bytes: Buffer) =>
    assets.set(name, { type, bytes: bytes as Buffer<ArrayBuffer> })
  put('style.css', style, stylesheet())
  put('htmx.js', script, ofPackage('htmx.org', 'htmx.min.js'))
  put('chart.js', script, ofPackage('chart.js', 'chart.umd.min.js'))
  for (const name of shared) put(name, script, builtFile(name))
  for (const name of browserModules()) put(`browser/${name}`, script, builtFile(`browser/${name}`))
  const digest = createHash('sha256')
  for (const [name, { bytes }] of assets) digest.update(name).update(bytes)
  return { digest: digest.digest('hex').slice(0, 16), get: name => assets.get(name) }
}

/** One sheet: what all pages share first, then what single pages add. */
function stylesheet(): Buffer {
  const names = readdirSync(styles).filter(name => name.endsWith('.css'))
  const order = ['base.css', 'components.css', ...names.sort()]
  return Buffer.concat([...new Set(order)].map(name => readFileSync(join(styles, name))))
}

function browserModules(): string[] {
  try {
    return readdirSync(join(built, 'browser')).filter(name => name.endsWith('.js'))
  } catch {
    throw new Error(`the scripts of the pages are missing in ${built}browser: "npm run build" makes them`)
  }
}

const builtFile = (name: string) => readFileSync(join(built, name))

/** What is asked for at `assets/<digest>/<name>`; undefined for what is not there, or no longer. */
export function assetResponse(assets: Assets, path: string): Response | undefined {
  const [, digest, name = ''] = /^assets\/(\w+)\/(.+)$/.exec(path) ?? []
  const asset = digest === assets.digest ? assets.get(name) : undefined
  if (!asset) return undefined
  return new Response(asset.bytes, {
    headers: {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  })
}
