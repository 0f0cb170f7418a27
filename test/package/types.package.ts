import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, inject, it } from 'vitest'

const { tarball, projects } = inject('installed')
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

it('publint finds nothing to say', async () => {
  const bytes = readFileSync(tarball)
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const { messages } = await publint({ pack: { tarball: data }, strict: true })
  expect(messages.map(message => formatMessage(message, manifest, { color: false }))).toEqual([])
})

it('the types of every entry point are right, wherever modules are resolved as the package asks for', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  if (!analysis.types) throw new Error('it has no types at all')
  const resolved = Object.entries(analysis.entrypoints).map(([name, { resolutions }]) => [
    name,
    resolutions['node16-esm'].resolution?.isTypeScript ?? name === './package.json',
    resolutions.bundler.resolution?.isTypeScript ?? name === './package.json',
  ])
  expect(resolved.filter(([name]) => name !== './package.json')).toEqual(
    Object.keys(manifest.exports)
      .filter(name => name !== './package.json')
      .map(name => [name, true, true]),
  )
  // There are modules alone, for Node versions that give them to require as well: what older resolutions lack is meant.
  const meant = analysis.problems.filter(
    problem =>
      !('resolutionKind' in problem && /^node(?:10|16-cjs)$/.test(problem.resolutionKind ?? '')) &&
      !('resolutionOption' in problem && problem.resolutionOption === 'node10'),
  )
  expect(meant).toEqual([])
})

const resolutions = [
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const

const [{ path: first }] = projects as [(typeof projects)[number]]

const cases = projects.flatMap(({ vitest, path }) =>
  resolutions
    .filter(([name]) => vitest === 4 || name === 'node16')
    .map(([name, how]) => ({ vitest, path, name, how })),
)

it.each(cases)(
  'a strict compiler understands what a stranger writes, beside vitest $vitest, resolving as $name',
  async ({ path, name, how }) => {
    const config = join(path, `tsconfig.${name}.json`)
    const compilerOptions = {
      ...how,
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      // Those of vitest want the DOM and more; ours are read below.
      skipLibCheck: true,
    }
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['use.ts', 'use.test.ts'] }))
    expect(await told(path, config)).toBe('')
  },
)

it('a compiler that reads every declaration, and knows little of the future, finds nothing wrong', async () => {
  const config = join(first, 'tsconfig.lib.json')
  const compilerOptions = {
    ...resolutions[0][1],
    target: 'es2022',
    lib: ['es2022'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['lib.ts'] }))
  expect(await told(first, config)).toBe('')
})

/** What the compiler has to say about a project. */
const told = (path: string, config: string): Promise<string> => {
  const tsc = join(first, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [tsc, '-p', config], { cwd: path }).then(
    () => '',
    ({ stdout, message }) => stdout || message,
  )
}
