import { execFile, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { operationIds } from '../../src/service/operations.ts'
import { quickJava, quickJavac } from '../examples/runtimes.ts'
import { titleOr } from '../not-run.ts'
import { type Running, start } from '../process.ts'

/*
 * Clients in five languages that openapi-generator makes of openapi-3.0.yaml. Of the versions that a package of npm carries
 * as a program, these two are the last ones.
 */

const versions = ['4.3.1', '5.0.0-beta2']
const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(`generators/openapi-generator/${path}`, import.meta.url))
const document = join(
  inject('installed').projects[0]!.path,
  'node_modules/mailing-sync-mock/openapi-3.0.yaml',
)

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const noJava = has('java', '-version') ? undefined : 'there is no java here'
const noCompiler = noJava ?? (has('javac', '-version') ? undefined : 'there is no javac here')
const noPython = has('python3', '-c', 'import urllib3, six, certifi, dateutil')
  ? undefined
  : 'there is no python3 here with urllib3, six, certifi and python-dateutil'

const work = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-openapi-generator-'))
const jarOf = (version: string) => join(work, version, 'package/bin/openapi-generator.jar')
let mock: Running

beforeAll(async () => {
  mock = await start(['--in-memory'])
})
afterAll(async () => {
  await mock?.stop()
  await rm(work, { recursive: true, force: true })
})

describe.skipIf(noJava).each(versions)(titleOr('openapi-generator %s', noJava), version => {
  const at = (language: string) => join(work, version, language)
  const env = (language: string) => ({
    ...process.env,
    MOCK_URL: mock.url,
    MOCK_USER: `demo+${language}-${version}`,
  })

  beforeAll(async () => {
    mkdirSync(join(work, version))
    const name = `@openapitools/openapi-generator-cli@1.0.18-${version}`
    const { stdout } = await run('npm', ['pack', '--silent', '--prefer-offline', name], {
      cwd: join(work, version),
    })
    await run('tar', ['xzf', stdout.trim()], { cwd: join(work, version) })
  })

  /** Makes a client, which has every operation. @returns its folder */
  async function generate(generator: string, ...options: string[]): Promise<string> {
    const folder = at(generator)
    const args = ['-i', document, '-g', generator, '-o', folder, ...options]
    await run('java', [...quickJava, '-jar', jarOf(version), 'generate', ...args], { maxBuffer: 1 << 25 })
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      name => /\.(?:py|java|ts|kt|cs)$/.test(name) && !/\btest\//i.test(name),
    )
    const text = sources.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
    const methods = text.replaceAll('_', '').toLowerCase()
    expect(operationIds.filter(id => !new RegExp(`\\b${id.toLowerCase()} ?\\(`).test(methods))).toEqual([])
    return folder
  }

  it('makes a client in TypeScript that has every operation, compiles and sends', async () => {
    await generate('typescript-fetch', '--additional-properties=typescriptThreePlus=true')
    const program = at('send.ts')
    copyFileSync(here('send.ts'), program)
    const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--module',
      'esnext',
    ]
    const places = ['--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', '--types', 'node']
    const types = ['--typeRoots', fileURLToPath(new URL('../../node_modules/@types', import.meta.url))]
    const args = [compiler, ...strict, ...places, ...types, program]
    const compiled = await run(process.execPath, args).catch(error => error)
    expect(compiled.stdout).toBe('')

    const bundle = await rolldown({ input: program, platform: 'node', logLevel: 'silent' })
    await bundle.write({ file: at('send.mjs') })
    await bundle.close()
    const { stdout } = await run(process.execPath, [at('send.mjs')], { env: env('typescript') })
    expect(stdout).toMatch(/^201 CREATED \d+\n$/)
  })

  it.skipIf(noPython)(
    titleOr('makes a client in Python that has every operation and sends', noPython),
    async () => {
      const PYTHONPATH = await generate('python')
      const { stdout } = await run('python3', [here('send.py')], { env: { ...env('python'), PYTHONPATH } })
      expect(stdout).toMatch(/^201 CREATED \d+\n$/)
    },
  )

  it.skipIf(noCompiler)(
    titleOr('makes a client in Java that has every operation, compiles and sends', noCompiler),
    async () => {
      // All that this client needs is in the generator itself, but for what the stubs have.
      const isOld = version === '4.3.1'
      const options = ['dateLibrary=java8', ...(isOld ? [] : ['openApiNullable=false'])].join()
      const folder = await generate('java', '--library', 'native', `--additional-properties=${options}`)
      const sources = join(folder, 'src/main/java')
      // In the older one a member that may be null is a JsonNullable, of which only the stub is here: it cannot send.
      if (!isOld) copyFileSync(here('Send.java'), join(sources, 'Send.java'))
      cpSync(here('stubs'), sources, { recursive: true })
      const all = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(it =>
        it.endsWith('.java'),
      )
      writeFileSync(join(folder, 'sources'), all.map(name => join(sources, name)).join('\n'))
      const quiet = [
        ...quickJavac,
        '-nowarn',
        '-proc:none',
        '-encoding',
        'UTF-8',
        '-d',
        join(folder, 'classes'),
      ]
      await run('javac', [...quiet, '-cp', jarOf(version), `@${join(folder, 'sources')}`])
      if (isOld) return
      const classPath = [join(folder, 'classes'), jarOf(version)].join(':')
      const { stdout } = await run('java', [...quickJava, '-cp', classPath, 'Send'], { env: env('java') })
      expect(stdout).toMatch(/^201 CREATED \d+\n$/)
    },
  )

  it.each(['kotlin', 'csharp-netcore'])('makes a client in %s that has every operation', async generator => {
    expect(await generate(generator)).toContain(generator)
  })
})

it('Spectral finds no error in either document by its rules for OpenAPI', async () => {
  const folder = join(work, 'spectral')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet, '@stoplight/spectral-cli@6'], { cwd: folder })
  const documents = [document.replace('-3.0', ''), document]
  const program = join(folder, 'node_modules/@stoplight/spectral-cli/dist/index.js')
  const found = await run(process.execPath, [program, 'lint', '--format', 'json', ...documents], {
    cwd: folder,
  }).catch(it => it)
  const problems: { severity: number; code: string; path: string[] }[] = JSON.parse(found.stdout)
  expect(problems.filter(({ severity }) => severity === 0)).toEqual([])
  // It did read them.
  expect(problems.map(({ code }) => code)).toEqual(['info-contact', 'info-contact'])
})
