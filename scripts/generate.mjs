/**
 * `npm run generate [-- --slow] [-- --edition <number>]`: writes every generated file that is not what its sources make of it. The
 * makers are TypeScript and load the mock from its sources, so Vite loads them, as it does for the tests. An edition of the exam is frozen:
 * only with its number is it written, the last one anew or the next one.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createViteServer } from 'vitest/node'
import { readFlags } from './read-flags.mjs'

const { slow, edition } = readFlags('generate', {
  options: { slow: { type: 'boolean' }, edition: { type: 'string' } },
}).values
const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const vite = await createViteServer({
  configFile: false,
  root,
  appType: 'custom',
  logLevel: 'warn',
  oxc: { target: 'node20' },
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
try {
  /** @type {typeof import('./generated-files.ts')} */
  const { generatedFiles, slowFiles } = /** @type {any} */ (
    await vite.ssrLoadModule('/scripts/generated-files.ts')
  )
  const { makeEditions } = /** @type {any} */ (await vite.ssrLoadModule('/scripts/make-editions.ts'))
  const editions = edition && { 'scenarios/editions.json': () => makeEditions(Number(edition)) }
  for (const [path, make] of Object.entries({ ...editions, ...(slow && slowFiles), ...generatedFiles })) {
    const text = await make()
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    writeFileSync(path, text)
    console.log(`wrote ${path}`)
  }
} finally {
  await vite.close()
}
// What the clients of the slow files hold open ends with them.
process.exit()
