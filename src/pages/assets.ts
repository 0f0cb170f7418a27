import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Asset {
  readonly type: string
  readonly bytes: Buffer<ArrayBuffer>
}

/** All files that pages load, read once. The digest is part of every address, so browsers may cache them forever. */
export interface Assets {
  readonly digest: string
  get(name: string): Asset | undefined
}

const scriptType = 'text/javascript; charset=UTF-8'
const styleType = 'text/css; charset=UTF-8'

/** Where the build puts the scripts. The path is the same when running from the source and from the build. */
const distFolder = fileURLToPath(new URL('../../dist/pages', import.meta.url))
const stylesFolder = fileURLToPath(new URL('./styles', import.meta.url))

/** Modules that both the server and the browser scripts import. */
const sharedModules = ['time-text.js', 'curl.js', 'request-form.js']

/** @throws an error that says what to do when the browser scripts are not built */
export function readAssets(): Assets {
  const assets = new Map<string, Asset>()
  const put = (name: string, type: string, bytes: Buffer) =>
    assets.set(name, { type, bytes: bytes as Buffer<ArrayBuffer> })
  put('style.css', styleType, readStylesheet())
  const htmxFolder = dirname(createRequire(import.meta.url).resolve('htmx.org'))
  put('htmx.js', scriptType, readFileSync(join(htmxFolder, 'htmx.min.js')))
  for (const name of sharedModules) put(name, scriptType, readBuiltFile(name))
  for (const name of listBrowserModules())
    put(`browser/${name}`, scriptType, readBuiltFile(`browser/${name}`))
  const digest = createHash('sha256')
  for (const [name, { bytes }] of assets) digest.update(name).update(bytes)
  return { digest: digest.digest('hex').slice(0, 16), get: name => assets.get(name) }
}

/** One style sheet: shared rules first, then the rules of single pages. */
function readStylesheet(): Buffer {
  const names = readdirSync(stylesFolder).filter(name => name.endsWith('.css'))
  const order = ['base.css', 'components.css', ...names.sort()]
  return Buffer.concat([...new Set(order)].map(name => readFileSync(join(stylesFolder, name))))
}

function listBrowserModules(): string[] {
  try {
    return readdirSync(join(distFolder, 'browser')).filter(name => name.endsWith('.js'))
  } catch {
    throw new Error(
      `the scripts of the pages are missing in ${distFolder}browser: "npm run build" makes them`,
    )
  }
}

const readBuiltFile = (name: string) => readFileSync(join(distFolder, name))

/** Answers a request for `assets/<digest>/<name>`; undefined for an unknown name or an old digest. */
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
